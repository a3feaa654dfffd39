"""Every page of the admin, for every kind of caller: no admin ever meets another organization."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib import admin
from django.contrib.sessions.backends.cache import SessionStore
from django.db.models import Model
from django.http import HttpRequest
from django.test import Client, RequestFactory
from django.urls import reverse
from django.utils import timezone

from accounts import audit, keys
from accounts.admin.scope import OrganizationAdmin, OrganizationInline, SuperuserAdmin
from accounts.identity.oauth.rows import OAuthGrant
from accounts.models import ApiKey, AuditEvent, Invitation, Membership, Organization, ToolCall, User
from agents.models import Agent
from chat.models import Trace
from corpora.models import Corpus, Document, ErasureReceipt
from evaluation.models import EvaluationRun, Question, QuestionSet
from foreign.models import ToolServer
from provisioning.models import DirectoryGroup, DirectoryToken, DirectoryUser
from retrieval.models import Flags, SpaceState
from sign_on.models import IdentityProvider, MailDomain, ProvidedIdentity
from tests.directories import directory_group_of, directory_user_of
from tests.factories import (
    AgentFactory,
    ConversationFactory,
    CorpusFactory,
    DocumentFactory,
    MembershipFactory,
    MessageFactory,
    UserFactory,
)
from tests.hooks import hook_of, told
from tests.programs import let_in
from tests.shops import shop
from tests.sign_on import domain_of_organization, identity_of, the_provider_of
from tests.tool_servers import server_of
from tools.models import DataSource, SourceTable
from webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.django_db

REGISTERED = admin.site._registry
PAGES = ("change", "delete", "history")


def invitation_of(member: Membership) -> Invitation:
    return Invitation.objects.create(
        organization=member.organization,
        email="new@example.org",
        token_hash=uuid4().hex,
        expires_at=timezone.now() + timedelta(days=1),
    )


def audit_event_of(member: Membership) -> AuditEvent:
    audit.record(member, "changed", member.organization)
    return AuditEvent.objects.filter(organization=member.organization).latest("created_at")


def tool_call_of(member: Membership) -> ToolCall:
    audit.record_tool_call(member, ToolCall.Kind.RETRIEVE, 0.0, items=1, tokens=2, is_personal=False)
    return ToolCall.objects.filter(organization=member.organization).latest("created_at")


def directory_token_of(member: Membership) -> DirectoryToken:
    token = DirectoryToken(organization=member.organization, name="Entra ID", prefix="acvscim_", token_hash=uuid4().hex)
    token.save()
    return token


def trace_of(member: Membership) -> Trace:
    talk = ConversationFactory(of=member)
    answer = MessageFactory(conversation=talk, role="assistant")
    return Trace.objects.create(
        message=answer, agent=talk.agent, scope_size=1, granularity=800, confidence="high", score=0.9
    )


def question_set_of(member: Membership) -> QuestionSet:
    return QuestionSet.objects.create(organization=member.organization, name=uuid4().hex)


ROWS: dict[type[Model], Callable[[Membership], Model]] = {
    Organization: lambda member: member.organization,
    Membership: lambda member: member,
    Invitation: invitation_of,
    ApiKey: lambda member: keys.issue_key(member)[0],
    OAuthGrant: lambda member: let_in(member, "a program"),
    AuditEvent: audit_event_of,
    ToolCall: tool_call_of,
    DirectoryToken: directory_token_of,
    DirectoryUser: directory_user_of,
    DirectoryGroup: lambda member: directory_group_of(member.organization),
    Corpus: lambda member: CorpusFactory(shared_in=member.organization),
    Document: lambda member: DocumentFactory(corpus=CorpusFactory(shared_in=member.organization)),
    ErasureReceipt: lambda member: ErasureReceipt.objects.create(
        organization=member.organization, subject_id=uuid4(), removed={}
    ),
    Agent: lambda member: AgentFactory(organization=member.organization),
    DataSource: lambda member: shop(member.organization, uuid4().hex),
    ToolServer: lambda member: server_of(member.organization, name=uuid4().hex),
    SourceTable: lambda member: shop(member.organization, uuid4().hex).tables.get(name="orders"),
    Webhook: lambda member: hook_of(member.organization),
    Delivery: lambda member: told(hook_of(member.organization)),
    IdentityProvider: lambda member: the_provider_of(member.organization),
    MailDomain: lambda member: domain_of_organization(member.organization, f"{uuid4().hex}.test"),
    ProvidedIdentity: lambda member: identity_of(MembershipFactory(organization=member.organization), uuid4().hex),
    Trace: trace_of,
    QuestionSet: question_set_of,
    Question: lambda member: Question.objects.create(question_set=question_set_of(member), text="What?"),
    EvaluationRun: lambda member: EvaluationRun.objects.create(question_set=question_set_of(member)),
}
SCOPED = sorted(ROWS, key=lambda model: model.__name__)
each_model = pytest.mark.parametrize("model", SCOPED, ids=lambda model: model.__name__)


@pytest.fixture
def alice() -> Membership:
    """Admin of organization A."""
    return MembershipFactory(role="admin")


@pytest.fixture
def stranger() -> Membership:
    """Admin of organization B."""
    return MembershipFactory(role="admin")


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def request_of(user: User) -> HttpRequest:
    request = RequestFactory().get("/admin/")
    request.user, request.session = user, SessionStore()
    return request


def url(model: type[Model], page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def listed(client: Client, model: type[Model]) -> set[Any]:
    response = client.get(url(model, "changelist"))
    assert response.status_code == 200
    return {row.pk for row in response.context["cl"].queryset}


def answer(user: User, path: str, pk: Any, data: dict[str, Any] | None) -> tuple[int, bytes]:
    """What a caller can tell from a response, without the id that was asked for."""
    client = client_of(user)
    response = client.get(path) if data is None else client.post(path, data)
    body = re.sub(rb"[A-Za-z0-9]{64}", b"CSRF", response.content)
    return response.status_code, body.replace(str(pk).encode(), b"ID")


def test_every_registered_admin_is_scoped_or_for_superusers_only() -> None:
    scoped = {model for model, one in REGISTERED.items() if isinstance(one, OrganizationAdmin)}
    operators = {model for model, one in REGISTERED.items() if isinstance(one, SuperuserAdmin)}
    assert scoped | operators == set(REGISTERED)
    assert scoped == set(ROWS), "add a row to ROWS, so that the tests below cover the new page"
    assert operators == {User, Flags, SpaceState}


@each_model
def test_inlines_and_filters_of_relations_are_scoped(model: type[Model]) -> None:
    page = REGISTERED[model]
    assert all(issubclass(inline, OrganizationInline) for inline in page.inlines)
    for item in page.list_filter:
        if isinstance(item, type):
            assert issubclass(item, admin.SimpleListFilter)  # which knows no rows but what it says itself
            continue
        name, kind = item if isinstance(item, tuple) else (item, None)
        if model._meta.get_field(name).is_relation:
            assert kind is admin.RelatedOnlyFieldListFilter
    assert not page.autocomplete_fields
    assert not page.raw_id_fields


@each_model
def test_an_admin_lists_the_rows_of_the_own_organization_only(
    model: type[Model], alice: Membership, stranger: Membership
) -> None:
    mine, theirs = ROWS[model](alice), ROWS[model](stranger)
    shown = listed(client_of(alice.user), model)
    assert mine.pk in shown
    assert theirs.pk not in shown


@each_model
def test_a_superuser_lists_the_rows_of_all_organizations(
    model: type[Model], alice: Membership, stranger: Membership
) -> None:
    mine, theirs = ROWS[model](alice), ROWS[model](stranger)
    operator = client_of(UserFactory(is_superuser=True))
    assert {mine.pk, theirs.pk} <= listed(operator, model)
    for row in (mine, theirs):
        assert operator.get(url(model, "change", row.pk)).status_code == 200


@each_model
def test_an_admin_opens_the_own_rows(model: type[Model], alice: Membership) -> None:
    mine = ROWS[model](alice)
    client = client_of(alice.user)
    assert client.get(url(model, "change", mine.pk)).status_code == 200
    assert client.get(url(model, "history", mine.pk)).status_code == 200


@each_model
@pytest.mark.parametrize("page", PAGES)
def test_a_row_of_another_organization_answers_like_one_that_never_was(
    model: type[Model], page: str, alice: Membership, stranger: Membership
) -> None:
    theirs, nothing = ROWS[model](stranger), uuid4()
    for data in (None, {"post": "yes", "name": "taken over", "role": "admin", "title": "taken over"}):
        told = answer(alice.user, url(model, page, theirs.pk), theirs.pk, data)
        assert told == answer(alice.user, url(model, page, nothing), nothing, data)
        assert told[0] == 404
    unchanged = model._default_manager.get(pk=theirs.pk)
    for field in model._meta.concrete_fields:
        assert getattr(unchanged, field.attname) == getattr(theirs, field.attname), field.name


@each_model
def test_actions_on_rows_of_another_organization_do_nothing(
    model: type[Model], alice: Membership, stranger: Membership
) -> None:
    theirs = ROWS[model](stranger)
    before = model._default_manager.filter(pk=theirs.pk).values().get()
    client = client_of(alice.user)
    for action in ("delete_selected", *(name for name in REGISTERED[model].actions or ())):
        client.post(url(model, "changelist"), {"action": action, "_selected_action": [str(theirs.pk)], "post": "yes"})
    assert model._default_manager.filter(pk=theirs.pk).values().get() == before


@each_model
def test_permissions_by_themselves_refuse_members_and_other_organizations(
    model: type[Model], alice: Membership, stranger: Membership
) -> None:
    """Behind the scoped querysets, which alone would keep the pages apart."""
    page, mine, theirs = REGISTERED[model], ROWS[model](alice), ROWS[model](stranger)
    member = MembershipFactory(organization=alice.organization)
    checks = (page.has_view_permission, page.has_change_permission, page.has_delete_permission)
    assert page.has_view_permission(request_of(alice.user), mine)
    assert not any(may(request_of(alice.user), theirs) for may in checks)
    assert not any(may(request_of(member.user), row) for may in checks for row in (mine, None))
    assert not page.has_add_permission(request_of(member.user))
    assert not page.get_queryset(request_of(member.user)).exists()


@each_model
def test_for_a_member_the_admin_does_not_exist(model: type[Model], alice: Membership) -> None:
    row = ROWS[model](alice)
    member = client_of(MembershipFactory(organization=alice.organization).user)
    pages = [url(model, "changelist"), url(model, "add"), *(url(model, page, row.pk) for page in PAGES)]
    assert {member.get(page).status_code for page in pages} == {404}


@each_model
def test_the_anonymous_are_sent_to_the_sites_own_sign_in_page(model: type[Model], alice: Membership) -> None:
    row = ROWS[model](alice)
    for page in (url(model, "changelist"), *(url(model, page, row.pk) for page in PAGES)):
        response = Client().get(page)
        assert response.status_code == 302
        assert response["Location"] == f"{reverse('account_login')}?next={page}"


def test_an_admin_of_one_organization_who_works_in_another_as_member_is_refused(alice: Membership) -> None:
    other = MembershipFactory(user=alice.user)
    client = client_of(alice.user)
    session = client.session
    session["organization_id"] = str(other.organization_id)
    session.save()
    assert client.get(reverse("admin:index")).status_code == 404


def test_a_deactivated_admin_is_refused(alice: Membership) -> None:
    client = client_of(alice.user)
    alice.user.is_active = False
    alice.user.save()
    assert client.get(reverse("admin:index")).status_code == 302


def test_users_are_for_superusers_only(alice: Membership) -> None:
    password = reverse("admin:auth_user_password_change", args=[alice.user.pk])
    pages = [url(User, "changelist"), url(User, "add"), url(User, "change", alice.user.pk), password]
    client = client_of(alice.user)
    assert {client.get(page).status_code for page in pages} == {404}
    operator = client_of(UserFactory(is_superuser=True))
    assert all(operator.get(page).status_code == 200 for page in pages)


def test_personal_corpora_and_their_documents_are_nowhere_in_the_admin(alice: Membership) -> None:
    member = MembershipFactory(organization=alice.organization)
    corpus = CorpusFactory(personal_of=member, name="Secret diary")
    document = DocumentFactory(corpus=corpus, title="Secret page")
    for user in (alice.user, UserFactory(is_superuser=True)):
        client = client_of(user)
        for row in (corpus, document):
            assert row.pk not in listed(client, type(row))
            assert client.get(url(type(row), "change", row.pk)).status_code == 404
        for model in SCOPED:
            assert b"Secret" not in client.get(url(model, "changelist")).content
        assert b"1" in client.get(url(Corpus, "changelist")).content


def test_the_sign_in_page_of_the_admin_is_the_sites_own() -> None:
    response = Client().get(reverse("admin:login"), {"next": "/admin/agents/agent/"})
    assert response.status_code == 302
    assert response["Location"] == f"{reverse('account_login')}?next=/admin/agents/agent/"
    assert Client().post(reverse("admin:login"), {"username": "a", "password": "b"}).status_code == 302


def test_passwords_are_changed_on_the_sites_own_page(alice: Membership) -> None:
    """Django's would let anybody at an open session guess the old one, and tell nobody of the new one."""
    for method in ("get", "post"):
        answer = getattr(client_of(alice.user), method)("/admin/password_change/", {"old_password": "a guess"})
        assert answer.headers["Location"] == reverse("account_change_password")


def test_no_redirect_tells_which_ids_exist(alice: Membership) -> None:
    assert client_of(alice.user).get(f"/admin/r/1/{alice.pk}/").status_code == 404


def test_the_front_page_lists_what_the_admin_may_open(alice: Membership) -> None:
    page = client_of(alice.user).get(reverse("admin:index"))
    assert page.status_code == 200
    assert url(Agent, "changelist").encode() in page.content
    assert url(User, "changelist").encode() not in page.content
