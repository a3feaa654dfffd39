"""The way of a document: extract → chunk → embed → index, then one switch (SPEC §3).

A new version is written beside the old one under ids that a second run repeats, so a killed worker leaves nothing
that the next attempt does not overwrite, and readers never see half a document.
"""

import hashlib
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import transaction

from config.faults import described
from corpora.models import METADATA_FIELDS, Chunk, Document, DocumentText
from corpora.signals import document_removed
from retrieval.embeddings.base import EmbeddingRejected, EmbeddingUnavailable
from retrieval.index import bm25
from retrieval.index.base import IndexUnavailable, Point, SparseVector
from retrieval.spaces.current import every_index
from retrieval.spaces.probe import EmbeddingSpaceMismatch
from retrieval.text import language
from retrieval.text.passages import indexed_text
from workers.claims import MAX_ATTEMPTS, Lease, LeaseLost, claim
from workers.ingestion import declarations
from workers.ingestion.chunk.chunking import ChunkDraft, chunk
from workers.ingestion.extract.extracted import Extracted
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.index.payload import payload_of
from workers.ingestion.index.space_writer import SpaceWriter
from workers.ingestion.sandbox.pool import SandboxUnavailable, extract_in_sandbox
from workers.jobs.cut import granularities
from workers.jobs.erase import forget_embeddings

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

BATCH = 400  # chunks embedded and written at a time: bounds memory at some 5 MB of vectors
OVERLAP = {256: 32, 512: 64, 800: 100, 1024: 128}

# What each stage is worth on the progress bar; embedding is where the time goes.
EXTRACTED_AT, CHUNKED_AT, WRITTEN_AT = 0.15, 0.25, 0.98


class StoreUnavailable(Exception):
    """The file store does not give the original."""


OUTAGES = (EmbeddingUnavailable, IndexUnavailable, SandboxUnavailable, StoreUnavailable)
WAITING = "A service that processing needs does not answer at the moment. It is tried again by itself."
SPACE_CHANGED = "The embedding model is not the one that the index was made with. Tell your administrator."
Stage = Document.Stage


def run(document_id: UUID) -> bool:
    """Ingest a document if it is due; True when this call did the work. Never raises for the document's sake."""
    lease = claim(document_id)
    if lease is None:
        return False
    try:
        with lease.kept_alive():
            ingest(lease)
    except LeaseLost:
        clean_up_after_loss(lease)
        return False
    except Exception as error:  # whatever a document or a service does, it ends in a status
        conclude(lease, error)
    return True


def ingest(lease: Lease) -> None:
    document = lease.document()
    index_extracted(lease, extract_in_sandbox(original_of(document), document.media_type))


def original_of(document: Document) -> bytes:
    """The uploaded file. Raises StoreUnavailable; a file that is not there is no outage: FileNotFoundError."""
    try:
        with document.file.open("rb") as original:
            return bytes(original.read())
    except FileNotFoundError:
        raise
    except Exception as error:  # boto raises its own hierarchy, which the local store does not have
        raise StoreUnavailable from error


def index_extracted(lease: Lease, extracted: Extracted, sizes: Sequence[int] = ()) -> None:
    """Everything after extraction: chunk, embed and index a text, and switch readers to it.

    `sizes`: granularities to measure; else those that the document's readers need.
    """
    writer = VersionWriter(lease, extracted)
    writer.clear_unfinished()
    wanted = sizes or granularities(writer.document)
    drafts = [draft for granularity in wanted for draft in chunked(extracted, granularity)]
    if not drafts:
        raise ExtractionError("empty_document")
    lease.report(Stage.EMBED, CHUNKED_AT)
    written = 0
    for batch in batches(drafts):
        written += len(batch)
        writer.write(batch, CHUNKED_AT + (WRITTEN_AT - CHUNKED_AT) * written / len(drafts))
    lease.report(Stage.INDEX, WRITTEN_AT)
    switch(lease, writer, len(drafts))


@dataclass(frozen=True, slots=True)
class SizedDraft:
    """A chunk draft and the granularity it was cut at."""

    granularity: int
    draft: ChunkDraft


def chunked(extracted: Extracted, granularity: int) -> Iterator[SizedDraft]:
    for draft in chunk(extracted, granularity, OVERLAP[granularity]):
        yield SizedDraft(granularity, draft)


def batches(drafts: list[SizedDraft]) -> Iterator[list[SizedDraft]]:
    rest = iter(drafts)
    while batch := list(islice(rest, BATCH)):
        yield batch


class VersionWriter:
    """Writes one version's chunks: embeds a batch, stores its rows, then upserts its points.

    Rows are only written in a transaction that has the lease renewed first: a worker that lost its document to
    another in the meantime cannot mix its chunks with the other's.
    """

    def __init__(self, lease: Lease, extracted: Extracted) -> None:
        self.lease, self.extracted = lease, extracted
        self.document = document = lease.document()
        self.version = document.version + 1
        self.spaces = SpaceWriter(document.pk)
        self.title = document.title or extracted.title or document.filename
        self.declared = declarations.missing(document, extracted.metadata)
        declared_language = document.language or self.declared.get("language", "")
        self.language = declared_language or language.detect(extracted.text[:20_000])
        declared = {name: value for name, value in self.declared.items() if name in METADATA_FIELDS}
        self.payload = payload_of(document, self.version) | declared | {"language": self.language}

    def clear_unfinished(self) -> None:
        """Remove what an attempt that died has left of this version."""
        with transaction.atomic():
            self.lease.report(Stage.CHUNK, EXTRACTED_AT)
            left, _by_model = Chunk.objects.filter(document=self.document, version=self.version).delete()
            DocumentText.objects.filter(document=self.document, version=self.version).delete()
        if left:
            for index in every_index():
                index.delete_document(self.document.pk, keep_version=self.document.version)

    def write(self, batch: list[SizedDraft], progress: float) -> None:
        texts = [indexed_text(self.title, sized.draft.heading_path, sized.draft.text) for sized in batch]
        embedded = self.spaces.embed(texts)
        sparse = bm25.encode_documents(texts, self.language)
        rows = [self.row(sized, text) for sized, text in zip(batch, texts, strict=True)]
        with transaction.atomic():
            self.lease.report(Stage.EMBED, progress)
            Chunk.objects.bulk_create(rows)
        self.spaces.upsert(embedded, lambda vectors: self.points(rows, vectors, sparse))

    def points(self, rows: list[Chunk], vectors: "NDArray[float32]", sparse: list[SparseVector]) -> list[Point]:
        return [
            Point(id=row.pk, dense=dense, sparse=terms, payload={**self.payload, "granularity": str(row.granularity)})
            for row, dense, terms in zip(rows, vectors, sparse, strict=True)
        ]

    def row(self, sized: SizedDraft, text: str) -> Chunk:
        draft = sized.draft
        return Chunk(
            id=Chunk.id_for(self.document.pk, self.version, sized.granularity, draft.index),
            document=self.document,
            version=self.version,
            granularity=sized.granularity,
            index=draft.index,
            text=draft.text,
            text_hash=hashlib.sha256(text.encode()).hexdigest(),
            token_count=draft.token_count,
            start=draft.start,
            end=draft.end,
            page_start=draft.page_start,
            page_end=draft.page_end,
            heading_path=list(draft.heading_path),
        )

    def write_text(self) -> None:
        DocumentText.objects.create(
            document=self.document,
            version=self.version,
            text=self.extracted.text,
            pages=[[page.number, page.start, page.end] for page in self.extracted.pages],
            headings=[[one.level, one.title, one.start, one.end] for one in self.extracted.headings],
        )


def switch(lease: Lease, writer: VersionWriter, chunk_count: int) -> None:
    """Show the new version and drop the old one's rows in one transaction, then its points and embeddings.

    Title and metadata may have been edited while the work went on: what was edited stays.
    """
    version = writer.version
    with transaction.atomic():
        writer.spaces.check_readable()
        writer.write_text()
        document = lease.document()
        document.title = document.title or writer.title[:255]
        document.language = document.language or writer.language
        facts = {"page_count": writer.extracted.page_count, "title": document.title, "language": document.language}
        for name, value in writer.declared.items():
            if not getattr(document, name):
                setattr(document, name, value)
                facts[name] = value
        lease.finish(version, chunk_count=chunk_count, **facts)
        old = Chunk.objects.filter(document=document).exclude(version=version)
        old_hashes = set(old.values_list("text_hash", flat=True))
        old.delete()
        DocumentText.objects.filter(document=document).exclude(version=version).delete()
        forget_embeddings(old_hashes)
    edited = any(writer.payload[name] != value for name, value in document.metadata.items())
    try:
        for index in every_index():
            if version > 1:
                index.delete_document(document.pk, keep_version=version)
            if edited:
                index.set_metadata(document.pk, document.metadata)
    except IndexUnavailable:
        logger.warning("the index still has old points or metadata of document %s", document.pk)


def conclude(lease: Lease, error: Exception) -> None:
    """Turn what went wrong into a status: failed with advice, or back in the queue."""
    try:
        if isinstance(error, ExtractionError):
            logger.info("document %s cannot be read: %s", lease.document_id, error)
            lease.fail(error.code, error.detail)
        elif isinstance(error, EmbeddingSpaceMismatch):
            logger.error("document %s is refused: %s", lease.document_id, error)
            lease.fail("embedding_space_changed", SPACE_CHANGED)
        elif isinstance(error, OUTAGES):
            logger.warning("document %s waits: %s", lease.document_id, type(error).__name__)
            lease.retry_later("service_unavailable", WAITING, counts=False)
        else:
            conclude_unexpected(lease, error)
    except LeaseLost:
        clean_up_after_loss(lease)


def conclude_unexpected(lease: Lease, error: Exception) -> None:
    logger.error("document %s could not be ingested: %s", lease.document_id, described(error))
    code = "embedding_rejected" if isinstance(error, EmbeddingRejected) else "internal_error"
    if lease.document().attempts >= MAX_ATTEMPTS:
        lease.fail(code, "Processing failed three times. Try again later, or tell your administrator.")
    else:
        lease.retry_later(code, "Processing failed and is tried again by itself.", counts=True)


def clean_up_after_loss(lease: Lease) -> None:
    """A deleted document must not rise again: have erased what this worker wrote after the deletion."""
    if lease.let_go():
        document_removed.send(Document, document_id=lease.document_id)
    elif not Document.objects.filter(pk=lease.document_id).exists():
        for index in every_index():
            index.delete_document(lease.document_id)
