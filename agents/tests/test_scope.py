"""The scope: what one member may read through one agent, computed anew for every question (SPEC §2)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts import members
from accounts.models import Membership
from agents.assignments import unassign_corpus
from agents.models import Agent, Assignment
from corpora import removal
from corpora.models import Corpus
from tests.factories import AgentFactory, AssignmentFactory, CorpusFactory
from tests.people import People

pytestmark = pytest.mark.django_db


@dataclass(frozen=True, slots=True)
class Library:
    """An agent with both tiers: a global corpus, Alice's and Bob's own."""

    people: People
    agent: Agent
    shared: Corpus
    alices: Corpus
    bobs: Corpus

    def scope(self, member: Membership) -> set[Any]:
        return set(Agent.objects.get(pk=self.agent.pk).scope_for(member).corpus_ids)


@pytest.fixture
def library(people: People) -> Library:
    agent = AgentFactory(organization=people.alice.organization, allows_personal_corpus=True)
    shared = CorpusFactory(shared_in=people.alice.organization)
    alices, bobs = CorpusFactory(personal_of=people.alice), CorpusFactory(personal_of=people.bob)
    for corpus in (shared, alices, bobs):
        AssignmentFactory(agent=agent, corpus=corpus)
    CorpusFactory(personal_of=people.alice)  # assigned to nobody
    return Library(people, agent, shared, alices, bobs)


def test_each_member_reads_the_global_corpora_and_the_own(library: Library) -> None:
    people = library.people
    assert library.scope(people.alice) == {library.shared.pk, library.alices.pk}
    assert library.scope(people.bob) == {library.shared.pk, library.bobs.pk}
    assert library.scope(people.ada) == {library.shared.pk}, "an admin reads nobody's notes"


def test_the_tiers_are_told_apart(library: Library) -> None:
    scope = library.agent.scope_for(library.people.alice)
    assert (scope.global_ids, scope.personal_ids) == ({library.shared.pk}, {library.alices.pk})
    assert (scope.organization_id, scope.user_id) == (
        *(library.people.alice.organization_id,),
        library.people.alice.user_id,
    )


@pytest.mark.parametrize("who", ["charlie", "zoe", "alice_elsewhere"])
def test_a_member_of_another_organization_reads_nothing(who: str, library: Library) -> None:
    assert library.scope(getattr(library.people, who)) == set()


def test_a_corpus_in_several_agents_is_read_through_each_by_its_own_rule(library: Library) -> None:
    """Another agent's permission does not leak into this one."""
    closed = AgentFactory(organization=library.agent.organization, allows_personal_corpus=True)
    AssignmentFactory(agent=closed, corpus=library.alices)
    Agent.objects.filter(pk=closed.pk).update(allows_personal_corpus=False)
    closed.refresh_from_db()
    assert closed.scope_for(library.people.alice).is_empty
    assert library.alices.pk in library.scope(library.people.alice)


Change = Callable[[Library], Any]
CHANGES: dict[str, tuple[Change, set[str]]] = {
    "personal corpora are turned off": (
        lambda library: Agent.objects.filter(pk=library.agent.pk).update(allows_personal_corpus=False),
        {"shared"},
    ),
    "the agent is switched off": (
        lambda library: Agent.objects.filter(pk=library.agent.pk).update(is_active=False),
        set(),
    ),
    "the own corpus is switched off": (
        lambda library: Corpus.objects.filter(pk=library.alices.pk).update(is_active=False),
        {"shared"},
    ),
    "the own corpus is deleted": (
        lambda library: removal.remove_corpus(library.alices, library.people.alice),
        {"shared"},
    ),
    "the own corpus is taken back": (
        lambda library: unassign_corpus(library.agent, library.alices.pk, library.people.alice),
        {"shared"},
    ),
    "the global corpus is switched off": (
        lambda library: Corpus.objects.filter(pk=library.shared.pk).update(is_active=False),
        {"alices"},
    ),
    "the global corpus is deleted": (
        lambda library: Corpus.objects.filter(pk=library.shared.pk).update(deleted_at=timezone.now()),
        {"alices"},
    ),
    "the member is removed": (lambda library: members.end_membership(library.people.alice, library.people.ada), set()),
    "the corpus changes hands": (
        lambda library: Corpus.objects.filter(pk=library.alices.pk).update(owner=library.people.bob.user),
        {"shared"},
    ),
    "the assignment is smuggled past the model": (
        lambda library: Assignment.objects.bulk_create(
            [Assignment(agent=library.agent, corpus=CorpusFactory(personal_of=library.people.charlie))]
        ),
        {"shared", "alices"},
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_obeyed_at_the_next_question(change: str, library: Library) -> None:
    act, left = CHANGES[change]
    alice = Membership.objects.select_related("user", "organization").get(pk=library.people.alice.pk)
    act(library)
    assert library.scope(alice) == {getattr(library, name).pk for name in left}


def test_whoever_comes_back_finds_the_own_corpora_again(library: Library) -> None:
    alice = library.people.alice
    user, organization = alice.user, alice.organization
    members.end_membership(alice, library.people.ada)
    again = Membership.objects.create(user=user, organization=organization)
    assert library.scope(again) == {library.shared.pk, library.alices.pk}


def test_a_scope_costs_one_query_and_is_never_remembered(
    library: Library, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(2):
        with django_assert_num_queries(1):
            library.agent.scope_for(library.people.alice)
