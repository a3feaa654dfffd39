"""Filling an embedding space from the chunks that the database has: nothing is extracted or cut again (ADR 0010).

The index itself says what is missing, so a fill that was killed goes on where it stopped, whoever goes on with it.
Documents are written, edited and deleted meanwhile: what is written here is looked at again afterwards, as a second
reader of the database, and what no chunk stands behind any more is taken back.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import transaction
from django.db.models import Count
from django.utils import timezone

from corpora.models import Chunk, Document
from retrieval.embeddings.cache import text_hash
from retrieval.index import bm25
from retrieval.index.base import Point, SparseVector, VectorIndex
from retrieval.models import SpaceState
from retrieval.spaces.opened import Target, target_of
from retrieval.text.passages import indexed_text
from workers.ingestion.index.payload import payload_of
from workers.jobs.erase import forget_embeddings
from workers.upkeep.reconcile import survey

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

BATCH = 800  # chunks at a time: eight requests of a hundred in flight, some 10 MB of vectors
DOCUMENTS_AT_ONCE = 100
PASSES = 3  # what documents in work leave behind is small; the rest is for the next round

stopping = threading.Event()  # set when the process is about to end: the fill gives up after its batch


@dataclass(frozen=True, slots=True)
class Missing:
    """What a space lacks of what readers are shown: chunks by document. Empty: it holds all that and nothing else."""

    chunks: dict[UUID, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.chunks.values())


def missing_from(index: VectorIndex) -> Missing:
    """Compare an index with the database point by point; points that no chunk stands behind are removed."""
    present = survey(index).present
    counted = Chunk.objects.served().order_by().values_list("document").annotate(chunks=Count("pk"))
    lacking = {document: chunks - present.get(document, 0) for document, chunks in counted.iterator()}
    return Missing({document: chunks for document, chunks in lacking.items() if chunks > 0})


def fill(
    space: SpaceState,
    report: Callable[[int, int], None] = lambda done, total: None,
    go_on: Callable[[], bool] = lambda: True,
    rate: int = 0,
) -> Missing:
    """Embed and write what a space lacks; returns what it lacked when last compared: nothing once it is complete.

    `report(done, total)` counts chunks. `go_on` is asked before each batch. `rate`: at most so many chunks a second on
    average, for a model or an index that others need meanwhile; 0: as fast as it goes. Raises EmbeddingError and
    IndexUnavailable: what was written stays, and counts at the next call.
    """
    target = target_of(space)
    for _ in range(PASSES):
        missing = missing_from(target.index)
        if not missing.total:
            return missing
        done, began = 0, time.monotonic()
        for batch in chunk_batches(served_chunks_of(list(missing.chunks)), min(BATCH, rate or BATCH)):
            if stopping.is_set() or not go_on():
                return missing
            write_chunks(target, batch)
            done += len(batch)
            report(done, max(done, missing.total))
            if rate:
                stopping.wait(max(0.0, began + done / rate - time.monotonic()))
    return missing_from(target.index)


def served_chunks_of(documents: Sequence[UUID]) -> Iterator[Chunk]:
    """The served chunks of documents, each with its document and corpus; those of one document stay together."""
    for start in range(0, len(documents), DOCUMENTS_AT_ONCE):
        served = Chunk.objects.served().filter(document__in=documents[start : start + DOCUMENTS_AT_ONCE])
        in_order = served.order_by("document", "granularity", "index").select_related("document__corpus")
        yield from in_order.iterator(BATCH)


def chunk_batches(chunks: Iterator[Chunk], size: int = BATCH) -> Iterator[list[Chunk]]:
    while batch := list(islice(chunks, size)):
        yield batch


def write_chunks(target: Target, chunks: list[Chunk]) -> None:
    """Embed chunks and write their points; then undo what was outrun by a deletion or an edit."""
    texts = [indexed_text(chunk.document.title, chunk.heading_path, chunk.text) for chunk in chunks]
    note_new_titles(chunks, texts)
    vectors = target.provider.embed_documents(texts)
    target.index.upsert(points_of(chunks, vectors, sparse_of(chunks, texts)))
    retract(target.index, chunks)
    follow_edits(target.index, chunks)


def note_new_titles(chunks: Sequence[Chunk], texts: Sequence[str]) -> None:
    """A title that was edited since is embedded as it is now; its chunks are known by their new text from here on.

    Else the erasure of the document would not find the embedding that is cached now.
    """
    renamed, former = [], set()
    for chunk, text in zip(chunks, texts, strict=True):
        key = text_hash(text)
        if chunk.text_hash != key:
            former.add(chunk.text_hash)
            chunk.text_hash = key
            renamed.append(chunk)
    if renamed:
        with transaction.atomic():
            Chunk.objects.bulk_update(renamed, ["text_hash"], batch_size=100)
            forget_embeddings(former)


def sparse_of(chunks: Sequence[Chunk], texts: Sequence[str]) -> list[SparseVector]:
    """BM25 terms in the order of the texts, each analysed in its document's language."""
    of_language: dict[str, list[int]] = {}
    for position, chunk in enumerate(chunks):
        of_language.setdefault(chunk.document.language, []).append(position)
    found: dict[int, SparseVector] = {}
    for language, positions in of_language.items():
        terms = bm25.encode_documents([texts[position] for position in positions], language)
        found |= dict(zip(positions, terms, strict=True))
    return [found[position] for position in range(len(texts))]


def points_of(chunks: Sequence[Chunk], vectors: "NDArray[float32]", sparse: Sequence[SparseVector]) -> list[Point]:
    payloads: dict[UUID, dict[str, Any]] = {}
    points = []
    for chunk, dense, terms in zip(chunks, vectors, sparse, strict=True):
        if chunk.document_id not in payloads:
            payloads[chunk.document_id] = payload_of(chunk.document, chunk.version)
        payload = payloads[chunk.document_id] | {"granularity": str(chunk.granularity)}
        points.append(Point(id=chunk.pk, dense=dense, sparse=terms, payload=payload))
    return points


def retract(index: VectorIndex, chunks: Sequence[Chunk]) -> None:
    """Remove what was written of documents that were deleted or replaced while their vectors were on the way.

    A deletion marks the document before it removes points: either it came after our points, or we see its mark.
    """
    served = set(Chunk.objects.served().filter(pk__in=[chunk.pk for chunk in chunks]).values_list("pk", flat=True))
    gone = [chunk for chunk in chunks if chunk.pk not in served]
    index.delete_points([chunk.pk for chunk in gone])
    forget_embeddings({chunk.text_hash for chunk in gone})


def follow_edits(index: VectorIndex, chunks: Sequence[Chunk]) -> None:
    """Write the metadata of documents that were edited meanwhile, and note that those that were moved follow."""
    used = {chunk.document_id: chunk.document for chunk in chunks}
    for document in Document.objects.alive().filter(pk__in=used):
        if document.metadata != used[document.pk].metadata:
            index.set_metadata(document.pk, document.metadata)
        if document.corpus_id != used[document.pk].corpus_id:
            Document.objects.filter(pk=document.pk).update(presence_changed_at=timezone.now())
