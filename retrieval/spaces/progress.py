"""How full a space is, by plain counts."""

from dataclasses import dataclass

from corpora.models import Chunk
from retrieval.models import SpaceState
from retrieval.spaces import opened


@dataclass(frozen=True, slots=True)
class Progress:
    """`points` in a space's collection, of the `chunks` that readers are shown."""

    points: int
    chunks: int

    @property
    def share(self) -> float:
        """0..1; a document that is written at this moment may be ahead of what is shown."""
        return min(1.0, self.points / self.chunks) if self.chunks else 1.0


def space_progress(space: SpaceState) -> Progress:
    """Raises IndexUnavailable, or IndexLocked while another process has the folder."""
    return Progress(opened.index_of(space).count(), Chunk.objects.served().count())
