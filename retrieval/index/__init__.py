"""Where the vectors are: one interface (`base`), three engines, imported only when one is made."""

from pathlib import Path
from typing import Any

from retrieval.index.base import (
    Candidates,
    Hit,
    IndexLocked,
    IndexOutdated,
    IndexUnavailable,
    InvalidVector,
    Point,
    SparseVector,
    VectorIndex,
)

__all__ = [
    "Candidates",
    "Hit",
    "IndexLocked",
    "IndexOutdated",
    "IndexUnavailable",
    "InvalidVector",
    "Point",
    "SparseVector",
    "VectorIndex",
    "drop_index",
    "is_remote",
    "layout_mark",
    "make_index",
    "open_index",
    "outdated_server",
    "prepare_index",
]


POSTGRESQL = ("postgres://", "postgresql://")


def open_index(collection: str, dimensions: int) -> VectorIndex:
    """The index of an embedding space as the settings place it, opened and ensured; `spaces.opened` keeps it.

    PGVECTOR_URL: a database; QDRANT_URL: a server; otherwise Qdrant Edge in DATA_DIR/index/<collection>. Raises
    IndexUnavailable, IndexLocked, or ValueError if the collection was made with other dimensions.
    """
    from django.conf import settings

    index = make_index(
        collection,
        dimensions,
        url=_url(),
        api_key=settings.QDRANT_API_KEY,
        folder=_folder(),
        acknowledged_by=settings.QDRANT_WRITE_CONSISTENCY,
        connections=settings.PGVECTOR_CONNECTIONS,
    )
    try:
        index.ensure()
    except BaseException:
        index.close()
        raise
    return index


def prepare_index(collection: str, dimensions: int) -> None:
    """On a server, make the collection of a space that nobody reads yet, laid out as its name says.

    One that a process of an older release has made meanwhile, which knows nothing of layouts, is made anew: what it
    held is filled in again. Raises as `open_index`.
    """
    from django.conf import settings

    if not settings.QDRANT_URL:
        return
    from retrieval.index.server import is_laid_out_as_named

    index = open_index(collection, dimensions)
    index.close()
    if not is_laid_out_as_named(settings.QDRANT_URL, settings.QDRANT_API_KEY, collection):
        drop_index(collection)
        open_index(collection, dimensions).close()


def drop_index(collection: str) -> None:
    """Delete a collection and everything in it; idempotent. Close it first: IndexLocked says who has not."""
    from django.conf import settings

    if is_remote():
        index: Any = make_index(collection, 0, url=_url(), api_key=settings.QDRANT_API_KEY, folder=_folder())
        try:
            index.drop()
        finally:
            index.close()
        return
    from retrieval.index.folder import EdgeFolder

    EdgeFolder(_folder() / collection).remove()


def _folder() -> Path:
    from django.conf import settings

    return Path(settings.DATA_DIR) / "index"


def _url() -> str:
    """Of the database or the server that the settings name; empty for Edge."""
    from django.conf import settings

    return str(settings.PGVECTOR_URL or settings.QDRANT_URL)


def is_remote() -> bool:
    """Whether a search waits for a server; otherwise it computes in this process."""
    return bool(_url())


def outdated_server() -> str:
    """Why the server of the settings must not be used, with advice; empty if it may, or there is none.

    Raises IndexUnavailable.
    """
    if not is_remote():
        return ""
    from django.conf import settings

    index = make_index("the index", 0, url=_url(), api_key=settings.QDRANT_API_KEY, folder=_folder())
    try:
        index.version()
    except IndexOutdated as outdated:
        return str(outdated)
    finally:
        index.close()
    return ""


def layout_mark() -> str:
    """The end of the name of a collection that is made now: how it is laid out on a Qdrant server; else empty."""
    from django.conf import settings

    from retrieval.index.server.layout import TENANTS, CollectionLayout

    if settings.PGVECTOR_URL or not settings.QDRANT_URL:
        return ""
    by_tenant = settings.QDRANT_LAYOUT == TENANTS
    return CollectionLayout(by_tenant, settings.QDRANT_SHARDS, settings.QDRANT_REPLICAS).mark


def make_index(
    collection: str,
    dimensions: int,
    *,
    url: str,
    api_key: str = "",
    folder: Path,
    acknowledged_by: int = 1,
    connections: int = 8,
) -> VectorIndex:
    """By its `url` a database's schema or a server's collection, else an Edge folder under `folder`. Not ensured yet.

    `acknowledged_by`: replicas of a Qdrant server; `connections`: to a database, at most.
    """
    if url.startswith(POSTGRESQL):
        from retrieval.index.pgvector import PgvectorIndex

        return PgvectorIndex(url, collection, dimensions, connections)
    if url:
        from retrieval.index.server import ServerIndex, connect

        return ServerIndex(connect(url, api_key), collection, dimensions, acknowledged_by)
    from retrieval.index.edge import EdgeIndex

    return EdgeIndex(folder / collection, dimensions)
