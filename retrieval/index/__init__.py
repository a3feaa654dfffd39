"""Where the vectors are: one interface (`base`), two engines, imported only when one is made."""

from functools import lru_cache
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
    "get_index",
    "make_index",
]


@lru_cache(maxsize=8)
def get_index(collection: str, dimensions: int) -> VectorIndex:
    """The index of an embedding space as the settings place it, opened and ensured once a process.

    QDRANT_URL: a server; otherwise Qdrant Edge in DATA_DIR/index/<collection>. Raises IndexUnavailable,
    IndexLocked, or ValueError if the collection was made with other dimensions; nothing of a failure is
    cached.
    """
    from django.conf import settings

    folder = Path(settings.DATA_DIR) / "index"
    index = make_index(collection, dimensions, url=settings.QDRANT_URL, api_key=settings.QDRANT_API_KEY, folder=folder)
    try:
        index.ensure()
    except BaseException:
        index.close()
        raise
    return index


def make_index(collection: str, dimensions: int, *, url: str, api_key: str = "", folder: Path) -> VectorIndex:
    """A server's collection if there is a `url`, else an Edge folder under `folder`. Not ensured yet."""
    if url:
        from retrieval.index.server import ServerIndex, connect

        return ServerIndex(connect(url, api_key), collection, dimensions)
    from retrieval.index.edge import EdgeIndex

    return EdgeIndex(folder / collection, dimensions)
