"""The embedding space in use and its index: the one pair that ingestion writes and retrieval reads."""

import threading

from retrieval.embeddings import get_provider
from retrieval.embeddings.base import EmbeddingProvider
from retrieval.index import get_index
from retrieval.index.base import VectorIndex

_opening = threading.Lock()  # two threads opening one folder at once would lock each other out


def current_provider() -> EmbeddingProvider:
    return get_provider()


def current_index() -> VectorIndex:
    """Opened and ensured at the first call. Raises IndexUnavailable or IndexLocked."""
    space = current_provider().space
    with _opening:
        return get_index(space.collection, space.dimensions)


def close() -> None:
    """Give the index back, at the end of the process or to open it with other settings."""
    with _opening:
        if get_index.cache_info().currsize:
            space = current_provider().space
            get_index(space.collection, space.dimensions).close()
        get_index.cache_clear()
