"""The audit log is read as sentences: every act of the code has one, and nothing raw stands in the open."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.translation import override

from accounts import audit, members
from accounts.admin.auditing.names import named_in
from accounts.admin.auditing.sentences import FAMILIES, OF_ANYTHING, THINGS, sentence
from accounts.admin.scope import OrganizationAdmin
from accounts.models import AuditEvent, Membership
from agents import assignments
from tests.factories import AgentFactory, CorpusFactory, DocumentFactory, MembershipFactory
from tests.hooks import hook_of
from tools.models import DataSource

pytestmark = pytest.mark.django_db
RECORDERS = {"record", "record_for", "record_everywhere", "audit"}
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-")


def recorded_actions() -> Iterator[tuple[str, str]]:
    """Module and action of each call that writes an event."""
    for app in apps.get_app_configs():
        for path in Path(app.path).rglob("*.py") if Path(app.path).parent == settings.BASE_DIR else ():
            if "tests" not in path.parts and "migrations" not in path.parts:
                for node in ast.walk(ast.parse(path.read_text())):
                    if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in RECORDERS:
                        yield from ((path.name, word) for one in node.args[:3] for word in words(one))


def words(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*words(node.body), *words(node.orelse))


def told(language: str = "en") -> str:
    event = AuditEvent.objects.select_related("actor").latest("created_at")
    with override(language):
        return sentence(event, named_in([event]))


@pytest.fixture
def alicia() -> Membership:
    return MembershipFactory(role="admin", user__name="Alicia", user__email="alicia@aurora.example")


@pytest.fixture
def bruno(alicia: Membership) -> Membership:
    return MembershipFactory(organization=alicia.organization, user__name="Bruno")


def test_every_action_that_the_code_writes_has_a_sentence() -> None:
    found = set(recorded_actions())
    assert len({action for _module, action in found}) > 20, "the search finds the calls"
    assert {(module, action) for module, action in found if action not in OF_ANYTHING} == set()


def test_every_kind_of_row_that_an_admin_writes_has_words_and_a_family() -> None:
    written = {
        model._meta.model_name
        for model, page in admin.site._registry.items()
        if isinstance(page, OrganizationAdmin) and page.writes
    }
    assert written - set(THINGS) == set()
    assert set(THINGS) == {kind for _label, kinds in FAMILIES.values() for kind in kinds}


def test_a_role_is_told_as_what_somebody_was_made(alicia: Membership, bruno: Membership) -> None:
    members.change_role(bruno, "admin", alicia)
    assert told() == "Alicia (alicia@aurora.example) made Bruno an admin"
    assert told("es") == "Alicia (alicia@aurora.example) hizo admin a Bruno"


def test_an_assignment_names_agent_and_corpus(alicia: Membership) -> None:
    agent = AgentFactory(organization=alicia.organization, name="Tutor")
    corpus = CorpusFactory(shared_in=alicia.organization, name="Python")
    assignments.assign_corpus(agent, corpus.pk, alicia)
    assert told() == "Alicia (alicia@aurora.example) let the agent “Tutor” read the corpus “Python”"
    agent.delete()
    assert told().endswith("let an agent that is no longer there read the corpus “Python”")


def test_spanish_articles_are_contracted_and_names_are_not(alicia: Membership) -> None:
    agent = AgentFactory(organization=alicia.organization, name="Manual de el 100 %(who)s")
    audit.record(alicia, "granted", DataSource(pk=agent.pk, organization=alicia.organization), agent=str(agent.pk))
    assert told("es").endswith("lee de una fuente de datos que ya no está")
    hook = hook_of(alicia.organization, description="Aviso a el bibliotecario")
    audit.record(alicia, "tested", hook)
    assert told("es").endswith("envió una prueba al webhook «Aviso a el bibliotecario»")
    audit.record(alicia, "limited", agent)
    assert told("es").endswith("cambió los límites del agente «Manual de el 100 %(who)s»")
    alicia.user.name = "Ana de el Valle"
    alicia.user.save()
    audit.record(alicia, "removed", alicia)
    assert told("es").startswith("Ana de el Valle (")


def test_what_is_personal_or_another_organizations_has_no_name(alicia: Membership, bruno: Membership) -> None:
    own = CorpusFactory(owner=bruno.user, organization=bruno.organization, name="My diary")
    for subject in (own, DocumentFactory(corpus=own, title="Dear diary"), AgentFactory(name="Foreign")):
        audit.record(bruno, "changed", subject)
        assert "diary" not in told()
        assert "Foreign" not in told()


def test_changed_fields_are_told_by_their_labels_and_switches_by_their_state(alicia: Membership) -> None:
    agent = AgentFactory(organization=alicia.organization, name="Tutor")
    audit.record(alicia, "changed", agent, fields=["name", "adaptive"], adaptive=True)
    assert told() == "Alicia (alicia@aurora.example) changed the agent “Tutor”: name, adaptive retrieval (yes)"


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("files", "archivos"),
        ("tables", "tablas"),
        ("metrics", "métricas"),
        ("password", "contraseña"),
        ("updated", ""),
    ],
)
def test_what_belongs_to_a_row_is_told_by_what_it_is(alicia: Membership, field: str, said: str) -> None:
    source = DataSource.objects.create(organization=alicia.organization, name="Ventas", kind="duckdb")
    audit.record(alicia, "changed", source, fields=[field])
    assert told("es").partition("«Ventas»")[2] == (f": {said}" if said else "")


def test_the_list_and_its_entry_show_neither_ids_nor_json_in_the_open(alicia: Membership, bruno: Membership) -> None:
    client = Client()
    client.force_login(alicia.user)
    members.change_role(bruno, "admin", alicia)
    page = client.get(reverse("admin:accounts_auditevent_changelist")).content.decode()
    assert "hizo admin a Bruno" in page
    visible = re.sub(r"<[^>]*>", " ", page[page.index("result_list") :])
    assert not UUID.search(visible)
    assert "{&quot;" not in visible
    entry = AuditEvent.objects.get()
    shown = client.get(reverse("admin:accounts_auditevent_change", args=[entry.pk])).content.decode()
    folded = shown.index("<details")
    assert folded < shown.index(entry.object_id, folded)
    assert entry.object_id not in re.sub(r"<[^>]*>", " ", shown[:folded])


def test_names_cost_the_same_however_many_events_there_are(alicia: Membership, bruno: Membership) -> None:
    client = Client()
    client.force_login(alicia.user)
    costs = []
    for _again in range(3):  # the first visit notes when the session was seen
        for number in range(4):
            audit.record(alicia, "changed", AgentFactory(organization=alicia.organization))
            audit.record(bruno if number else alicia, "changed", bruno)
        with CaptureQueriesContext(connection) as asked:
            client.get(reverse("admin:accounts_auditevent_changelist"))
        costs.append(len(asked))
    assert costs[1] == costs[2]


def test_filters_by_what(alicia: Membership, bruno: Membership) -> None:
    client = Client()
    client.force_login(alicia.user)
    audit.record(alicia, "changed", bruno)
    audit.record(alicia, "changed", AgentFactory(organization=alicia.organization))
    shown = client.get(reverse("admin:accounts_auditevent_changelist"), {"about": "agents"}).context["cl"]
    assert [one.object_type for one in shown.result_list] == ["agent"]
