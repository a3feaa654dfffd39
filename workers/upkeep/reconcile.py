"""Database and index compared both ways: the database is right, the index of every space follows (SPEC §3)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from corpora.models import Chunk, Document
from retrieval.index.base import VectorIndex
from retrieval.spaces.opened import current_index, every_index
from workers.queue import hints

BATCH = 500


@dataclass(frozen=True, slots=True)
class Report:
    """What one reconciliation found and did."""

    points: int
    orphans_removed: int
    documents_requeued: int


@dataclass(frozen=True, slots=True)
class Survey:
    """What one index held, after its orphans were removed: `present` counts served points by document."""

    points: int
    orphans_removed: int
    present: Mapping[UUID, int]


def reconcile() -> Report:
    """Remove points that no chunk stands behind, in every space; queue documents that readers miss points of.

    What another space than the one that is read misses is not embedded here but by `workers.upkeep.space_filling`.
    """
    surveys = [survey(index) for index in dict.fromkeys((current_index(), *every_index()))]
    points = sum(one.points for one in surveys)
    removed = sum(one.orphans_removed for one in surveys)
    return Report(points, removed, requeue_incomplete(surveys[0].present))


def survey(index: VectorIndex) -> Survey:
    """Look at every point of an index, and remove those that no chunk stands behind."""
    present: dict[UUID, int] = defaultdict(int)
    points = removed = 0
    for batch in pair_batches(index.point_ids()):
        points += len(batch)
        orphans = unbacked_points(batch, present)
        index.delete_points(orphans)
        removed += len(orphans)
    return Survey(points, removed, present)


def unbacked_points(batch: list[tuple[UUID, UUID]], present: dict[UUID, int]) -> list[UUID]:
    """The points of a batch that no served chunk stands behind; the others are counted by document.

    Documents in work are asked for first: one that ends in between then counts as in work, instead of its new
    points being taken for orphans.
    """
    working = documents_in_work({document for _, document in batch})
    served = Chunk.objects.served().filter(pk__in=[point for point, _ in batch])
    known = dict(served.values_list("pk", "document_id"))
    orphans = []
    for point, document in batch:
        if point in known:
            present[known[point]] += 1
        elif document not in working:
            orphans.append(point)
    return orphans


def pair_batches(pairs: Iterable[tuple[UUID, UUID]]) -> Iterator[list[tuple[UUID, UUID]]]:
    rest = iter(pairs)
    while batch := list(islice(rest, BATCH)):
        yield batch


def documents_in_work(document_ids: set[UUID]) -> set[UUID]:
    """Documents whose points may rightly be ahead of what is served: a worker writes a new version, or will."""
    busy = (Document.Status.PENDING, Document.Status.PROCESSING)
    alive = Document.objects.alive().filter(pk__in=document_ids, status__in=busy)
    return set(alive.values_list("pk", flat=True))


def requeue_incomplete(present: Mapping[UUID, int]) -> int:
    """Queue the indexed documents that have fewer points than chunks, counted again: some were indexed meanwhile."""
    index, requeued = current_index(), 0
    indexed = Document.objects.alive().filter(status=Document.Status.INDEXED).values_list("pk", "chunk_count")
    for document_id, chunk_count in indexed.iterator(BATCH):
        if present.get(document_id, 0) < chunk_count and index.count(document_id) < chunk_count:
            requeued += Document.objects.filter(pk=document_id, status=Document.Status.INDEXED).requeue()
    if requeued:
        hints.hint(hints.INGESTION)
    return requeued
