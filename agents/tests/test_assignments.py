"""Giving corpora to agents: who may, what is refused, by service, by model and over HTTP (SPEC §2.1, R7)."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEvent
from accounts.problems import AdminRequired, NotFound, Problem
from agents.assignments import (
    AlreadyAssigned,
    PersonalCorpusNotAllowed,
    assign_corpus,
    assignable_agents,
    unassign_corpus,
)
from agents.models import Agent, Assignment
from corpora.tests.sending import problem
from tests.factories import AgentFactory, CorpusFactory, MembershipFactory
from tests.people import People, with_key

pytestmark = pytest.mark.django_db


@pytest.fixture
def open_agent(people: People) -> Agent:
    return AgentFactory(organization=people.alice.organization, allows_personal_corpus=True)


@pytest.fixture
def closed_agent(people: People) -> Agent:
    return AgentFactory(organization=people.alice.organization)


def assigned() -> set[tuple[Any, Any]]:
    return set(Assignment.objects.values_list("agent", "corpus"))


# The rule


def test_an_owner_assigns_the_own_corpus_to_an_agent_that_allows_it(people: People, open_agent: Agent) -> None:
    corpus = CorpusFactory(personal_of=people.alice)
    made = assign_corpus(open_agent, corpus.pk, people.alice)
    assert (made.agent, made.corpus, made.created_by) == (open_agent, corpus, people.alice.user)


def test_an_agent_without_personal_corpora_takes_none(people: People, closed_agent: Agent) -> None:
    with pytest.raises(PersonalCorpusNotAllowed):
        assign_corpus(closed_agent, CorpusFactory(personal_of=people.alice).pk, people.alice)
    assert not assigned()


def test_a_stale_agent_in_hand_does_not_help(people: People, open_agent: Agent) -> None:
    """The row is read again under its lock: the flag was turned off after the caller had read the agent."""
    Agent.objects.filter(pk=open_agent.pk).update(allows_personal_corpus=False)
    with pytest.raises(PersonalCorpusNotAllowed):
        assign_corpus(open_agent, CorpusFactory(personal_of=people.alice).pk, people.alice)


@pytest.mark.parametrize("who", ["bob", "ada", "charlie", "zoe", "alice_elsewhere"])
def test_nobody_else_assigns_a_personal_corpus(who: str, people: People, open_agent: Agent) -> None:
    with pytest.raises(NotFound):
        assign_corpus(open_agent, CorpusFactory(personal_of=people.alice).pk, getattr(people, who))


def test_a_global_corpus_is_assigned_by_admins_only(people: People, closed_agent: Agent) -> None:
    corpus = CorpusFactory(shared_in=people.alice.organization)
    with pytest.raises(AdminRequired):
        assign_corpus(closed_agent, corpus.pk, people.alice)
    assert assign_corpus(closed_agent, corpus.pk, people.ada).corpus == corpus


def test_an_agent_of_another_organization_takes_nothing(people: People) -> None:
    theirs = AgentFactory(organization=people.charlie.organization, allows_personal_corpus=True)
    corpus = CorpusFactory(personal_of=people.alice)
    for member in (people.alice, people.alice_elsewhere):
        with pytest.raises(NotFound):
            assign_corpus(theirs, corpus.pk, member)


def test_a_deleted_corpus_is_not_assigned(people: People, open_agent: Agent) -> None:
    corpus = CorpusFactory(personal_of=people.alice, deleted_at=timezone.now())
    with pytest.raises(NotFound):
        assign_corpus(open_agent, corpus.pk, people.alice)


def test_an_agent_that_is_switched_off_is_prepared_by_admins_alone(people: People, open_agent: Agent) -> None:
    Agent.objects.filter(pk=open_agent.pk).update(is_active=False)
    with pytest.raises(NotFound):
        assign_corpus(open_agent, CorpusFactory(personal_of=people.alice).pk, people.alice)
    assert assign_corpus(open_agent, CorpusFactory(shared_in=people.ada.organization).pk, people.ada)


def test_a_corpus_is_assigned_once(people: People, open_agent: Agent) -> None:
    corpus = CorpusFactory(personal_of=people.alice)
    assign_corpus(open_agent, corpus.pk, people.alice)
    with pytest.raises(AlreadyAssigned):
        assign_corpus(open_agent, corpus.pk, people.alice)


@pytest.mark.django_db(transaction=True)
def test_of_two_assignments_at_once_one_is_made() -> None:
    alice = MembershipFactory()
    agent = AgentFactory(organization=alice.organization, allows_personal_corpus=True)
    corpus = CorpusFactory(personal_of=alice)

    def attempt(_n: int) -> str:
        try:
            assign_corpus(agent, corpus.pk, alice)
        except Problem as refused:
            return refused.code
        finally:
            connection.close()
        return "assigned"

    with ThreadPoolExecutor(4) as threads:
        assert sorted(threads.map(attempt, range(4))) == ["already_assigned"] * 3 + ["assigned"]


# Taking back


@pytest.mark.parametrize("who", ["bob", "ada", "charlie", "zoe", "alice_elsewhere"])
def test_a_personal_corpus_is_taken_back_by_its_owner_alone(who: str, people: People, open_agent: Agent) -> None:
    corpus = CorpusFactory(personal_of=people.alice)
    assign_corpus(open_agent, corpus.pk, people.alice)
    with pytest.raises(NotFound):
        unassign_corpus(open_agent, corpus.pk, getattr(people, who))
    unassign_corpus(open_agent, corpus.pk, people.alice)
    assert not assigned()


def test_a_global_corpus_is_taken_back_by_admins_only(people: People, closed_agent: Agent) -> None:
    corpus = CorpusFactory(shared_in=people.alice.organization)
    assign_corpus(closed_agent, corpus.pk, people.ada)
    with pytest.raises(AdminRequired):
        unassign_corpus(closed_agent, corpus.pk, people.alice)
    unassign_corpus(closed_agent, corpus.pk, people.ada)
    with pytest.raises(NotFound):
        unassign_corpus(closed_agent, corpus.pk, people.ada)


def test_both_are_in_the_audit_log_by_id(people: People, open_agent: Agent) -> None:
    corpus = CorpusFactory(personal_of=people.alice, name="a name that is nobody's business")
    assign_corpus(open_agent, corpus.pk, people.alice)
    unassign_corpus(open_agent, corpus.pk, people.alice)
    events = AuditEvent.objects.filter(object_type="assignment").order_by("created_at")
    ids = {"agent": str(open_agent.pk), "corpus": str(corpus.pk)}
    assert [(event.action, event.changes) for event in events] == [("assigned", ids), ("unassigned", ids)]


# The model layer


def test_the_model_refuses_what_the_page_does_not_offer(people: People, closed_agent: Agent) -> None:
    with pytest.raises(ValidationError, match="personal") as refused:
        Assignment(agent=closed_agent, corpus=CorpusFactory(personal_of=people.alice)).save()
    assert refused.value.code == "personal_corpus_not_allowed"
    theirs = CorpusFactory(shared_in=people.charlie.organization)
    with pytest.raises(ValidationError) as refused:
        Assignment(agent=closed_agent, corpus=theirs).save()
    assert refused.value.code == "other_organization"


def test_the_page_offers_a_personal_corpus_only_to_agents_that_allow_it(
    people: People, open_agent: Agent, closed_agent: Agent
) -> None:
    AgentFactory(organization=people.alice.organization, allows_personal_corpus=True, is_active=False)
    AgentFactory(organization=people.charlie.organization, allows_personal_corpus=True)
    assert assignable_agents(CorpusFactory(personal_of=people.alice), people.alice) == [open_agent]
    shared = CorpusFactory(shared_in=people.alice.organization)
    assert set(assignable_agents(shared, people.ada)) == {open_agent, closed_agent}


# Over HTTP


def give(client: Client, agent: Agent, corpus: Any) -> Any:
    return client.post(f"/api/agents/{agent.pk}/corpora/", {"corpus": str(corpus)}, content_type="application/json")


def test_the_contracts_statuses(people: People, open_agent: Agent, closed_agent: Agent) -> None:
    alice, corpus = with_key(people.alice), CorpusFactory(personal_of=people.alice)
    assert problem(give(alice, closed_agent, corpus.pk)) == (409, "personal_corpus_not_allowed")
    made = give(alice, open_agent, corpus.pk)
    assert (made.status_code, made.json()["corpus"]) == (201, str(corpus.pk))
    assert problem(give(alice, open_agent, corpus.pk)) == (409, "already_assigned")
    path = f"/api/agents/{open_agent.pk}/corpora/{corpus.pk}/"
    assert alice.delete(path).status_code == 204
    assert problem(alice.delete(path)) == (404, "not_found")


@pytest.mark.parametrize("corpus", ["", "x", "7", "{}"])
def test_what_is_no_id_is_invalid_input(corpus: str, people: People, open_agent: Agent) -> None:
    answer = give(with_key(people.alice), open_agent, corpus)
    assert problem(answer) == (400, "invalid_input")
    assert list(answer.json()["errors"]) == ["corpus"]


def test_a_list_shows_global_assignments_and_the_own_ones(people: People, open_agent: Agent) -> None:
    own = {member: CorpusFactory(personal_of=member) for member in (people.alice, people.bob)}
    shared = CorpusFactory(shared_in=people.alice.organization)
    for member, corpus in own.items():
        assign_corpus(open_agent, corpus.pk, member)
    assign_corpus(open_agent, shared.pk, people.ada)
    for member in (people.alice, people.bob, people.ada):
        rows = with_key(member).get(f"/api/agents/{open_agent.pk}/corpora/").json()["results"]
        mine = {str(own[member].pk)} if member in own else set()
        assert {row["corpus"] for row in rows} == {str(shared.pk)} | mine
