"""Database and index compared both ways, and metadata that follows without embedding again (SPEC §3)."""

from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from django.utils import timezone

from chat.answering.questions import ChatQuestion
from corpora.descriptions import describe
from corpora.models import Chunk, Corpus, Document
from corpora.uploads import intake
from retrieval.index.base import Point, SparseVector
from retrieval.spaces.opened import current_index
from tests.asking import search_for
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, Library
from workers.ingestion import pipeline
from workers.jobs import metadata
from workers.queue import claims
from workers.upkeep import reconcile as reconciler
from workers.upkeep.reconcile import Report, reconcile

pytestmark = pytest.mark.django_db(transaction=True)


def stray(document: UUID, version: int = 1) -> UUID:
    """A point that nothing stands behind."""
    point = uuid4()
    vector = np.zeros(1536, dtype=np.float32)
    vector[0] = 1.0
    payload = {"document_id": str(document), "version": version, "organization_id": str(uuid4()), "granularity": "800"}
    current_index().upsert([Point(point, vector, SparseVector((1,), (1.0,)), payload)])
    return point


def points() -> set[UUID]:
    return {point for point, _ in current_index().point_ids()}


def chunks() -> set[UUID]:
    return set(Chunk.objects.served().values_list("pk", flat=True))


def test_where_both_agree_nothing_happens(library: Library) -> None:
    assert reconcile() == Report(points=2, orphans_removed=0, documents_requeued=0)
    assert points() == chunks()


def test_points_without_a_chunk_are_removed(library: Library) -> None:
    known = library.notes.documents.get()
    for document in (uuid4(), known.pk):
        stray(document)
    assert reconcile() == Report(points=4, orphans_removed=2, documents_requeued=0)
    assert points() == chunks()


def test_documents_of_which_points_are_missing_are_queued_again(
    library: Library, worker: Callable[[], int], hints: list[str]
) -> None:
    document = library.notes.documents.get()
    current_index().delete_points([document.chunks.get().pk])
    assert reconcile().documents_requeued == 1
    assert hints[-1] == "ingestion"
    assert document.chunks.count() == 1, "the rows stay until the new version is there"
    assert worker() == 1
    assert points() == chunks()
    assert reconcile().documents_requeued == 0


def test_a_personal_corpus_that_the_index_gives_to_somebody_else_is_found_again(
    library: Library, worker: Callable[[], int]
) -> None:
    """As after a move that gave people new ids: the rows follow each other, the points do not."""
    Corpus.objects.filter(pk=library.notes.pk).update(owner=library.bob.user)
    owned = library.notes.owner_id
    assert reconcile() == Report(points=2, orphans_removed=0, documents_requeued=1, misowned=1)
    assert worker() == 1
    assert (
        [one.user for one in current_index().point_owners() if one.user] == [str(library.bob.user_id)] != [str(owned)]
    )
    assert reconcile() == Report(points=2, orphans_removed=0, documents_requeued=0)


@pytest.mark.parametrize("status", ["pending", "processing"])
def test_points_of_a_document_in_work_are_left_alone(library: Library, status: str) -> None:
    document = library.notes.documents.get()
    ahead = stray(document.pk, version=2)
    Document.objects.filter(pk=document.pk).update(status=status)
    assert reconcile().orphans_removed == 0
    assert ahead in points()


def test_points_of_an_abandoned_version_go_when_the_document_has_failed(library: Library) -> None:
    document = library.notes.documents.get()
    stray(document.pk, version=2)
    Document.objects.filter(pk=document.pk).update(status="failed")
    assert reconcile().orphans_removed == 1
    assert points() == chunks()


def test_a_document_that_is_indexed_while_the_index_is_read_is_neither_orphan_nor_missing(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its new points are not in the pages that were read before, and its old ones are gone from the rows."""
    document = library.notes.documents.get()
    batches = reconciler.owner_batches

    def switched_meanwhile(owners: Any) -> Iterator[Any]:
        read = list(batches(owners))
        intake.reprocess(document, library.alicia)
        assert pipeline.ingest_if_due(document.pk)
        yield from read

    monkeypatch.setattr(reconciler, "owner_batches", switched_meanwhile)
    assert reconcile().documents_requeued == 0
    assert points() == chunks()


def test_a_document_that_ends_between_the_two_questions_keeps_its_points(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = library.notes.documents.get()
    intake.reprocess(document, library.alicia)
    lease = claims.claim_ingestion(document.pk)
    assert lease is not None
    new = stray(document.pk, version=2)
    asked = reconciler.documents_in_work

    def then_it_ends(ids: set[UUID]) -> set[UUID]:
        working = asked(ids)
        Chunk.objects.filter(document=document).update(id=new, version=2)
        lease.finish(2, chunk_count=1)
        return working

    monkeypatch.setattr(reconciler, "documents_in_work", then_it_ends)
    reconcile()
    assert new in points()


def test_half_an_upsert_is_neither_served_nor_kept(library: Library) -> None:
    document = library.notes.documents.get()

    stray(document.pk, version=2)
    found = search_for(library.alicia, "writer", ChatQuestion(ABOUT_LOANS)).retrieval
    assert {one.chunk for one in found.chunks} <= chunks()
    reconcile()
    assert points() == chunks()


def test_edited_metadata_reaches_the_index_without_embedding_again(library: Library, chat_model: ModelServer) -> None:
    document = library.loans.documents.get()

    def found(**filters: tuple[str, ...]) -> set[str]:
        answer = search_for(library.alicia, "writer", ChatQuestion(ABOUT_LOANS, filters=filters))
        return {one.title for one in answer.retrieval.chunks}

    assert found(unit=("3",)) == set()
    describe(document, library.admin, unit="3", tags=["plazos"])
    assert metadata.copy_next()
    assert found(unit=("3",)) == {"Préstamos"}
    assert found(tags=("plazos",)) == {"Préstamos"}
    assert found(tags=("normas",)) == set()
    assert Document.objects.get(pk=document.pk).version == 1
    assert chat_model.stats()["embed_items"] == 0


def test_metadata_of_a_deleted_document_is_not_written(library: Library) -> None:
    Document.objects.update(deleted_at=timezone.now(), metadata_changed_at=timezone.now())
    assert not metadata.copy_next()
