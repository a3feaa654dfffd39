"""Database and index compared both ways: the database is right, the index of every space follows (SPEC §3)."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from config.faults import describe_error
from corpora.models import Chunk, Document
from corpora.rows.counting.mending import mend_counts
from corpora.uploads import inventory
from retrieval.index.base import PointOwner, VectorIndex
from retrieval.spaces.opened import current_index, every_index
from workers.queue import hints
from workers.upkeep.doctor.findings import shown_reason

logger = logging.getLogger(__name__)

BATCH = 500


@dataclass(frozen=True, slots=True)
class Report:
    """What one reconciliation found and did.

    `misowned`: documents that the index had under another owner than their corpus has, as when rows were moved and ids
    were not, or under another corpus: nobody found them, and they are queued again as well. `originals_missing` and
    `files_unnamed` (files that no row names) are told, and left to who knows which is older, the rows or the files.
    `counts_mended`: the corpora whose kept counts were wrong. `files_unread`: why the files were not compared;
    empty where they were.
    """

    points: int
    orphans_removed: int
    documents_requeued: int
    counts_mended: int = 0
    misowned: int = 0
    originals_missing: int = 0
    files_unnamed: int = 0
    files_unread: str = ""


@dataclass(frozen=True, slots=True)
class FileSurvey:
    """The documents whose originals are missing, how many files no row names, and why nothing is known of them."""

    missing: Set[UUID] = frozenset()
    unnamed: int = 0
    unread: str = ""


@dataclass(frozen=True, slots=True)
class Survey:
    """What one index held, after its orphans were removed: `present` counts served points by document; the
    documents of `misowned` are not found by their readers."""

    points: int
    orphans_removed: int
    present: Mapping[UUID, int]
    misowned: Set[UUID]


def reconcile() -> Report:
    """Remove points that no chunk stands behind, in every space; queue documents that readers miss points of.

    The counts that are kept of each corpus are compared with its documents as well. What another space than the one
    that is read misses is not embedded here but by `workers.upkeep.space_filling`.
    """
    surveys = [survey(index) for index in dict.fromkeys((current_index(), *every_index()))]
    points = sum(one.points for one in surveys)
    removed = sum(one.orphans_removed for one in surveys)
    misowned = {document for one in surveys for document in one.misowned}
    files = survey_files()
    requeued = requeue_incomplete(surveys[0].present, misowned, files.missing)
    told = len(files.missing), files.unnamed, files.unread
    return Report(points, removed, requeued, mend_counts(), len(misowned), *told)


def survey_files() -> FileSurvey:
    """A store that does not answer has told nothing: what is in it is looked at the next time."""
    try:
        missing = frozenset(inventory.missing_originals(Document.objects.alive()).missing)
        unnamed = sum(1 for _ in inventory.unnamed_files())
    except Exception as error:  # boto raises its own hierarchy
        logger.warning("the file store could not be compared: %s", describe_error(error))
        return FileSurvey(unread=shown_reason(error))
    if missing or unnamed:
        logger.warning("%d documents have no original in the file store, %d files no row", len(missing), unnamed)
    return FileSurvey(missing, unnamed)


def survey(index: VectorIndex) -> Survey:
    """Look at every point of an index, and remove those that no chunk stands behind."""
    present: dict[UUID, int] = defaultdict(int)
    misowned: set[UUID] = set()
    points = removed = 0
    for batch in owner_batches(index.point_owners()):
        points += len(batch)
        orphans = unbacked_points(batch, present, misowned)
        index.delete_points(orphans)
        removed += len(orphans)
    return Survey(points, removed, present, misowned)


def unbacked_points(batch: list[PointOwner], present: dict[UUID, int], misowned: set[UUID]) -> list[UUID]:
    """The points of a batch that no served chunk stands behind; the others are counted by document, and the documents
    of those that name another owner or corpus noted, unless they were moved just now and a worker will follow.

    Documents in work are asked for first: one that ends in between then counts as in work, instead of its new
    points being taken for orphans.
    """
    working = documents_in_work({one.document for one in batch})
    served = Chunk.objects.served().filter(pk__in=[one.point for one in batch])
    place = ("document__corpus__organization", "document__corpus__owner", "document__corpus")
    known = {row[0]: row[1:] for row in served.values_list("pk", "document", "document__presence_changed_at", *place)}
    orphans = []
    for point, document, *named in batch:
        if row := known.get(point):
            present[row[0]] += 1
            if row[1] is None and [str(one or "") for one in row[2:]] != named:
                misowned.add(row[0])
        elif document not in working:
            orphans.append(point)
    return orphans


def owner_batches(owners: Iterable[PointOwner]) -> Iterator[list[PointOwner]]:
    rest = iter(owners)
    while batch := list(islice(rest, BATCH)):
        yield batch


def documents_in_work(document_ids: set[UUID]) -> set[UUID]:
    """Documents whose points may rightly be ahead of what is served: a worker writes a new version, or will."""
    busy = (Document.Status.PENDING, Document.Status.PROCESSING)
    alive = Document.objects.alive().filter(pk__in=document_ids, status__in=busy)
    return set(alive.values_list("pk", flat=True))


def requeue_incomplete(present: Mapping[UUID, int], misowned: Set[UUID], unreadable: Set[UUID]) -> int:
    """Queue the indexed documents that have fewer points than chunks, counted again: some were indexed meanwhile; and
    those of another owner's, whose embeddings are kept. What cannot be read again stays as it is."""
    index, requeued = current_index(), 0
    indexed = Document.objects.alive().filter(status=Document.Status.INDEXED).values_list("pk", "chunk_count")
    for document_id, chunk_count in indexed.iterator(BATCH):
        missing = present.get(document_id, 0) < chunk_count and index.count(document_id) < chunk_count
        if (missing or document_id in misowned) and document_id not in unreadable:
            requeued += Document.objects.filter(pk=document_id, status=Document.Status.INDEXED).requeue()
    if requeued:
        hints.hint(hints.INGESTION)
    return requeued
