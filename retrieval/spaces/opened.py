"""The embedding spaces at work: the one that is read, and all that are written and deleted from.

Every process keeps the indexes of its spaces open. Which one is read is the database's to say (`spaces.registry`);
a whole question is answered within one space, whatever is switched meanwhile (`one_space`).
"""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from retrieval.embeddings import provider_for
from retrieval.embeddings.base import EmbeddingProvider, EmbeddingSpace, Prefixes
from retrieval.embeddings.remembering import with_memory
from retrieval.index import drop_index, open_index, prepare_index
from retrieval.index.base import IndexUnavailable, VectorIndex
from retrieval.models import SpaceState
from retrieval.spaces import registry
from retrieval.spaces.guard import GuardedProvider

logger = logging.getLogger(__name__)

OPENING_SECONDS = 0.8  # a question does not wait longer for another one that is opening the index
_opening = threading.Lock()  # two threads opening one folder at once would lock each other out
_indexes: dict[str, VectorIndex] = {}
_guards: dict[tuple[str, Path | None], tuple[EmbeddingProvider, GuardedProvider]] = {}
_reading: ContextVar[SpaceState | None] = ContextVar("reading", default=None)
_kept_in: ContextVar[Path | None] = ContextVar("kept_in", default=None)


@dataclass(frozen=True, slots=True)
class Target:
    """A space that new points go to: who embeds for it, and where its points are."""

    collection: str
    state: str
    provider: GuardedProvider
    index: VectorIndex


@contextmanager
def one_space(space: SpaceState | None = None) -> Iterator[None]:
    """Within it, this thread reads `space`, or the one that is active as of now; also a decorator."""
    token = _reading.set(space or _reading.get() or registry.active_space())
    try:
        yield
    finally:
        _reading.reset(token)


@contextmanager
def embeddings_kept(folder: Path) -> Iterator[None]:
    """Within it, what this thread embeds is kept in `folder` and not paid for again (`embeddings.remembering`)."""
    token = _kept_in.set(folder)
    try:
        yield
    finally:
        _kept_in.reset(token)


def space_in_use() -> SpaceState:
    """The one that is read here and now: that of `one_space`, else the active one."""
    return _reading.get() or registry.active_space()


def current_provider() -> EmbeddingProvider:
    """Of the space that is read."""
    return provider_of(space_in_use())


def current_index() -> VectorIndex:
    """Of the space that is read; opened and ensured at the first call. Raises IndexUnavailable or IndexLocked."""
    return index_of(space_in_use())


def provider_of(space: SpaceState) -> GuardedProvider:
    """The space's model at the settings' endpoint, its vectors checked against the space's probe."""
    folder = _kept_in.get()
    provider = provider_for(space.model, space.dimensions, Prefixes(space.query_prefix, space.document_prefix))
    if folder is not None:
        provider = with_memory(cast(Any, provider), folder)
    known = _guards.get((space.collection, folder))
    if known is None or known[0] is not provider:
        known = _guards[space.collection, folder] = (provider, GuardedProvider(provider, space.collection))
    known[1].learn(space.probe)
    return known[1]


def index_of(space: SpaceState) -> VectorIndex:
    """Opened and ensured at the first call. Raises IndexUnavailable or IndexLocked."""
    if index := _indexes.get(space.collection):
        return index
    if not _opening.acquire(timeout=OPENING_SECONDS):
        raise IndexUnavailable("the index is still being opened")
    try:
        if space.collection not in _indexes:
            _indexes[space.collection] = open_index(space.collection, space.dimensions)
        return _indexes[space.collection]
    finally:
        _opening.release()


def target_of(space: SpaceState) -> Target:
    return Target(space.collection, space.state, provider_of(space), index_of(space))


def start_filling(expected: EmbeddingSpace) -> SpaceState:
    """The row of the wanted space, which is filled from now on if it is not in use.

    Its collection is there first: whichever process reads of it opens it, and one of an older release would make it
    as it made its own.
    """
    if expected.collection != registry.active_space(fresh=True).collection:
        prepare_index(expected.collection, expected.dimensions)
    return registry.begin_filling(expected)


def write_targets() -> tuple[Target, ...]:
    """Where a new version's points go: the active space first, then those that are kept beside it.

    Raises what keeps the active one from being opened. Another that cannot be is left out: it is filled up later.
    """
    targets = []
    for space in registry.spaces(fresh=True):
        try:
            if registry.takes_writes(space):
                targets.append(target_of(space))
        except (IndexUnavailable, ValueError) as error:
            if space.state == SpaceState.State.ACTIVE:
                raise
            logger.warning("%s is not written to: %s", space.collection, type(error).__name__)
    return tuple(targets)


def every_index() -> tuple[VectorIndex, ...]:
    """The index of every space, as of now: what is deleted or changed is so in all. Raises IndexUnavailable."""
    return tuple(index_of(space) for space in registry.spaces(fresh=True))


def drop(space: SpaceState) -> None:
    """Close a space's index and delete its collection; idempotent."""
    with _opening:
        if index := _indexes.pop(space.collection, None):
            index.close()
        for key in [key for key in _guards if key[0] == space.collection]:
            del _guards[key]
        drop_index(space.collection)


def close() -> None:
    """Give the indexes back, at the end of the process or to open them with other settings."""
    with _opening:
        while _indexes:
            _indexes.popitem()[1].close()
        _guards.clear()
    registry.forget_spaces()
