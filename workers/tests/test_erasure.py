"""Deletion leaves nothing behind, and proves it (SPEC §3, "Deleting")."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from agents.models import Agent
from chat.answering.questions import ChatQuestion
from chat.models import Citation, Message
from corpora import removal
from corpora.models import Chunk, Corpus, Document, DocumentText, ErasureReceipt
from corpora.uploads import intake
from retrieval.index.base import IndexUnavailable
from retrieval.models import CachedEmbedding
from retrieval.spaces.opened import current_index
from tests import factories
from tests.asking import search_for
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_NOVEL, Library, upload
from workers.jobs import erase
from workers.queue import claims
from workers.upkeep import tidy

pytestmark = pytest.mark.django_db(transaction=True)
SECRET = "Ofelia Marchena"


@pytest.fixture
def paid_library(all_models: ModelServer, request: pytest.FixtureRequest) -> Library:
    """The library with embeddings that were paid for, so that they are cached."""
    built: Library = request.getfixturevalue("library")
    Agent.objects.update(min_relevance=0.0)  # the fake's vectors say little
    return built


def test_a_deleted_document_leaves_nothing_behind(paid_library: Library) -> None:
    library = paid_library
    answer = search_for(library.alicia, "writer", ChatQuestion(ABOUT_NOVEL))
    assert Citation.objects.filter(message_id=answer.message, snippet__contains=SECRET).exists()
    document = library.notes.documents.get()
    path = Path(document.file.path)
    hashes = set(document.chunks.values_list("text_hash", flat=True))
    removal.remove_document(document, library.alicia, at_once=True)
    assert erase.erase(document.pk) is True
    assert current_index().count(document.pk) == 0
    assert not path.exists()
    assert not Document.objects.filter(pk=document.pk).exists()
    assert not Chunk.objects.filter(text__contains=SECRET).exists()
    assert not DocumentText.objects.filter(text__contains=SECRET).exists()
    assert not CachedEmbedding.objects.filter(text_hash__in=hashes).exists()
    assert not Citation.objects.filter(snippet__contains=SECRET).exists()
    assert Message.objects.filter(pk=answer.message).exists(), "the conversation is its owner's"
    receipt = ErasureReceipt.objects.get()
    assert (receipt.subject_id, receipt.organization) == (document.pk, library.alicia.organization)
    everything = ("documents", "points", "files", "snippets", "chunks", "texts", "embeddings")
    assert {name: count for name, count in receipt.removed.items() if count} == dict.fromkeys(everything, 1)
    assert receipt.verified
    assert SECRET not in str(receipt.removed)


def test_no_byte_of_it_is_left_in_the_data_folder(paid_library: Library) -> None:
    document = paid_library.notes.documents.get()
    removal.remove_document(document, paid_library.alicia, at_once=True)
    erase.erase(document.pk)
    left = [path for path in (Path(settings.DATA_DIR) / "files").rglob("*") if path.is_file()]
    assert [SECRET.encode() in path.read_bytes() for path in left] == [False] * len(left)
    names = sorted(path.suffix for path in left)
    assert names == [".json", ".md"], "the tombstone, and the other corpus' document"


def test_what_another_document_shares_stays(paid_library: Library) -> None:
    library = paid_library
    document = library.notes.documents.get()
    with document.file.open("rb") as original:
        twin = upload(library.notes, library.alicia, "copia.md", original.read(), title="Personajes", tags=["novela"])
    from workers.ingestion import pipeline

    pipeline.ingest_if_due(twin.pk)
    hashes = set(document.chunks.values_list("text_hash", flat=True))
    assert hashes == set(twin.chunks.values_list("text_hash", flat=True))
    removal.remove_document(document, library.alicia, at_once=True)
    erase.erase(document.pk)
    assert ErasureReceipt.objects.get().removed["embeddings"] == 0
    assert CachedEmbedding.objects.filter(text_hash__in=hashes).count() == len(hashes)
    assert current_index().count(twin.pk) == 1


def test_what_is_not_deleted_is_not_erased(library: Library) -> None:
    document = library.notes.documents.get()
    assert erase.erase(document.pk) is False
    assert erase.erase(uuid4()) is False
    assert current_index().count(document.pk) == 1


def test_erasing_twice_is_erasing_once(library: Library) -> None:
    document = library.notes.documents.get()
    removal.remove_document(document, library.alicia, at_once=True)
    assert [erase.erase(document.pk) for _ in range(2)] == [True, False]
    assert ErasureReceipt.objects.count() == 1


def test_a_document_in_work_is_erased_when_its_worker_is_done(library: Library) -> None:
    document = library.notes.documents.get()
    intake.reprocess(document, library.alicia)
    lease = claims.claim_ingestion(document.pk)
    assert lease is not None
    removal.remove_document(document, library.alicia, at_once=True)
    assert erase.erase(document.pk) is False
    assert lease.let_go()
    assert erase.erase(document.pk) is True


def test_a_document_of_a_dead_worker_is_erased_when_its_lease_ends(library: Library) -> None:
    document = library.notes.documents.get()
    intake.reprocess(document, library.alicia)
    claims.claim_ingestion(document.pk)
    removal.remove_document(document, library.alicia, at_once=True)
    Document.objects.filter(pk=document.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    assert erase.erase(document.pk) is True


def test_an_index_that_is_down_leaves_the_row_to_try_again(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def down() -> Any:
        raise IndexUnavailable

    document = library.notes.documents.get()
    removal.remove_document(document, library.alicia, at_once=True)
    with monkeypatch.context() as patched:
        patched.setattr(erase, "every_index", down)
        with pytest.raises(IndexUnavailable):
            erase.erase(document.pk)
    assert not ErasureReceipt.objects.exists()
    assert not Document.objects.readable_by(library.alicia).filter(pk=document.pk).exists(), "already unreadable"
    assert erase.erase(document.pk) is True


def test_points_that_survive_leave_no_receipt(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    document = library.notes.documents.get()
    removal.remove_document(document, library.alicia, at_once=True)
    index = type(current_index())
    monkeypatch.setattr(index, "delete_document", lambda self, document_id: None)
    with pytest.raises(RuntimeError, match="survived"):
        erase.erase(document.pk)
    assert Document.objects.filter(pk=document.pk).exists()
    assert not ErasureReceipt.objects.exists()


def test_a_lost_file_does_not_keep_the_rest(library: Library) -> None:
    document = library.notes.documents.get()
    document.file.storage.delete(document.file.name)
    removal.remove_document(document, library.alicia, at_once=True)
    assert erase.erase(document.pk) is True


def test_a_deleted_corpus_goes_with_its_last_document(library: Library) -> None:
    upload(library.notes, library.alicia, "otra.md", "# Otra\n\nNota.\n")
    ids = list(library.notes.documents.values_list("pk", flat=True))
    removal.remove_corpus(library.notes, library.alicia, at_once=True)
    assert erase.erase(ids[0]) is True
    assert Corpus.objects.filter(pk=library.notes.pk).exists()
    assert erase.erase(ids[1]) is True
    assert not Corpus.objects.filter(pk=library.notes.pk).exists()
    receipt = ErasureReceipt.objects.get()
    assert (receipt.kind, receipt.subject_id, receipt.verified) == ("corpus", library.notes.pk, True)
    assert (receipt.removed["documents"], receipt.removed["corpora"]) == (2, 1)


def test_a_document_that_was_never_read_is_erased_too(library: Library) -> None:
    document = upload(library.notes, library.alicia, "roto.pdf", b"%PDF-1.7\nnothing")
    removal.remove_document(document, library.alicia, at_once=True)
    assert erase.erase(document.pk) is True
    assert ErasureReceipt.objects.get().removed["points"] == 0


def test_embeddings_that_no_chunk_uses_are_forgotten_by_the_hour(
    paid_library: Library, worker: Callable[[], int]
) -> None:
    used = set(CachedEmbedding.objects.values_list("text_hash", flat=True))
    CachedEmbedding.objects.create(space="s", text_hash="f" * 64, vector=b"")
    factories.DocumentFactory(status="pending")  # there is always somebody who waits
    assert tidy.forget_orphaned_embeddings() == 0, "its chunk may be written in a moment"
    CachedEmbedding.objects.create(space="s", text_hash="e" * 64, vector=b"")
    assert tidy.forget_orphaned_embeddings() == 1, "what was there an hour ago"
    tidy.tidy_up()
    assert set(CachedEmbedding.objects.values_list("text_hash", flat=True)) == used


def test_an_answer_whose_process_died_is_closed(library: Library) -> None:
    answer = search_for(library.alicia, "writer", ChatQuestion(ABOUT_NOVEL))
    tidy.tidy_up()
    assert Message.objects.get(pk=answer.message).status == "streaming"
    Message.objects.filter(pk=answer.message).update(writer_seen_at=timezone.now() - timedelta(seconds=15))
    tidy.tidy_up()
    closed = Message.objects.get(pk=answer.message)
    assert (closed.status, closed.error_code) == ("failed", "interrupted")


def test_deleting_tells_the_workers_at_once(library: Library, hints: list[str]) -> None:
    document = library.notes.documents.get()
    hints.clear()
    removal.remove_document(document, library.alicia, at_once=True)
    assert hints == ["short"]


def test_deleting_a_corpus_tells_the_workers_once(library: Library, hints: list[str]) -> None:
    for n in range(5):
        factories.DocumentFactory(corpus=library.notes, status="pending", filename=f"{n}.txt")
    hints.clear()
    removal.remove_corpus(library.notes, library.alicia, at_once=True)
    assert hints == ["short"]
    assert not library.notes.documents.alive().exists()


def test_an_index_that_is_down_does_not_end_the_worker(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    def down() -> Any:
        raise IndexUnavailable

    removal.remove_document(library.notes.documents.get(), library.alicia, at_once=True)
    with monkeypatch.context() as patched:
        patched.setattr(erase, "every_index", down)
        assert erase.erase_next() is True
    assert erase.erase_next() is False, "not again at once"
    Document.objects.update(lease_expires_at=timezone.now() - timedelta(seconds=1))
    assert erase.erase_next() is True
    assert ErasureReceipt.objects.count() == 1


def test_more_texts_than_a_statement_takes_parameters_are_forgotten_too(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = {f"{n:064}" for n in range(40_000)}
    CachedEmbedding.objects.create(space="s", text_hash=min(hashes), vector=b"")
    assert erase.forget_embeddings(hashes) == 1


@pytest.mark.skipif(connection.vendor != "sqlite", reason="SQLite's journal")
def test_what_was_erased_leaves_the_journal_of_sqlite_too() -> None:
    """A copy of the folder would take it along for as long as nobody writes much."""
    secret, path = uuid4().hex, Path(connection.settings_dict["NAME"])
    factories.CorpusFactory(name=secret, shared_in=factories.OrganizationFactory()).delete()
    files = (path, path.with_name(f"{path.name}-wal"))
    assert any(secret.encode() in one.read_bytes() for one in files)
    tidy.empty_journal()
    assert not any(secret.encode() in one.read_bytes() for one in files)
