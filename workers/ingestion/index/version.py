"""One version of a document, written beside the one that readers see, and the switch to it (SPEC §3)."""

import logging

from django.db import transaction

from config.faults import describe_error
from config.metrics.background import timed_stage
from config.prepared import Prepared
from corpora.descriptions import mark_metadata_changed
from corpora.metadata.date_ranges import day_number
from corpora.metadata.free import free_words
from corpora.metadata.names import FREE_FIELD, METADATA_FIELDS
from corpora.models import Chunk, Document, DocumentText, Section
from corpora.reader.kept_pages import forget_pages
from retrieval.embeddings.cache import text_hash
from retrieval.index import bm25
from retrieval.index.base import IndexUnavailable, Point
from retrieval.places.names import said_of, write_names
from retrieval.spaces.opened import every_index
from retrieval.text.asked_headings import question_names
from retrieval.text.document_names import names_of
from workers.ingestion import declarations
from workers.ingestion.chunk.chunking import ChunkDraft
from workers.ingestion.index.outline import sections_of
from workers.ingestion.index.payload import payload_of
from workers.ingestion.index.space_writer import SpaceWriter, Vectors
from workers.ingestion.reading import Reading, indexed_texts, title_of
from workers.jobs.erase import forget_embeddings
from workers.queue.claims import Lease, LeaseLost, held_by

logger = logging.getLogger(__name__)

Stage = Document.Stage
_locked = Prepared(lambda **lease: held_by(**lease).select_for_update(of=("self",)).order_by())


class VersionWriter:
    """Writes one version's chunks batch by batch, then switches readers to it.

    Rows are only written in a transaction that has the lease renewed first: a worker that lost its document to
    another in the meantime cannot mix its chunks with the other's.
    """

    def __init__(self, lease: Lease, document: Document, reading: Reading) -> None:
        self.lease, self.document, self.reading = lease, document, reading
        self.version = document.version + 1
        self.spaces = SpaceWriter(document.pk)
        self.title = title_of(reading.extracted, document.title, document.filename)
        self.declared = declarations.missing_fields(document, reading.extracted.metadata)
        self.declared |= declarations.course_fields(document, self.title, self.declared)
        self.language = document.language or self.declared.get("language", "") or reading.language
        declared = {name: value for name, value in self.declared.items() if name in METADATA_FIELDS}
        if self.declared.get(FREE_FIELD):
            declared[FREE_FIELD] = free_words(self.declared[FREE_FIELD])
        if self.declared.get("source_date"):
            declared["source_date"] = day_number(self.declared["source_date"])
        self.payload = payload_of(document, self.version) | declared | {"language": self.language}

    def clear_unfinished(self) -> None:
        """Remove what an attempt that died has left of this version: its rows last, which tell of the rest."""
        left = Chunk.objects.filter(document=self.document, version=self.version)
        if not left.exists():
            return
        self.lease.report(Stage.EMBED, 0.0)  # it is ours: what is removed is no other worker's
        for index in every_index():
            index.delete_document(self.document.pk, keep_version=self.document.version)
        with transaction.atomic():
            self.lease.report(Stage.EMBED, 0.0)
            left.delete()

    def write(self, batch: slice, progress: float) -> None:
        """Embed some of the reading's chunks, store their rows, then their points."""
        chunks, terms = self.reading.chunks[batch], self.reading.terms[batch]
        texts = indexed_texts(self.title, chunks)
        if self.language != self.reading.language:  # the document says another one than its words do
            terms = tuple(bm25.encode_documents(texts, self.language))
        with timed_stage("embed"):
            embedded = self.spaces.embed(texts)
        rows = [self._row(one, text) for one, text in zip(chunks, texts, strict=True)]
        with timed_stage("store"), transaction.atomic():
            self.lease.report(Stage.EMBED, progress)
            Chunk.objects.bulk_create(rows)
        payloads = {size: {**self.payload, "granularity": str(size)} for size in {row.granularity for row in rows}}

        def points(vectors: Vectors) -> list[Point]:
            columns = zip(rows, vectors, terms, strict=True)
            return [Point(row.pk, dense, sparse, payloads[row.granularity]) for row, dense, sparse in columns]

        with timed_stage("index"):
            self.spaces.upsert(embedded, points)

    def _row(self, draft: ChunkDraft, text: str) -> Chunk:
        return Chunk(
            id=Chunk.id_for(self.document.pk, self.version, draft.granularity, draft.index),
            document=self.document,
            version=self.version,
            granularity=draft.granularity,
            index=draft.index,
            text=draft.text,
            text_hash=text_hash(text),
            token_count=draft.token_count,
            start=draft.start,
            end=draft.end,
            page_start=draft.page_start,
            page_end=draft.page_end,
            heading_path=list(draft.heading_path),
            parts=list(draft.parts),
        )

    def switch(self) -> None:
        """Show the new version and drop the old one's rows in one transaction, then its points and embeddings.

        Title and metadata may have been edited while the work went on: what was edited stays. The row is locked
        before it is looked at, so that no edit comes between the look and the switch.
        """
        with transaction.atomic():
            edited = self._lock()
            self.spaces.check_readable()
            self._write_text()
            Section.objects.bulk_create(sections_of(self.document, self.version, self.reading.extracted))
            self._write_names(edited)
            self.lease.finish(self.version, chunk_count=len(self.reading.chunks), **self._facts(edited))
            if any(self.payload[name] != value for name, value in edited.metadata.items()):
                mark_metadata_changed(edited)  # the points were written under what it was before
            if self.version > 1:
                self._drop_old_rows()
        self._drop_old_points()
        self._drop_old_images()

    def _lock(self) -> Document:
        found = _locked(document_id=self.lease.document_id, holder=self.lease.holder)
        if not found:
            raise LeaseLost
        return found[0]

    def _facts(self, document: Document) -> dict[str, object]:
        """What the text says about itself, where nobody has said otherwise; also noted on `document`."""
        found = {**self.declared, "title": self.title[:255], "language": self.language}
        facts = {name: value for name, value in found.items() if not getattr(document, name)}
        if "title" in facts:
            facts["title_guessed"] = True
        for name, value in facts.items():
            setattr(document, name, value)
        return {**facts, "page_count": self.reading.extracted.page_count}

    def _write_text(self) -> None:
        extracted = self.reading.extracted
        DocumentText.objects.create(
            document=self.document,
            version=self.version,
            text=extracted.text,
            pages=[page.row for page in extracted.pages],
            headings=[[one.level, one.title, one.start, one.end] for one in extracted.headings],
            pictures=[one.row for one in extracted.pictures],
        )

    def _write_names(self, edited: Document) -> None:
        extracted = self.reading.extracted
        names = names_of(edited.title or self.title, self.document.filename, extracted.text, said_of(edited))
        write_names(self.document, names | question_names(one.title for one in extracted.headings))

    def _drop_old_rows(self) -> None:
        old = Chunk.objects.filter(document=self.document).exclude(version=self.version)
        old_hashes = set(old.values_list("text_hash", flat=True))
        old.delete()
        for rows in (DocumentText.objects, Section.objects):
            rows.filter(document=self.document).exclude(version=self.version).delete()
        forget_embeddings(old_hashes)

    def _drop_old_points(self) -> None:
        if self.version == 1:
            return
        try:
            for index in every_index():
                index.delete_document(self.document.pk, keep_version=self.version)
        except IndexUnavailable:
            logger.warning("the index still has old points of document %s", self.document.pk)

    def _drop_old_images(self) -> None:
        """Nobody asks for them any more; what the store keeps now goes in time."""
        try:
            if self.version > 1:
                forget_pages(self.document, but_version=self.version)
        except Exception as error:  # boto raises its own hierarchy
            logger.warning("the file store still has old pages of a document: %s", describe_error(error))
