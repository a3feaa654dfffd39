"""What was moved is found where it is now and nowhere else, whatever a worker was doing and however it ended."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from agents.models import Agent, Assignment
from chat.answering.questions import ChatQuestion
from chat.models import Citation, Export
from corpora import removal
from corpora.models import Chunk, Corpus, Document, ErasureReceipt
from corpora.reader.kept_pages import keep_page
from corpora.rows import moving
from corpora.uploads import intake
from corpora.uploads.inventory import stored_names
from retrieval.index.base import IndexUnavailable
from retrieval.spaces.opened import current_index
from tests import factories
from tests.asking import search_for
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, ABOUT_NOVEL, Library
from tests.two_tiers_walls import violations
from workers.erasure.corpora import erase_deleted_corpora
from workers.ingestion import pipeline
from workers.jobs import cut, erase, presence
from workers.queue import claims
from workers.upkeep import reconcile, space_filling

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def notes(library: Library) -> Document:
    Agent.objects.update(min_relevance=0.0)
    return library.notes.documents.get()


@pytest.fixture
def drafts(library: Library) -> Corpus:
    """Another corpus of Alicia's, which another agent reads."""
    corpus = factories.CorpusFactory(personal_of=library.alicia, name="Borradores")
    reader = factories.AgentFactory(
        slug="reader", organization=library.alicia.organization, allows_personal_corpus=True, min_relevance=0.0
    )
    Assignment.objects.create(agent=reader, corpus=corpus)
    return corpus


def found(library: Library, agent: str, who: str = "alicia", about: str = ABOUT_NOVEL) -> list[UUID]:
    """The documents of all passages, each as often as it has one."""
    answer = search_for(getattr(library, who), agent, ChatQuestion(about))
    return [one.document for one in answer.retrieval.chunks]


def places(document: Document) -> set[str]:
    """The corpora that its points name."""
    return {one.corpus for one in current_index().point_owners() if one.document == document.pk}


def row_of(document: Document) -> Document:
    return Document.objects.get(pk=document.pk)


def test_it_is_found_by_who_reads_the_new_corpus_and_by_nobody_else(
    library: Library, notes: Document, drafts: Corpus
) -> None:
    before = violations()
    assert (notes.pk in found(library, "writer"), found(library, "reader")) == (True, [])
    moving.move_documents([notes], drafts, library.alicia)
    assert notes.pk not in found(library, "writer"), "before the index has followed"
    assert found(library, "reader") == []
    assert presence.follow_next() is True
    assert presence.follow_next() is False
    assert notes.pk not in found(library, "writer")
    assert found(library, "reader") == [notes.pk], "once"
    assert current_index().count(notes.pk) == notes.chunk_count
    assert places(notes) == {str(drafts.pk)}
    assert violations() == before, "what the index was behind in is no hole in it"


def test_what_is_given_to_everybody_is_found_by_everybody_and_no_more_when_it_is_taken_back(
    library: Library, notes: Document
) -> None:
    own = factories.CorpusFactory(personal_of=library.admin)
    loans = library.loans.documents.get()
    moving.move_documents([loans], own, library.admin)
    presence.follow_next()
    assert [loans.pk in found(library, "writer", who, ABOUT_LOANS) for who in ("bob", "admin")] == [False, False]
    moving.move_documents([row_of(loans)], library.loans, library.admin)
    presence.follow_next()
    assert [loans.pk in found(library, "writer", who, ABOUT_LOANS) for who in ("bob", "admin")] == [True, True]


def test_moved_on_before_the_index_has_followed_it_is_found_in_the_last_place_alone(
    library: Library, notes: Document, drafts: Corpus
) -> None:
    before, third = violations(), factories.CorpusFactory(personal_of=library.alicia)
    Assignment.objects.create(agent=library.writer, corpus=third)
    moving.move_documents([notes], drafts, library.alicia)
    moving.move_documents([row_of(notes)], third, library.alicia)
    Assignment.objects.filter(corpus=library.notes).delete()
    Assignment.objects.create(agent=Agent.objects.get(slug="reader"), corpus=library.notes)
    assert found(library, "reader") == [], "its points name the first place, which this agent reads"
    assert violations() == before
    presence.follow_next()
    assert (found(library, "reader"), notes.pk in found(library, "writer")) == ([], True)


def test_moved_while_its_points_are_written_they_are_written_again(
    library: Library, notes: Document, drafts: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    upsert = type(current_index()).upsert

    def then_moved_back(self: Any, points: Any) -> None:
        if row_of(notes).corpus == drafts:
            moving.move_documents([row_of(notes)], library.notes, library.alicia)
        upsert(self, points)

    moving.move_documents([notes], drafts, library.alicia)
    monkeypatch.setattr(type(current_index()), "upsert", then_moved_back)
    assert presence.follow_next() is True
    assert places(notes) == {str(library.notes.pk)}
    assert row_of(notes).presence_changed_at is None


@pytest.mark.parametrize("after", [False, True], ids=["before it writes", "after it has written"])
def test_a_worker_that_is_killed_as_the_index_follows_is_followed_by_another(
    library: Library, notes: Document, drafts: Corpus, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    class Killed(BaseException):
        pass

    upsert = type(current_index()).upsert

    def killed(self: Any, points: Any) -> None:
        if after:
            upsert(self, points)
        raise Killed

    moving.move_documents([notes], drafts, library.alicia)
    with monkeypatch.context() as patched:
        patched.setattr(type(current_index()), "upsert", killed)
        with pytest.raises(Killed):
            presence.follow_next()
    assert presence.follow_next() is False, "it is still held"
    assert notes.pk not in found(library, "writer")
    Document.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    assert presence.follow_next() is True
    assert found(library, "reader") == [notes.pk]


def test_an_index_that_is_down_leaves_the_mark(
    library: Library, notes: Document, drafts: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down() -> Any:
        raise IndexUnavailable

    moving.move_documents([notes], drafts, library.alicia)
    with monkeypatch.context() as patched:
        patched.setattr(presence, "write_targets", down)
        assert presence.follow_next() is True
    Document.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    assert presence.follow_next() is True
    assert found(library, "reader") == [notes.pk]


def test_moving_pays_for_no_embedding(all_models: ModelServer, library: Library, drafts: Corpus) -> None:
    document = library.notes.documents.get()
    paid = all_models.stats()["embed_items"]
    moving.move_documents([document], drafts, library.alicia)
    presence.follow_next()
    assert all_models.stats()["embed_items"] == paid
    assert places(document) == {str(drafts.pk)}


def test_moved_in_work_its_worker_stops_and_another_begins_anew(
    library: Library, notes: Document, drafts: Corpus, worker: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the first had written under the corpus before is gone from the index when the second is done."""
    switch = pipeline.VersionWriter.switch

    def moved_first(self: Any) -> None:
        if row_of(notes).corpus != drafts:
            moving.move_documents([row_of(notes)], drafts, library.alicia)
        switch(self)

    intake.reprocess(notes, library.alicia)
    with monkeypatch.context() as patched:
        patched.setattr(pipeline.VersionWriter, "switch", moved_first)
        assert worker() == 0, "its worker lost it"
    assert (row_of(notes).status, row_of(notes).version) == ("pending", 1)
    assert notes.pk not in found(library, "writer")
    assert worker() == 1
    while presence.follow_next():
        pass
    assert (row_of(notes).version, current_index().count(notes.pk)) == (2, notes.chunk_count)
    assert places(notes) == {str(drafts.pk)}
    assert found(library, "reader") == [notes.pk]


def test_points_that_a_worker_writes_late_under_the_corpus_before_are_written_anew(
    library: Library, notes: Document, drafts: Corpus, worker: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    upsert, late = type(current_index()).upsert, list[Any]()

    def overtaken(self: Any, points: Any) -> None:
        """Asleep while the document is moved, taken up by another worker and indexed."""
        written = list(points)
        if not late:
            late.append(written)
            moving.move_documents([row_of(notes)], drafts, library.alicia)
            assert pipeline.ingest_if_due(notes.pk)
            while presence.follow_next():
                pass
        upsert(self, written)

    intake.reprocess(notes, library.alicia)
    monkeypatch.setattr(type(current_index()), "upsert", overtaken)
    assert worker() == 0
    assert str(library.notes.pk) in places(notes), "as if nothing had happened"
    assert notes.pk not in found(library, "writer")
    assert presence.follow_next() is True
    assert places(notes) == {str(drafts.pk)}
    assert found(library, "reader") == [notes.pk]


def test_a_space_that_is_filled_meanwhile_has_it_followed(library: Library, notes: Document, drafts: Corpus) -> None:
    chunks = list(space_filling.served_chunks_of([notes.pk]))
    moving.move_documents([notes], drafts, library.alicia)
    presence.follow_next()
    (target,) = presence.write_targets()
    space_filling.write_chunks(target, chunks)
    assert str(library.notes.pk) in places(notes)
    assert presence.follow_next() is True
    assert places(notes) == {str(drafts.pk)}


def test_moved_and_deleted_and_restored_it_is_found_where_it_was_moved_to(
    library: Library, notes: Document, drafts: Corpus
) -> None:
    moving.move_documents([notes], drafts, library.alicia)
    removal.remove_document(row_of(notes), library.alicia)
    presence.follow_next()
    assert current_index().count(notes.pk) == 0
    removal.restore_document(row_of(notes), library.alicia)
    presence.follow_next()
    assert found(library, "reader") == [notes.pk]


def test_moved_and_deleted_and_restored_before_the_index_has_followed_any_of_it(
    library: Library, notes: Document, drafts: Corpus
) -> None:
    moving.move_documents([notes], drafts, library.alicia)
    removal.remove_document(row_of(notes), library.alicia)
    removal.restore_document(row_of(notes), library.alicia)
    assert presence.follow_next() is True
    assert (found(library, "reader"), places(notes)) == ([notes.pk], {str(drafts.pk)})


def test_an_adaptive_agent_has_it_cut_to_its_sizes(
    library: Library, notes: Document, drafts: Corpus, worker: Callable[[], int]
) -> None:
    Agent.objects.filter(slug="reader").update(adaptive=True)
    moving.move_documents([notes], drafts, library.alicia)
    presence.follow_next()
    assert cut.cut_next() is True
    assert worker() == 1
    served = Chunk.objects.served().filter(document=notes)
    assert set(served.values_list("granularity", flat=True)) == {256, 512, 800, 1024}
    assert places(notes) == {str(drafts.pk)}


def test_the_reconciler_finds_what_the_index_has_in_another_corpus(
    library: Library, notes: Document, drafts: Corpus, worker: Callable[[], int]
) -> None:
    moving.move_documents([notes], drafts, library.alicia)
    assert reconcile.reconcile().misowned == 0, "a worker will follow"
    Document.objects.update(presence_changed_at=None)
    assert reconcile.reconcile().misowned == 1
    assert worker() == 1
    assert found(library, "reader") == [notes.pk]
    assert reconcile.reconcile().misowned == 0


def test_citations_of_before_open_it_where_it_is_for_who_may_read_it(
    library: Library, notes: Document, drafts: Corpus
) -> None:
    answer = search_for(library.alicia, "writer", ChatQuestion(ABOUT_NOVEL))
    moving.move_documents([notes], drafts, library.alicia)
    presence.follow_next()
    cited = Citation.objects.get(message_id=answer.message, document=notes)
    assert cited.snippet
    assert Chunk.objects.readable_by(library.alicia).filter(pk=cited.chunk_id).exists()
    assert not Chunk.objects.readable_by(library.bob).filter(pk=cited.chunk_id).exists()


def test_the_corpus_that_it_came_from_is_erased_and_it_stays(library: Library, notes: Document, drafts: Corpus) -> None:
    moving.move_documents([notes], drafts, library.alicia)
    presence.follow_next()
    removal.remove_corpus(library.notes, library.alicia, at_once=True)
    assert erase_deleted_corpora() == 1
    assert not Corpus.objects.filter(pk=library.notes.pk).exists()
    assert Path(row_of(notes).file.path).exists()
    assert found(library, "reader") == [notes.pk]
    report = reconcile.reconcile()
    assert (report.documents_requeued, report.misowned, report.originals_missing, report.files_unnamed) == (0, 0, 0, 0)


def test_erased_after_a_move_it_leaves_nothing_behind_in_either_corpus(
    library: Library, notes: Document, drafts: Corpus, settings: Any
) -> None:
    assert keep_page(notes, 1, 200, b"image before") is not None
    moving.move_documents([notes], drafts, library.alicia)
    presence.follow_next()
    assert keep_page(row_of(notes), 2, 200, b"image after") is not None
    removal.remove_document(row_of(notes), library.alicia, at_once=True)
    assert erase.erase(notes.pk) is True
    assert current_index().count(notes.pk) == 0
    assert not [name for name in stored_names("") if str(notes.pk) in name and not name.startswith("receipts/")]
    receipt = ErasureReceipt.objects.get()
    assert (receipt.removed["files"], receipt.removed["page images"], receipt.verified) == (1, 2, True)


def test_what_was_everybodys_before_it_was_moved_leaves_everybodys_exports(
    library: Library, notes: Document, drafts: Corpus
) -> None:
    member = library.bob
    export = Export.objects.create(
        organization=member.organization, owner=member.user, status=Export.Status.DONE, file="export.zip"
    )
    own = factories.CorpusFactory(personal_of=library.admin)
    loans = library.loans.documents.get()
    moving.move_documents([loans], own, library.admin)
    for document, by in ((notes, library.alicia), (row_of(loans), library.admin)):
        removal.remove_document(document, by, at_once=True)
    assert erase.erase(notes.pk) is True
    export.refresh_from_db()
    assert export.file == "export.zip", "of Alicia's own it has nothing"
    assert erase.erase(loans.pk) is True
    export.refresh_from_db()
    assert export.file == ""


def test_a_move_and_a_deletion_of_the_corpus_leave_no_document_in_a_deleted_one(
    library: Library, notes: Document, drafts: Corpus
) -> None:
    removal.remove_corpus(drafts, library.alicia)
    with pytest.raises(moving.NotFound):
        moving.move_documents([notes], drafts, library.alicia)
    assert row_of(notes).corpus == library.notes
    assert claims.claim_presence(notes.pk) is None
