"""Who sees and changes which corpora, documents and chunks; what a scope confirms (SPEC §2)."""

from dataclasses import replace
from typing import Any

import pytest
from django.utils import timezone

from corpora.models import Chunk, Corpus, Document
from corpora.scope import Scope
from tests.factories import CorpusFactory, DocumentFactory
from tests.people import People

pytestmark = pytest.mark.django_db


@pytest.fixture
def named(people: People) -> dict[str, Corpus]:
    """One corpus of each kind that matters, each with a document; by name."""
    made: dict[str, Corpus] = {
        "alices": CorpusFactory(personal_of=people.alice),
        "bobs": CorpusFactory(personal_of=people.bob),
        "shared": CorpusFactory(shared_in=people.alice.organization),
        "alices elsewhere": CorpusFactory(personal_of=people.alice_elsewhere),
        "charlies": CorpusFactory(personal_of=people.charlie),
        "shared elsewhere": CorpusFactory(shared_in=people.charlie.organization),
        "deleted": CorpusFactory(personal_of=people.alice, deleted_at=timezone.now()),
        "shared and deleted": CorpusFactory(shared_in=people.alice.organization, deleted_at=timezone.now()),
        "switched off": CorpusFactory(personal_of=people.alice, is_active=False),
    }
    for corpus in made.values():
        DocumentFactory(corpus=corpus)
    return made


def names(named: dict[str, Corpus], corpus_ids: Any) -> set[str]:
    return {name for name, corpus in named.items() if corpus.pk in set(corpus_ids)}


READABLE = {
    "alice": {"alices", "shared", "switched off"},
    "bob": {"bobs", "shared"},
    "ada": {"shared"},
    "charlie": {"charlies", "shared elsewhere"},
    "zoe": {"shared elsewhere"},
    "alice_elsewhere": {"alices elsewhere", "shared elsewhere"},
}
WRITABLE = {
    "alice": {"alices", "switched off"},
    "bob": {"bobs"},
    "ada": {"shared"},
    "charlie": {"charlies"},
    "zoe": {"shared elsewhere"},
    "alice_elsewhere": {"alices elsewhere"},
}


@pytest.mark.parametrize("who", READABLE)
def test_a_member_reads_the_own_and_the_global_corpora_of_the_organization(
    who: str, people: People, named: dict[str, Corpus]
) -> None:
    member = getattr(people, who)
    assert names(named, Corpus.objects.readable_by(member).values_list("pk", flat=True)) == READABLE[who]
    for found in (
        Document.objects.readable_by(member).values_list("corpus", flat=True),
        Chunk.objects.readable_by(member).values_list("document__corpus", flat=True),
    ):
        assert names(named, found) == READABLE[who]


@pytest.mark.parametrize("who", WRITABLE)
def test_a_member_changes_the_own_corpora_and_an_admin_the_global_ones(
    who: str, people: People, named: dict[str, Corpus]
) -> None:
    member = getattr(people, who)
    assert names(named, Corpus.objects.writable_by(member).values_list("pk", flat=True)) == WRITABLE[who]
    assert names(named, Document.objects.writable_by(member).values_list("corpus", flat=True)) == WRITABLE[who]


def test_a_scope_confirms_what_it_names_and_the_database_still_grants(people: People, named: dict[str, Corpus]) -> None:
    """A scope that names everything in both tiers: organization, owner and state are looked at again."""
    everything = frozenset(corpus.pk for corpus in named.values())
    scope = Scope(people.alice.organization_id, people.alice.user_id, everything, everything)
    for found in (
        Document.objects.in_scope(scope).values_list("corpus", flat=True),
        Chunk.objects.in_scope(scope).values_list("document__corpus", flat=True),
    ):
        assert names(named, found) == {"alices", "shared"}


def test_a_scope_confirms_nothing_that_it_does_not_name(people: People, named: dict[str, Corpus]) -> None:
    scope = Scope(people.alice.organization_id, people.alice.user_id)
    assert not Chunk.objects.in_scope(scope).exists()
    wrong_tiers = replace(
        scope, global_ids=frozenset([named["alices"].pk]), personal_ids=frozenset([named["shared"].pk])
    )
    assert not Chunk.objects.in_scope(wrong_tiers).exists()


@pytest.mark.parametrize("change", [{"deleted_at": timezone.now()}, {"version": 2}])
def test_chunks_of_deleted_documents_and_of_other_versions_are_not_served(
    change: dict[str, Any], people: People
) -> None:
    corpus = CorpusFactory(personal_of=people.alice)
    document = DocumentFactory(corpus=corpus)
    scope = Scope(people.alice.organization_id, people.alice.user_id, personal_ids=frozenset([corpus.pk]))
    assert Chunk.objects.in_scope(scope).exists()
    Document.objects.filter(pk=document.pk).update(**change)
    assert not Chunk.objects.in_scope(scope).exists()
    assert not Chunk.objects.readable_by(people.alice).exists()


def test_a_scope_is_narrowed_in_its_personal_tier_alone(people: People) -> None:
    first, second, shared, foreign = (CorpusFactory().pk for _ in range(4))
    scope = Scope(people.alice.organization_id, people.alice.user_id, frozenset([shared]), frozenset([first, second]))
    assert scope.narrowed_to([first, foreign]) == replace(scope, personal_ids=frozenset([first]))
    assert scope.narrowed_to([]).corpus_ids == {shared}
    assert not scope.is_empty
    assert Scope(scope.organization_id, scope.user_id).is_empty
