"""The index against the database: how many points, and whose, by a sample. `reconcile` compares all, and mends."""

from collections import defaultdict
from itertools import islice
from pathlib import Path
from uuid import UUID

from django.conf import settings

from retrieval.index import IndexOutdated
from retrieval.index.base import IndexDiskFault, IndexLocked, IndexUnavailable
from retrieval.spaces import opened
from retrieval.spaces.progress import space_progress
from retrieval.spaces.registry import active_space
from workers.upkeep.doctor.findings import ON_DISKS, DoctorWishes, Found, doubtful, fine, wrong
from workers.upkeep.reconcile import unbacked_points

SAMPLED = 500  # points
RECONCILE = "Run: python manage.py reconcile (it says what differs, and repairs the index)."

REBUILD = (
    "Look at the rights of its files. If it is damaged: stop the server, move the folder away, run: manage.py reindex"
)


def examine_index(_: DoctorWishes) -> Found:
    space = active_space(fresh=True)
    if settings.EMBEDDED and not (Path(settings.DATA_DIR) / "index" / space.collection).exists():
        return fine("embedded, and nothing was indexed yet")
    try:
        index = opened.index_of(space)
        version = index.version() if not settings.EMBEDDED else "embedded"
        if not index.healthy():
            return wrong(f"{space.collection} is not healthy", "Look at the index server's own log.")
    except IndexLocked:
        return fine("embedded, open in the running server; `reconcile` compares it there")
    except IndexOutdated as error:
        return wrong(str(error), "Upgrade the Qdrant server to 1.19 or newer.")
    except IndexUnavailable as error:
        return unopened(error, space.collection)
    count = space_progress(space)
    said = f"{version}, {space.collection}: {count.points} points of {count.chunks} chunks"
    present: dict[UUID, int] = defaultdict(int)
    misowned: set[UUID] = set()
    orphans = unbacked_points(list(islice(index.point_owners(), SAMPLED)), present, misowned)
    if misowned:
        return wrong(f"{said}; {len(misowned)} documents of {SAMPLED} points are under another owner", RECONCILE)
    if orphans or count.points < count.chunks:
        return doubtful(f"{said}; of a sample {len(orphans)} belong to no chunk", RECONCILE)
    return fine(said)


def unopened(error: IndexUnavailable, collection: str) -> Found:
    if isinstance(error, IndexDiskFault):
        return wrong(str(error), ON_DISKS)
    if settings.EMBEDDED:
        return wrong(f"the index in {Path(settings.DATA_DIR) / 'index' / collection} cannot be opened", REBUILD)
    advice = "Look whether the server runs, and at QDRANT_URL and QDRANT_API_KEY. Questions have no context now."
    return wrong("the index does not answer", advice)
