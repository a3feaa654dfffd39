"""The embedding space in use and its index: the one pair that ingestion writes and retrieval reads."""

import threading
from collections.abc import Callable
from typing import TypeVar

from retrieval.breaker import CircuitBreaker
from retrieval.embeddings import get_provider
from retrieval.embeddings.base import EmbeddingProvider
from retrieval.index import get_index
from retrieval.index.base import IndexUnavailable, VectorIndex

Found = TypeVar("Found")

OPENING_SECONDS = 0.8  # a question does not wait longer for another one that is opening the index
_breaker = CircuitBreaker()
_opening = threading.Lock()  # two threads opening one folder at once would lock each other out


def current_provider() -> EmbeddingProvider:
    return get_provider()


def current_index() -> VectorIndex:
    """Opened and ensured at the first call. Raises IndexUnavailable or IndexLocked."""
    space = current_provider().space
    if not _opening.acquire(timeout=OPENING_SECONDS):
        raise IndexUnavailable("the index is still being opened")
    try:
        return get_index(space.collection, space.dimensions)
    finally:
        _opening.release()


def searched(search: Callable[[VectorIndex], Found]) -> Found:
    """What `search` finds in the current index. Raises IndexUnavailable, and at once while the breaker is open:
    an index server that does not answer costs the first questions a second and the next ones nothing."""
    if not _breaker.allows():
        raise IndexUnavailable("the index did not answer before and is left alone for a while")
    try:
        found = search(current_index())
    except IndexUnavailable:
        _breaker.failed()
        raise
    _breaker.succeeded()
    return found


def close() -> None:
    """Give the index back, at the end of the process or to open it with other settings."""
    with _opening:
        if get_index.cache_info().currsize:
            space = current_provider().space
            get_index(space.collection, space.dimensions).close()
        get_index.cache_clear()
    _breaker.succeeded()
