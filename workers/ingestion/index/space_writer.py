"""The points of one version, written to every embedding space that is kept (ADR 0010).

The active space must take them, or the document waits. The others come along as far as they can: what they miss is
filled in later (`upkeep.space_filling`). One exception: when the active space's model is gone or is another now,
and the space that settings name is being filled in its place, that one is enough.
"""

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias
from uuid import UUID

from retrieval.embeddings.base import EmbeddingError, EmbeddingRejected
from retrieval.index.base import IndexUnavailable, Point
from retrieval.models import SpaceState
from retrieval.spaces import opened, registry
from retrieval.spaces.opened import Target

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

Vectors: TypeAlias = "NDArray[float32]"  # of one batch in one space


def reason(error: EmbeddingError | IndexUnavailable) -> str:
    """For the log: what the engine says may name its address, what embeddings say never does (RELIABILITY R26)."""
    return str(error) if isinstance(error, EmbeddingError) else type(error).__name__


class SpaceWriter:
    """The spaces that still hold all of a version that was written so far."""

    def __init__(self, document_id: UUID) -> None:
        self.document_id = document_id
        self.targets = list(opened.write_targets())
        self.unable: set[str] = set()

    @property
    def waits(self) -> bool:
        """Whether embedding goes over a network."""
        return any(target.provider.waits for target in self.targets)

    def embed(self, texts: Sequence[str]) -> list[tuple[Target, Vectors]]:
        """One batch for every space. Raises the EmbeddingError of a space that cannot be done without."""
        embedded = []
        for target in list(self.targets):
            try:
                embedded.append((target, target.provider.embed_documents(texts)))
            except EmbeddingError as error:
                self._leave_out(target, error)
        return embedded

    def upsert(self, embedded: Sequence[tuple[Target, Vectors]], points: Callable[[Vectors], list[Point]]) -> None:
        """`points` makes a batch's points of its vectors. Raises IndexUnavailable of the active space."""
        for target, vectors in embedded:
            try:
                target.index.upsert(points(vectors))
            except IndexUnavailable as error:
                self._leave_out(target, error)

    def check_readable(self) -> None:
        """Before readers are switched to the version: IndexUnavailable if the space in use does not hold it.

        It was made active meanwhile, and this writer did not know of it or had left it out: do it again.
        """
        whole = {target.collection for target in self.targets}
        spaces = [space for space in registry.spaces(fresh=True) if space.collection in whole]
        in_use = registry.active_space()
        if in_use.collection in whole:
            return
        if in_use.collection not in self.unable or not any(map(registry.is_readable_soon, spaces)):
            raise IndexUnavailable(f"{in_use.collection} came into use while document {self.document_id} was written")

    def _leave_out(self, target: Target, error: EmbeddingError | IndexUnavailable) -> None:
        if target.state == SpaceState.State.ACTIVE:
            gone = isinstance(error, EmbeddingRejected) or not target.provider.is_reachable
            if not gone or not self._has_successor():
                raise error
            self.unable.add(target.collection)
        self.targets.remove(target)
        logger.warning("document %s is not written to %s: %s", self.document_id, target.collection, reason(error))
        if not self.targets:
            raise error

    def _has_successor(self) -> bool:
        wanted = registry.wanted_space().collection
        return any(one.state == SpaceState.State.FILLING and one.collection == wanted for one in self.targets)
