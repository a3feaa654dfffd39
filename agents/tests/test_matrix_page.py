"""The matrix of agents and corpora: a box for each pair, of the own organization alone, carried out by the service."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import AuditEvent
from agents.models import Assignment
from tests.factories import AgentFactory, AssignmentFactory, CorpusFactory, UserFactory
from tests.people import People

pytestmark = pytest.mark.django_db
PAGE = "/admin/agents/agent/matrix/"


@pytest.fixture
def ada(people: People) -> Client:
    client = Client()
    client.force_login(people.ada.user)
    return client


@pytest.fixture
def tutor(people: People) -> Any:
    return AgentFactory(organization=people.ada.organization, name="Tutor", allows_personal_corpus=True)


@pytest.fixture
def python(people: People) -> Any:
    return CorpusFactory(shared_in=people.ada.organization, name="Python")


def pair(agent: Any, corpus: Any) -> str:
    return f"{agent.pk}:{corpus.pk}"


def given() -> set[tuple[Any, Any]]:
    return set(Assignment.objects.values_list("agent", "corpus"))


def test_it_shows_agents_by_global_corpora_and_what_is_assigned(ada: Client, tutor: Any, python: Any) -> None:
    AssignmentFactory(agent=tutor, corpus=python)
    page = ada.get(PAGE)
    assert page.status_code == 200
    text = page.content.decode()
    assert f'value="{pair(tutor, python)}" id="cell-{pair(tutor, python)}" checked' in text
    for where in ("admin:index", "admin:agents_agent_changelist", "admin:corpora_corpus_changelist"):
        assert PAGE in ada.get(reverse(where)).content.decode().replace('class="', "")


def test_a_box_gives_and_takes_at_once_and_the_audit_log_knows(ada: Client, tutor: Any, python: Any) -> None:
    cell = pair(tutor, python)
    answer = ada.post(PAGE, {"cell": cell, "on": [cell]})
    assert "checked" in answer.content.decode()
    assert "<html" not in answer.content.decode()
    assert given() == {(tutor.pk, python.pk)}
    assert "checked" not in ada.post(PAGE, {"cell": cell}).content.decode()
    assert given() == set()
    assert list(AuditEvent.objects.order_by("created_at").values_list("action", flat=True)) == [
        "assigned",
        "unassigned",
    ]


def test_the_plain_form_changes_what_its_sender_changed_and_leaves_what_others_did(
    ada: Client, people: People, tutor: Any, python: Any
) -> None:
    other, third = (CorpusFactory(shared_in=people.ada.organization) for _n in range(2))
    AssignmentFactory(agent=tutor, corpus=python)
    AssignmentFactory(agent=tutor, corpus=other)  # since the page was loaded
    ada.post(PAGE, {"was": [pair(tutor, python)], "on": [pair(tutor, third)]})
    assert given() == {(tutor.pk, other.pk), (tutor.pk, third.pk)}


def test_twice_the_same_is_once(ada: Client, tutor: Any, python: Any) -> None:
    for _again in range(2):
        assert ada.post(PAGE, {"cell": pair(tutor, python), "on": pair(tutor, python)}).status_code == 200
    for _again in range(2):
        assert ada.post(PAGE, {"cell": pair(tutor, python)}).status_code == 200


def test_what_is_foreign_personal_or_nothing_is_not_there(ada: Client, people: People, tutor: Any, python: Any) -> None:
    foreign_agent = AgentFactory(organization=people.charlie.organization, name="Foreign agent")
    foreign = CorpusFactory(shared_in=people.charlie.organization, name="Foreign corpus")
    personal = CorpusFactory(personal_of=people.alice, name="A diary")
    AssignmentFactory(agent=tutor, corpus=personal)
    text = ada.get(PAGE).content.decode()
    assert not any(name in text for name in ("Foreign agent", "Foreign corpus", "A diary"))
    wrong = [pair(foreign_agent, python), pair(tutor, foreign), pair(tutor, personal), f"{uuid4()}:{uuid4()}", "x"]
    for cell in wrong:
        assert ada.post(PAGE, {"cell": cell, "on": cell}).status_code == 404, cell
        assert ada.post(PAGE, {"was": cell}).status_code == 404, cell
    assert given() == {(tutor.pk, personal.pk)}


@pytest.mark.parametrize("name", ["alice", "charlie"])
def test_members_find_nothing_there(people: People, name: str) -> None:
    client = Client()
    client.force_login(getattr(people, name).user)
    assert client.get(PAGE).status_code == 404


def test_an_operator_names_the_organization(people: People, tutor: Any, python: Any, operator: Any) -> None:
    client = Client()
    client.force_login(operator)
    asked = {"organization": people.ada.organization.slug}
    assert "Tutor" in client.get(PAGE, asked).content.decode()
    assert client.get(PAGE, {"organization": "nowhere"}).status_code == 404


@pytest.fixture
def operator() -> Any:
    return UserFactory(is_superuser=True)


def test_it_pages_both_ways_searches_and_costs_the_same(ada: Client, people: People) -> None:
    costs = []
    for _more in range(3):
        for _n in range(15):
            agent = AgentFactory(organization=people.ada.organization)
            for _m in range(2):
                AssignmentFactory(agent=agent, corpus=CorpusFactory(shared_in=people.ada.organization))
        with CaptureQueriesContext(connection) as queries:
            page = ada.get(PAGE)
        costs.append(len(queries))
    rows = page.context["rows"]
    assert (len(rows), len(rows[0][1])) == (25, 12)
    assert costs[1] == costs[2]
    assert len(ada.get(PAGE, {"page": "4", "across": "4"}).context["rows"][0][1]) == 9
    wanted = CorpusFactory(shared_in=people.ada.organization, name="Álgebra")
    assert [corpus for corpus, _cells in ada.get(PAGE, {"corpora": "algebra"}).context["rows"]] == [wanted]
