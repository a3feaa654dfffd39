"""The way of a document: every stage, every end, and readers who never see half of one (SPEC §3; R15)."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import InterfaceError, OperationalError, connections
from django.utils import timezone

from accounts.tenancy.scope import system_scope
from corpora import removal
from corpora.advice import ADVICE
from corpora.models import Chunk, Document, DocumentText
from corpora.scope import Scope
from corpora.tests import documents
from corpora.uploads import intake
from retrieval.filters import search_filter
from retrieval.index.base import IndexUnavailable, SparseVector
from retrieval.index.bm25 import encode_documents, encode_query
from retrieval.models import CachedEmbedding
from retrieval.spaces.opened import current_index
from tests import factories
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, Library, upload
from workers.ingestion import outage, pipeline
from workers.ingestion.extract.failures import CODES, ExtractionError
from workers.ingestion.index import version
from workers.ingestion.sandbox.pool import SandboxUnavailable
from workers.jobs import metadata
from workers.queue import claims
from workers.queue.claims import Lease

pytestmark = pytest.mark.django_db(transaction=True)
LONG = "\n\n".join(f"# Capítulo {n}\n\n{f'La frase {n} del libro habla del mar. ' * 70}" for n in range(10))
SHORT = "# Nueva edición\n\nTodo lo anterior se resume en una página.\n"


@pytest.fixture
def keep(transactional_db: None) -> Callable[..., Document]:
    """Takes a file into a personal corpus: `keep("a.md", "# …")`."""
    owner = factories.MembershipFactory()
    corpus = factories.CorpusFactory(personal_of=owner)

    def kept(name: str = "libro.md", content: str | bytes = LONG, **fields: Any) -> Document:
        return upload(corpus, owner, name, content, **fields)

    return kept


def state(document: Document) -> Document:
    return Document.objects.get(pk=document.pk)


def retry_now(document: Document) -> bool:
    Document.objects.filter(pk=document.pk).update(not_before=timezone.now())
    return pipeline.ingest_if_due(document.pk)


def point_ids(document: Document) -> set[UUID]:
    return {point for point, of in current_index().point_ids() if of == document.pk}


def served(document: Document) -> set[UUID]:
    return set(Chunk.objects.served().filter(document=document).values_list("pk", flat=True))


def complete(document: Document) -> Document:
    """Checks that a document is indexed as a whole and nothing else of it exists."""
    done = state(document)
    assert (done.status, done.stage, done.progress, done.attempts) == ("indexed", "", 1.0, 0)
    assert (done.lease_holder, done.lease_expires_at, done.error_code) == (None, None, "")
    ids = set(done.chunks.values_list("pk", flat=True))
    assert len(ids) == done.chunk_count > 0
    assert ids == served(done) == point_ids(done)
    assert ids == {Chunk.id_for(done.pk, done.version, one.granularity, one.index) for one in done.chunks.all()}
    text = DocumentText.objects.get(document=done)
    assert text.version == done.version
    assert all(text.text[one.start : one.end] == one.text for one in done.chunks.all())
    return done


def test_a_document_is_indexed_as_a_whole(keep: Callable[..., Document]) -> None:
    document = keep()
    assert (document.status, document.version) == ("pending", 0)
    assert pipeline.ingest_if_due(document.pk) is True
    done = complete(document)
    assert (done.version, done.title, done.language) == (1, "Libro", "es")
    assert done.indexed_at is not None
    assert pipeline.ingest_if_due(document.pk) is False, "it is not due any more"


def test_pages_and_headings_are_kept(keep: Callable[..., Document]) -> None:
    page = [f"The harbour master writes line {n} in the log." for n in range(40)]
    document = keep("log.pdf", documents.pdf([page, page, page], title="The log"))
    pipeline.ingest_if_due(document.pk)
    done = complete(document)
    assert done.page_count == 3
    assert {one.page_start for one in done.chunks.all()} <= {1, 2, 3}
    assert [number for number, _start, _end in DocumentText.objects.get().pages] == [1, 2, 3]


def test_the_same_work_done_twice_gives_the_same_chunks(keep: Callable[..., Document]) -> None:
    first, second = keep("a.md"), keep("b.md")
    for document in (first, second):
        pipeline.ingest_if_due(document.pk)
    columns = ("index", "granularity", "text", "token_count", "start", "end")
    assert list(first.chunks.values_list(*columns)) == list(second.chunks.values_list(*columns))


def test_progress_only_grows(keep: Callable[..., Document], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, float]] = []
    report = Lease.report

    def noted(self: Lease, stage: Document.Stage, progress: float) -> None:
        seen.append((str(stage), progress))
        report(self, stage, progress)

    monkeypatch.setattr(Lease, "report", noted)
    monkeypatch.setattr(pipeline, "BATCH", 3)
    monkeypatch.setattr(pipeline, "UNNOTICED_SECONDS", 0.0)
    pipeline.ingest_if_due(keep().pk)
    assert [progress for _, progress in seen] == sorted(progress for _, progress in seen)
    assert len(seen) > 3
    assert {stage for stage, _ in seen} == {"embed"}, "it begins with extract, and with the index it ends"
    assert all(0 < progress < 1 for _, progress in seen)


# Documents that cannot be read


FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "encrypted_document": ("a.pdf", lambda: documents.pdf([["secret"]], password="open")),
    "scanned_document": ("a.pdf", lambda: documents.scanned_pdf(3)),
    "empty_document": ("a.md", lambda: b"\n \n"),
    "corrupt_document": ("a.pdf", lambda: b"%PDF-1.7\nnothing of a document\n%%EOF"),
}


@pytest.mark.parametrize("code", FILES)
def test_a_file_that_cannot_be_read_fails_with_advice(keep: Callable[..., Document], code: str) -> None:
    name, content = FILES[code]
    document = keep(name, content())
    assert pipeline.ingest_if_due(document.pk) is True
    failed = state(document)
    assert (failed.status, failed.error_code) == ("failed", code)
    assert (failed.chunks.count(), failed.chunk_count, failed.lease_holder) == (0, 0, None)
    assert not point_ids(document)
    assert claims.claim_ingestion(document.pk) is None, "trying again would not help"


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_extraction_error_ends_as_failed(
    keep: Callable[..., Document], monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    def fail(*_: object) -> None:
        raise ExtractionError(code, cause="test")

    document = keep("a.md", SHORT)
    monkeypatch.setattr(pipeline, "read_in_sandbox", fail)
    pipeline.ingest_if_due(document.pk)
    assert (state(document).status, state(document).error_code) == ("failed", code)
    assert state(document).error_code == code
    assert code in ADVICE, "and a sentence says what to do"


def test_an_indexed_document_without_chunks_does_not_exist(
    keep: Callable[..., Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    document = keep("a.md", SHORT)
    read = pipeline.read_in_sandbox
    monkeypatch.setattr(pipeline, "read_in_sandbox", lambda *args: replace(read(*args), chunks=(), terms=()))
    pipeline.ingest_if_due(document.pk)
    assert (state(document).status, state(document).error_code) == ("failed", "empty_document")


def test_a_failed_document_can_be_sent_again(keep: Callable[..., Document]) -> None:
    document = keep("a.md", b"\n")
    pipeline.ingest_if_due(document.pk)
    intake.replace(state(document), file_of("a.md", SHORT), factories.MembershipFactory())
    assert (state(document).status, state(document).error_code) == ("pending", "")
    pipeline.ingest_if_due(document.pk)
    complete(document)


def file_of(name: str, content: str) -> Any:
    from django.core.files.uploadedfile import SimpleUploadedFile

    return SimpleUploadedFile(name, content.encode())


# Services that fail


EMBEDDING_OUTAGES = [{"status": 500}, {"status": 429}, {"hangup": True}]


@pytest.mark.parametrize("fault", EMBEDDING_OUTAGES, ids=str)
def test_an_outage_of_the_embeddings_is_waited_for_without_losing_attempts(
    keep: Callable[..., Document], all_models: ModelServer, fault: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.embeddings.documents.RETRIES", 1)
    document = keep()
    all_models.script(path="embeddings", complaint="upstream-secret", **fault)
    for _ in range(4):
        assert retry_now(document) is True
        waits = state(document)
        assert (waits.status, waits.attempts, waits.error_code) == ("pending", 0, "service_unavailable")
    all_models.reset()
    retry_now(document)
    assert complete(document).version == 1


@pytest.mark.parametrize("fault", [{"dims": 7}, {"nan": True}, {"drop": 1}, {"status": 400}], ids=str)
def test_embeddings_that_must_not_be_indexed_are_not(
    keep: Callable[..., Document], all_models: ModelServer, fault: dict[str, Any]
) -> None:
    document = keep()
    all_models.script(path="embeddings", complaint="upstream-secret", **fault)
    for attempt in (1, 2, 3):
        retry_now(document)
        assert not point_ids(document), attempt
    failed = state(document)
    assert (failed.status, failed.error_code) == ("failed", "embedding_rejected")
    assert served(document) == set()


def test_an_outage_of_the_index_is_waited_for(keep: Callable[..., Document], monkeypatch: pytest.MonkeyPatch) -> None:
    def down() -> Any:
        raise IndexUnavailable("http://secret-address:6333 refused")

    document = keep()
    with monkeypatch.context() as patched:
        patched.setattr("retrieval.spaces.opened.write_targets", down)
        for _ in range(4):
            retry_now(document)
    assert (state(document).status, state(document).attempts) == ("pending", 0)
    retry_now(document)
    complete(document)


def test_a_sandbox_that_cannot_start_is_no_fault_of_the_document(
    keep: Callable[..., Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(*_: object) -> None:
        raise SandboxUnavailable("no memory")

    document = keep()
    with monkeypatch.context() as patched:
        patched.setattr(pipeline, "read_in_sandbox", unavailable)
        retry_now(document)
    assert (state(document).status, state(document).attempts) == ("pending", 0)
    retry_now(document)
    complete(document)


def test_an_unexpected_error_is_tried_three_times(
    keep: Callable[..., Document], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("quotes the document: La frase 1 del libro")

    document = keep()
    monkeypatch.setattr(pipeline, "read_in_sandbox", broken)
    for _ in range(3):
        retry_now(document)
    assert (state(document).status, state(document).error_code) == ("failed", "internal_error")
    assert f"document {document.pk} could not be ingested: ZeroDivisionError at test_pipeline.py" in caplog.text
    assert "La frase" not in caplog.text


def test_a_document_goes_on_as_soon_as_the_database_is_back(
    keep: Callable[..., Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It went away in the middle, and is still away when the document is to be put back."""
    document, back = keep(), Lease.retry_later
    away = iter([OperationalError(), InterfaceError()])

    def broken(*_: object) -> None:
        raise OperationalError

    def put_back(self: Lease, *args: Any, **options: Any) -> None:
        for error in away:
            raise error
        back(self, *args, **options)

    monkeypatch.setattr(outage, "PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(pipeline, "PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(pipeline, "read_in_sandbox", broken)
    monkeypatch.setattr(Lease, "retry_later", put_back)
    retry_now(document)
    waits = state(document)
    assert (waits.status, waits.attempts, waits.error_code) == ("pending", 0, "service_unavailable")
    assert waits.not_before <= timezone.now()
    monkeypatch.undo()
    assert pipeline.ingest_if_due(document.pk)
    assert state(document).status == "indexed"


def test_a_statement_that_the_database_refuses_is_no_outage(
    keep: Callable[..., Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A timeout of one statement would be met again and again, once a second."""

    class QueryCanceled(Exception):
        sqlstate = "57014"

    def broken(*_: object) -> None:
        raise OperationalError from QueryCanceled()

    document = keep()
    monkeypatch.setattr(pipeline, "read_in_sandbox", broken)
    retry_now(document)
    waits = state(document)
    assert (waits.attempts, waits.not_before > timezone.now()) == (1, True)


def test_a_missing_original_is_said_so_at_once(keep: Callable[..., Document]) -> None:
    document = keep()
    document.file.storage.delete(document.file.name)
    retry_now(document)
    assert (state(document).status, state(document).error_code) == ("failed", "original_missing")


def test_a_store_whose_folder_is_gone_has_lost_nothing(keep: Callable[..., Document]) -> None:
    """A disk that is not mounted, a restore that has not come to the files yet: it waits for them."""
    document = keep()
    folder = Path(document.file.storage.location)  # type: ignore[attr-defined]
    aside = folder.rename(folder.with_name("not mounted"))
    try:
        retry_now(document)
    finally:
        aside.rename(folder)
    assert (state(document).status, state(document).error_code) == ("pending", "service_unavailable")


def test_what_was_embedded_before_an_outage_is_not_paid_for_again(
    keep: Callable[..., Document], all_models: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.embeddings.documents.RETRIES", 0)
    monkeypatch.setattr(pipeline, "BATCH", 4)
    document = keep()
    upsert, calls = type(current_index()).upsert, []

    def second_fails(self: Any, points: Any) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise IndexUnavailable
        upsert(self, points)

    monkeypatch.setattr(type(current_index()), "upsert", second_fails)
    retry_now(document)
    assert state(document).status == "pending"
    assert served(document) == set(), "readers see nothing of it yet"
    paid = all_models.stats()["embed_items"]
    assert paid == 8
    retry_now(document)
    done = complete(document)
    assert all_models.stats()["embed_items"] == done.chunks.values("text_hash").distinct().count()


def test_the_same_text_elsewhere_is_not_embedded_again(keep: Callable[..., Document], all_models: ModelServer) -> None:
    pipeline.ingest_if_due(keep("a.md", title="Libro").pk)
    paid = all_models.stats()["embed_items"]
    again = keep("b.md", title="Libro")
    pipeline.ingest_if_due(again.pk)
    complete(again)
    assert all_models.stats()["embed_items"] == paid


# Versions


def test_readers_see_the_old_version_until_the_new_one_is_complete(
    library: Library, worker: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    from chat.answering.questions import ChatQuestion
    from tests.asking import search_for

    document = library.loans.documents.get()
    before, seen = served(document), []

    @system_scope()
    def ask() -> set[UUID]:
        found = search_for(library.bob, "researcher", ChatQuestion(ABOUT_LOANS)).retrieval
        return {one.chunk for one in found.chunks}

    write = pipeline.VersionWriter.write

    def observed(self: Any, *args: Any) -> None:
        write(self, *args)
        seen.append((served(document), ask()))

    monkeypatch.setattr(pipeline.VersionWriter, "write", observed)
    intake.replace(document, file_of("prestamos.md", f"{LONG}\n\n# Plazos\n\nUn libro dura cinco días."), library.admin)
    assert worker() == 1
    assert seen
    assert all(rows == before and asked <= before for rows, asked in seen)
    done = complete(document)
    assert done.version == 2
    assert before.isdisjoint(served(document))


def test_a_reprocessed_document_gets_new_ids_and_no_new_bill(
    keep: Callable[..., Document], all_models: ModelServer
) -> None:
    document = keep()
    pipeline.ingest_if_due(document.pk)
    first, paid = served(document), all_models.stats()["embed_items"]
    intake.reprocess(document, factories.MembershipFactory())
    assert served(document) == first, "what readers see stays meanwhile"
    pipeline.ingest_if_due(document.pk)
    assert complete(document).version == 2
    assert first.isdisjoint(served(document))
    assert all_models.stats()["embed_items"] == paid


def test_a_new_version_that_fails_leaves_the_old_one(
    keep: Callable[..., Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    document = keep()
    pipeline.ingest_if_due(document.pk)
    first = served(document)
    intake.reprocess(document, factories.MembershipFactory())
    monkeypatch.setattr(pipeline, "BATCH", 2)
    write, calls = pipeline.VersionWriter.write, []

    def second_fails(self: Any, *args: Any) -> None:
        calls.append(1)
        if len(calls) % 2 == 0:
            raise ZeroDivisionError
        write(self, *args)

    monkeypatch.setattr(pipeline.VersionWriter, "write", second_fails)
    for _ in range(3):
        retry_now(document)
    failed = state(document)
    assert (failed.status, failed.version) == ("failed", 1)
    assert served(document) == first


def test_the_embeddings_of_an_old_version_are_forgotten(keep: Callable[..., Document], all_models: ModelServer) -> None:
    document = keep()
    pipeline.ingest_if_due(document.pk)
    old = set(document.chunks.values_list("text_hash", flat=True))
    intake.replace(document, file_of("libro.md", SHORT), factories.MembershipFactory())
    pipeline.ingest_if_due(document.pk)
    new = set(complete(document).chunks.values_list("text_hash", flat=True))
    assert set(CachedEmbedding.objects.values_list("text_hash", flat=True)) == new
    assert old.isdisjoint(new)


def test_what_is_edited_while_a_document_is_processed_stays(
    keep: Callable[..., Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    document = keep(unit="1")
    write = pipeline.VersionWriter.write

    def edited(self: Any, *args: Any) -> None:
        write(self, *args)
        Document.objects.filter(pk=document.pk).update(title="El libro del mar", unit="2")

    monkeypatch.setattr(pipeline.VersionWriter, "write", edited)
    pipeline.ingest_if_due(document.pk)
    done = complete(document)
    assert (done.title, done.unit) == ("El libro del mar", "2")
    assert metadata.copy_next(), "the flag says that the points were written under what it was before"
    assert payload_of(document, "unit") == {"2"}
    assert not metadata.copy_next()


def test_an_edit_that_comes_between_the_look_and_the_switch_stays(
    keep: Callable[..., Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for the switch, or is seen by it; PostgreSQL lets it in between unless the row is locked."""
    document = keep()
    finish = Lease.finish
    edits: list[threading.Thread] = []

    def edit() -> None:
        Document.objects.filter(pk=document.pk).update(title="El libro del mar", language="ca")
        connections.close_all()

    def edited_first(self: Lease, *args: Any, **facts: Any) -> None:
        edits.append(threading.Thread(target=system_scope()(edit)))
        edits[0].start()
        edits[0].join(1.0)
        finish(self, *args, **facts)

    monkeypatch.setattr(Lease, "finish", edited_first)
    pipeline.ingest_if_due(document.pk)
    edits[0].join(10)
    done = complete(document)
    assert (done.title, done.language) == ("El libro del mar", "ca")


def test_a_language_that_a_document_declares_decides_how_its_terms_are_weighed(keep: Callable[..., Document]) -> None:
    declared, detected = keep("a.md", f"---\nlang: en\n---\n\n{LONG}"), keep("b.md")
    for document in (declared, detected):
        pipeline.ingest_if_due(document.pk)
    assert (complete(declared).language, complete(detected).language) == ("en", "es")
    spanish, english = (encode_documents(["frase"], spoken)[0] for spoken in ("es", "en"))
    assert (holds(declared, english), holds(declared, spanish)) == (True, False)
    assert (holds(detected, english), holds(detected, spanish)) == (False, True)


def holds(document: Document, terms: SparseVector) -> bool:
    corpus = document.corpus
    scope = Scope(corpus.organization_id, corpus.owner_id or UUID(int=0), frozenset(), frozenset([corpus.pk]))
    hits = current_index().search(None, terms, search_filter(scope, 800), 50).sparse
    return any(hit.id in point_ids(document) for hit in hits)


def test_a_short_document_costs_few_statements(
    keep: Callable[..., Document], django_assert_max_num_queries: Any
) -> None:
    pipeline.ingest_if_due(keep("a.md", SHORT).pk)
    document = keep("b.md", SHORT + "Y otra frase.")
    with django_assert_max_num_queries(23):  # 20 on SQLite, which locks no rows
        pipeline.ingest_if_due(document.pk)
    complete(document)


def payload_of(document: Document, key: str) -> set[str]:
    """The values of a payload key over a document's points, as searches see them."""
    corpus = document.corpus
    scope = Scope(corpus.organization_id, corpus.owner_id or UUID(int=0), frozenset(), frozenset([corpus.pk]))
    found = set()
    for value in ("1", "2", "3"):
        where = search_filter(scope, 800, {key: [value]})
        if current_index().search(None, encode_query("frase libro mar página"), where, 50).sparse:
            found.add(value)
    return found


# Documents that are taken away, or from under a worker


STEPS: dict[str, tuple[Any, str]] = {
    "reading": (pipeline, "read_in_sandbox"),
    "clearing": (pipeline.VersionWriter, "clear_unfinished"),
    "writing": (version, "indexed_texts"),
    "switching": (pipeline.VersionWriter, "switch"),
}


def deleted_during(keep: Callable[..., Document], monkeypatch: pytest.MonkeyPatch, step: str) -> Document:
    document = keep()
    owner = factories.MembershipFactory(organization=document.corpus.organization)
    holder, name = STEPS[step]
    act = getattr(holder, name)

    def deleted_first(*args: Any) -> Any:
        removal.remove_document(document, owner, at_once=True)
        return act(*args)

    monkeypatch.setattr(holder, name, deleted_first)
    monkeypatch.setattr(pipeline, "BATCH", 4)
    assert pipeline.ingest_if_due(document.pk) is False
    return document


@pytest.mark.parametrize("step", STEPS)
def test_a_document_deleted_in_work_does_not_rise_again(
    keep: Callable[..., Document], monkeypatch: pytest.MonkeyPatch, hints: list[tuple[str, UUID]], step: str
) -> None:
    from workers.jobs import erase

    document = deleted_during(keep, monkeypatch, step)
    gone = state(document)
    assert gone.deleted_at is not None
    assert gone.status != "indexed"
    assert gone.lease_expires_at is None, "its erasure need not wait for the lease"
    assert hints[-1] == "short"
    assert erase.erase(document.pk) is True
    assert (point_ids(document), Chunk.objects.count(), DocumentText.objects.count()) == (set(), 0, 0)


def test_a_document_erased_in_work_leaves_no_points(
    keep: Callable[..., Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    from workers.jobs import erase

    document = keep()
    upsert = type(current_index()).upsert

    @system_scope()
    def erased_first(self: Any, points: Any) -> None:
        Document.objects.filter(pk=document.pk).update(deleted_at=timezone.now(), lease_expires_at=None)
        assert erase.erase(document.pk) is True
        upsert(self, points)

    monkeypatch.setattr(type(current_index()), "upsert", erased_first)
    assert pipeline.ingest_if_due(document.pk) is False
    assert not point_ids(document)
    assert not Document.objects.filter(pk=document.pk).exists()


def test_a_worker_that_lost_its_document_mixes_nothing_into_the_winners_work(
    keep: Callable[..., Document], all_models: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is replaced while a slow worker embeds the old one; both write chunks of version 1."""
    document = keep()
    embedding, replaced = threading.Event(), threading.Event()
    texts_of = version.indexed_texts

    def slow_once(*args: Any) -> Any:
        if not embedding.is_set():
            embedding.set()
            assert replaced.wait(20)
        return texts_of(*args)

    monkeypatch.setattr(version, "indexed_texts", slow_once)
    outcome: list[bool] = []

    def slow_worker() -> None:
        outcome.append(pipeline.ingest_if_due(document.pk))
        connections.close_all()

    slow = threading.Thread(target=system_scope()(slow_worker))
    slow.start()
    assert embedding.wait(20)
    intake.replace(state(document), file_of("libro.md", SHORT), factories.MembershipFactory())
    assert pipeline.ingest_if_due(document.pk) is True
    replaced.set()
    slow.join(20)
    assert outcome == [False]
    done = complete(document)
    assert "Todo lo anterior" in done.chunks.get().text


def test_who_lost_its_document_clears_nothing_of_the_winners_work(
    keep: Callable[..., Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    document = keep()
    upsert = type(current_index()).upsert

    def down_afterwards(self: Any, points: Any) -> None:
        upsert(self, points)
        raise IndexUnavailable

    with monkeypatch.context() as patched:
        patched.setattr(type(current_index()), "upsert", down_afterwards)
        pipeline.ingest_if_due(document.pk)
    written = point_ids(document)
    clear = pipeline.VersionWriter.clear_unfinished

    def overtaken(self: pipeline.VersionWriter) -> None:
        Document.objects.filter(pk=document.pk).update(lease_holder=uuid4())
        clear(self)

    monkeypatch.setattr(pipeline.VersionWriter, "clear_unfinished", overtaken)
    assert retry_now(document) is False
    assert point_ids(document) == written != set()
    assert document.chunks.count() == len(written)


def test_the_rest_of_a_killed_attempt_is_cleared(
    keep: Callable[..., Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    document = keep()
    monkeypatch.setattr(pipeline, "BATCH", 3)
    write, calls = pipeline.VersionWriter.write, []

    def killed_at_third(self: Any, *args: Any) -> None:
        calls.append(1)
        if len(calls) == 3:
            raise Killed
        write(self, *args)

    with monkeypatch.context() as patched:
        patched.setattr(pipeline.VersionWriter, "write", killed_at_third)
        with pytest.raises(Killed):
            pipeline.ingest_if_due(document.pk)
    assert len(point_ids(document)) == 6
    assert served(document) == set()
    claims.release_abandoned()
    intake.replace(state(document), file_of("libro.md", SHORT), factories.MembershipFactory())
    pipeline.ingest_if_due(document.pk)
    assert complete(document).chunk_count == 1, "the points of the longer text are gone too"
