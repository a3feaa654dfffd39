"""Moves, deletions and restorations of the same documents at the same moment: one of them wins, and all is whole."""

from collections import Counter
from functools import partial
from uuid import UUID

import pytest

from accounts.models import AuditEvent, Membership
from accounts.problems import Problem
from corpora import removal
from corpora.models import Corpus, Document
from corpora.rows import moving
from corpora.rows.counting.mending import mend_counts
from corpora.tests.test_originals import at_once
from tests.factories import CorpusFactory, DocumentFactory, MembershipFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice() -> Membership:
    return MembershipFactory()


@pytest.fixture
def corpora(alice: Membership) -> list[Corpus]:
    return [CorpusFactory(personal_of=alice) for _ in range(3)]


@pytest.fixture
def documents(corpora: list[Corpus]) -> list[Document]:
    return [DocumentFactory(corpus=corpora[0], text=f"Text {n}. " * 9) for n in range(6)]


def whereabouts() -> dict[UUID, UUID]:
    return dict(Document.objects.alive().values_list("pk", "corpus"))


def test_of_moves_to_two_places_each_document_takes_one(
    alice: Membership, corpora: list[Corpus], documents: list[Document]
) -> None:
    orders = [documents, documents[::-1]] * 4
    works = [partial(moving.move_documents, one, corpora[1 + n % 2], alice) for n, one in enumerate(orders)]
    done = at_once(works)
    assert all(isinstance(one, moving.Move) for one in done), done
    assert corpora[0].pk not in whereabouts().values()
    assert AuditEvent.objects.filter(action="moved").count() == sum(one.moved for one in done)
    assert mend_counts() == 0


def test_there_and_back_at_once_ends_in_one_place_each(
    alice: Membership, corpora: list[Corpus], documents: list[Document]
) -> None:
    """Two corpora locked in either order would wait for each other for ever."""
    others = [DocumentFactory(corpus=corpora[1], text=f"Other {n}. " * 9) for n in range(6)]
    works = [
        *(partial(moving.move_documents, documents, corpora[1], alice) for _ in range(4)),
        *(partial(moving.move_documents, others, corpora[0], alice) for _ in range(4)),
    ]
    done = at_once(works)
    assert sum(one.moved for one in done) == 12, done
    assert Counter(whereabouts().values()) == {corpora[0].pk: 6, corpora[1].pk: 6}
    assert mend_counts() == 0


def test_moved_and_deleted_at_once_a_document_is_alive_where_it_is_or_in_the_trash(
    alice: Membership, corpora: list[Corpus], documents: list[Document]
) -> None:
    works = [
        *(partial(moving.move_documents, documents, corpora[1], alice) for _ in range(3)),
        *(partial(removal.remove_documents, documents[n::3], alice) for n in range(3)),
    ]
    refused = [one for one in at_once(works) if isinstance(one, Exception)]
    assert refused == []
    moved = Document.objects.filter(corpus=corpora[1]).count()
    deleted = Document.objects.filter(corpus=corpora[0]).exclude(deleted_at=None).count()
    assert moved + deleted == 6
    assert mend_counts() == 0


def test_no_document_is_alive_in_a_corpus_that_is_deleted_as_it_comes(
    alice: Membership, corpora: list[Corpus], documents: list[Document]
) -> None:
    works = [
        *(partial(moving.move_documents, documents[n : n + 1], corpora[1], alice) for n in range(6)),
        partial(removal.remove_corpus, corpora[1], alice),
        partial(removal.remove_corpus, corpora[0], alice),
    ]
    done = at_once(works)
    assert all(isinstance(one, Problem) for one in done if isinstance(one, Exception)), done
    assert whereabouts() == {}
    for one in corpora[:2]:
        removal.restore_corpus(Corpus.objects.get(pk=one.pk), alice)
    assert len(whereabouts()) == 6
    assert mend_counts() == 0
