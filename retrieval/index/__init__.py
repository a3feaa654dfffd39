"""Where the vectors are: one interface (`base`), two engines, imported only when one is made."""

from pathlib import Path

from retrieval.index.base import (
    Candidates,
    Hit,
    IndexLocked,
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
    "IndexUnavailable",
    "InvalidVector",
    "Point",
    "SparseVector",
    "VectorIndex",
    "drop_index",
    "is_remote",
    "make_index",
    "open_index",
]


def open_index(collection: str, dimensions: int) -> VectorIndex:
    """The index of an embedding space as the settings place it, opened and ensured; `spaces.opened` keeps it.

    QDRANT_URL: a server; otherwise Qdrant Edge in DATA_DIR/index/<collection>. Raises IndexUnavailable,
    IndexLocked, or ValueError if the collection was made with other dimensions.
    """
    from django.conf import settings

    url, api_key = settings.QDRANT_URL, settings.QDRANT_API_KEY
    index = make_index(collection, dimensions, url=url, api_key=api_key, folder=_folder())
    try:
        index.ensure()
    except BaseException:
        index.close()
        raise
    return index


def drop_index(collection: str) -> None:
    """Delete a collection and everything in it; idempotent. Close it first: IndexLocked says who has not."""
    from django.conf import settings

    if settings.QDRANT_URL:
        from retrieval.index.server import ServerIndex, connect

        index = ServerIndex(connect(settings.QDRANT_URL, settings.QDRANT_API_KEY), collection, dimensions=0)
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


def is_remote() -> bool:
    """Whether a search waits for a server; otherwise it computes in this process."""
    from django.conf import settings

    return bool(settings.QDRANT_URL)


def make_index(collection: str, dimensions: int, *, url: str, api_key: str = "", folder: Path) -> VectorIndex:
    """A server's collection if there is a `url`, else an Edge folder under `folder`. Not ensured yet."""
    if url:
        from retrieval.index.server import ServerIndex, connect

        return ServerIndex(connect(url, api_key), collection, dimensions)
    from retrieval.index.edge import EdgeIndex

    return EdgeIndex(folder / collection, dimensions)
