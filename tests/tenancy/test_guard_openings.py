"""Every table is under a rule or says why not, and every place that lets the system look is known (R9)."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection

from accounts.tenancy.rules import RULES, WITHOUT_RULE
from tests.imports import HOUSE

ROOT = Path(__file__).resolve().parents[2]
OPENERS = {"system_scope", "become_system"}

OPENINGS: dict[tuple[str, str], str] = {
    ("manage.py", "main"): "a command is an operator's; `serve` opens nothing, its requests are their askers'",
    ("accounts/management/commands/migrate.py", "Command.handle"): "migrations change everybody's rows",
    ("accounts/http/middleware.py", "ScopedRequests.process_view"): "the sign-in finds people by their addresses",
    ("accounts/http/principal.py", "user_of"): "the session's user, before anybody is known",
    ("accounts/http/principal.py", "membership_of_session"): "that user's memberships, of which one is chosen",
    ("accounts/http/principal.py", "memberships_of"): "a person's own, of which one is chosen",
    ("accounts/http/sessions.py", "SessionStore._get_session_from_db"): "the key is the credential",
    ("accounts/http/sessions.py", "SessionStore.exists"): "the key is the credential",
    ("accounts/http/sessions.py", "SessionStore.save"): "the key is the credential",
    ("accounts/identity/addresses.py", "change_address"): "invitations are the inviting organizations'",
    ("accounts/http/sessions.py", "SessionStore.delete"): "the key is the credential",
    ("accounts/http/sessions.py", "SessionStore.clear_expired"): "a command's",
    ("accounts/keys.py", "membership_of_key"): "the key is the credential",
    ("accounts/identity/oauth/grants.py", "let_in"): "the organization that was chosen need not be the session's",
    ("accounts/identity/oauth/grants.py", "end_all"): "a person's programs in each of their organizations",
    ("accounts/identity/oauth/grants.py", "membership_of_token"): "the token is the credential",
    ("accounts/identity/oauth/endpoints.py", "registration"): "a program belongs to nobody",
    ("accounts/identity/oauth/endpoints.py", "_asked"): "the code or token is the credential",
    ("accounts/pages/programs.py", "checked_request"): "a program belongs to nobody until it is let in",
    ("accounts/pages/programs.py", "client_of"): "the same",
    ("accounts/pages/programs.py", "callback_of"): "the code is kept for the organization that was chosen",
    ("accounts/site.py", "AcervoAdminSite.admin_view"): "a platform operator sees every organization",
    ("accounts/invitations.py", "open_invitation"): "the token is the credential",
    ("accounts/invitations.py", "accept_invitation"): "makes a member of who is none yet",
    ("accounts/invitations.py", "accept_invitation_as_new_user"): "makes a person of who is none yet",
    ("accounts/pages/invitations.py", "has_account"): "whether an invited address is somebody's",
    ("accounts/pages/invitations.py", "join_as_new"): "the new person signs in",
    ("accounts/admin/scope.py", "OrganizationAdmin.delete_model"): "what goes with a row may be other people's",
    ("accounts/members.py", "end_membership"): "what goes with a membership is the member's",
    ("provisioning/tokens.py", "token_of"): "the token is the credential",
    ("provisioning/entries.py", "bind_new_member"): "who joins is bound to what the directory says of them",
    ("agents/api/agents.py", "AgentDetail.delete"): "what goes with an agent is its users'",
    ("agents/admin/agents.py", "personal_count"): "a count",
    ("agents/admin/agents.py", "AgentAdmin.goes_with"): "counts",
    ("corpora/admin/knowledge.py", "CorpusAdmin.changelist_view"): "a count",
    ("foreign/calling.py", "_note_change"): "members call what admins chose; that it has changed, nobody may hide",
    ("webhooks/announcing.py", "announce"): "members and workers make what is told; whom, only admins may know",
    ("chat/admin/usage.py", "usage"): "counts, of the organization that is asked about",
    ("chat/admin/usage.py", "adaptive_usage"): "counts, of the organization that is asked about",
    ("accounts/limits/size.py", "organization_class"): "a count, of the member's organization",
    ("accounts/limits/stock.py", "stock_of"): "counts, of the member's organization",
    ("accounts/limits/reserving.py", "settle"): "the end of a stream may come when its request is nobody's any more",
    ("accounts/identity/sessions.py", "note_session"): "the row of a session that has only just become somebody's",
    ("accounts/identity/sessions.py", "sign_ins_of"): "which of a person's sessions still open something",
    ("accounts/identity/sessions.py", "end_sessions"): "ends those that a person's own rows name",
    ("accounts/identity/addresses.py", "is_taken"): "whether an address is somebody's",
    ("accounts/identity/second_factor.py", "operator_lacks_second_factor"): "whether any organization is strict",
    ("accounts/audit.py", "record_everywhere"): "what concerns a person, in each of their organizations",
    ("accounts/identity/provided.py", "closed_organizations"): "names of where a person belongs",
    ("sign_on/people.py", "membership_of_person"): "who signs in is nobody yet; the provider's organization alone",
    ("sign_on/pages/leading.py", "identity_provider_for"): "whose provider an address leads to",
    ("sign_on/pages/signing.py", "any_provider"): "nobody has signed in yet",
    ("sign_on/pages/signing.py", "admit"): "the person signs in",
    ("sign_on/pages/signing.py", "refuse_sign_on"): "an admin is to find why somebody did not get in",
    ("accounts/keys.py", "revoke_all"): "a person's keys in each of their organizations",
    ("chat/admin/filters.py", "whose_message"): "which of the traces that the list has, by what became of the answer",
    ("chat/admin/home.py", "counted_since"): "members' questions of the organization, counted",
    ("chat/leaving/erasing.py", "request_user_erasure"): "a person's things in each of their organizations",
    ("chat/leaving/former.py", "former_organizations"): "where a person who belongs to none has left things",
    ("chat/leaving/erasing.py", "request_organization_erasure"): "an operator's, of all members' things",
    ("chat/pages/leaving.py", "holdings_of"): "counts, of a person's own things in each of their organizations",
    ("chat/models.py", "Conversation.delete"): "a set's questions lose their reference to its answers",
    ("chat/citing/rows.py", "_forget_rows"): "what answers of anybody keep of a data source that is deleted, emptied",
    ("chat/stream/keeping.py", "_keep"): "what this process writes, of whomever",
    ("evaluation/cases.py", "feedback"): "answers that their users rated for the admins, of global corpora alone",
    ("evaluation/cases.py", "take_feedback"): "the same",
    ("workers/apps.py", "on_agent_saved"): "personal corpora that an adaptive agent reads: marked, not read",
    ("workers/embedded.py", "EmbeddedWorkers._release"): "what a killed process left, whoever's",
    ("workers/jobs/erase.py", "forget_embeddings"): "whether anybody's chunk has the same text",
    (
        "workers/management/relay_server.py",
        "carry_out_request",
    ): "a command is an operator's, also one that came by the socket",
    ("workers/queue/lanes.py", "drain"): "whose turn it is; the work itself is in the document's name",
    ("workers/upkeep/backlog.py", "measure_backlog"): "counts and ages, of everybody's rows together",
    ("workers/upkeep/schedule.py", "Periodic._run"): "upkeep is nobody's",
}


def test_every_table_is_under_a_rule_or_says_why_not() -> None:
    tables = {model._meta.db_table for model in apps.get_models(include_auto_created=True)} | {"django_migrations"}
    assert tables - set(RULES) - set(WITHOUT_RULE) == set()
    assert (set(RULES) | set(WITHOUT_RULE)) - tables == set(), "a rule for what is no longer there"
    assert set(RULES) & set(WITHOUT_RULE) == set()


def test_every_opening_is_known_and_still_there() -> None:
    assert Counter(openings()) == Counter(list(OPENINGS))


def openings() -> Iterator[tuple[str, str]]:
    files = [ROOT / "manage.py", *(path for room in HOUSE for path in (ROOT / room).rglob("*.py"))]
    for path in files:
        module = path.relative_to(ROOT)
        if "tests" not in module.parts and module.as_posix() != "accounts/tenancy/scope.py":
            yield from ((module.as_posix(), place) for place in openings_in(ast.parse(path.read_text()), ()))


def openings_in(node: ast.AST, names: tuple[str, ...]) -> Iterator[str]:
    """The method or function of a module around each call, the innermost function of another left out."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        names = (*names, node.name)
    if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in OPENERS:
        yield ".".join(names[:2])
    for child in ast.iter_child_nodes(node):
        yield from openings_in(child, names)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="row-level security is PostgreSQL's")
class TestOnPostgreSQL:
    @pytest.mark.django_db
    def test_every_rule_is_in_force_also_for_the_owner(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT relname FROM pg_class WHERE relrowsecurity AND relforcerowsecurity AND relkind = 'r'"
            )
            assert {row[0] for row in cursor.fetchall()} == set(RULES)

    @pytest.mark.django_db
    def test_the_application_owns_nothing_and_passes_no_rule(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
            assert cursor.fetchone() == (False,)
            cursor.execute("SELECT count(*) FROM pg_tables WHERE tableowner = current_user")
            assert cursor.fetchone() == (0,)
