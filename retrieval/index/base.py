"""The vector index as the rest of Acervo sees it: values, errors and the one interface of both engines."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from uuid import UUID

from corpora.metadata.names import FREE_FIELD, METADATA_FIELDS
from retrieval.filters import DATE_KEY, SearchFilter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DENSE, SPARSE = "dense", "bm25"  # the named vectors of a point
TENANT_KEY = "organization_id"
KEYWORD_KEYS = (
    TENANT_KEY,
    "corpus_id",
    "corpus_type",
    "user_id",
    "document_id",
    "granularity",
    *METADATA_FIELDS,
    FREE_FIELD,
)
OWNER_KEYS = ("document_id", TENANT_KEY, "user_id", "corpus_id")
INTEGER_KEYS = ("version", DATE_KEY)

# HNSW as SPEC §2 asks.
HNSW_M, HNSW_EF_CONSTRUCT = 16, 100
# Below this many points in a scope the engine's planner compares every vector, above it walks the graph, as soon as its
# estimate is sure: 53,700 of 120,000 it still compared.
# Measured with 60,000 clustered vectors of 1536 on Edge by their codes (`edge_shard._config`), on two slow cores: all
# of them by the graph 1.5 ms, a third of them compared 4.8 and walked 6.1. The graph is walked with ACORN (Patel et al.
# 2024) and ef 256 or not at all: plain, it found .03 of the nearest ten of a scope of 10,000.
EXACT_BELOW = 50_000
HNSW_EF_SEARCH, ACORN_MAX_SELECTIVITY = 256, 0.9
# float16 against float32: half the memory, scans 1.5 times as fast, scores differ by 3e-5 at most.
BYTES_PER_DIMENSION = 2


class IndexUnavailable(Exception):
    """The engine cannot be reached, is too slow or refused: answer without context, or try again later."""


class IndexRefused(IndexUnavailable):
    """The engine is there and refuses this very request: others are none the worse."""


class IndexOutdated(IndexUnavailable):
    """The server is there, but of a version that ranks wrongly: nothing is asked of it. The message has advice."""

    code = "index_outdated"


class IndexDiskFault(IndexUnavailable):
    """The disk of the embedded index is full or takes no writes. The message is a sentence for operators."""


class IndexLocked(Exception):
    """Another process has this Edge folder open: one process a folder; several need a QDRANT_URL."""


class InvalidVector(ValueError):
    """A vector of the wrong length or with values that are not finite; no engine gets to see it."""


@dataclass(frozen=True, slots=True)
class SparseVector:
    """Term ids (distinct, 32 bits unsigned) and their weights, of equal length."""

    indices: tuple[int, ...]
    values: tuple[float, ...]

    def __bool__(self) -> bool:
        return bool(self.indices)


@dataclass(frozen=True, slots=True)
class Point:
    """One chunk: `dense` is (dimensions,) float32, `sparse` may be empty, `payload` holds ids (SPEC §2)."""

    id: UUID
    dense: "NDArray[np.float32]"
    sparse: SparseVector
    payload: Mapping[str, Any]


class PointOwner(NamedTuple):
    """Whose and where a point is by its payload; without a document it has the nil UUID, else what it does not name is
    empty."""

    point: UUID
    document: UUID
    organization: str
    user: str
    corpus: str


class Hit(NamedTuple):
    """A point and its score: cosine (-1..1) for the dense leg, BM25 (0..) for the sparse one."""

    id: UUID
    score: float


@dataclass(frozen=True, slots=True)
class Candidates:
    """The hits of both legs, each best first; equal scores are ordered by id."""

    dense: tuple[Hit, ...] = ()
    sparse: tuple[Hit, ...] = ()


class VectorIndex(Protocol):
    """One collection of one embedding space. Thread-safe; every method may raise IndexUnavailable."""

    def ensure(self) -> None:
        """Create the collection and its payload indexes if missing. ValueError: other dimensions."""

    def upsert(self, points: Iterable[Point]) -> None:
        """Write or replace points; all are checked first: one InvalidVector and none is written."""

    def search(
        self,
        dense: "NDArray[np.float32] | None",
        sparse: SparseVector | None,
        where: SearchFilter,
        limit: int,
    ) -> Candidates:
        """The best `limit` points of each leg under one filter; a leg that is None or empty is skipped."""

    def delete_document(self, document_id: UUID, keep_version: int | None = None) -> None:
        """Remove a document's points, all of them or those of every version but one."""

    def delete_points(self, ids: Sequence[UUID]) -> None:
        """Remove these points; unknown ids are no error."""

    def delete_corpus(self, corpus_id: UUID) -> None:
        """Remove every point of a corpus."""

    def set_metadata(self, document_id: UUID, metadata: Mapping[str, Any]) -> None:
        """Make a document's metadata exactly this; keys without a value go. ValueError: another key."""

    def count(self, document_id: UUID | None = None) -> int:
        """How many points there are, exactly."""

    def point_ids(self, batch: int = 1000) -> Iterator[tuple[UUID, UUID]]:
        """(point id, document id) of every point; a point without a document comes with the nil UUID."""

    def point_owners(self, batch: int = 1000) -> Iterator[PointOwner]:
        """Every point with what it is filtered by: the organization, the corpus, and the user of a personal one."""

    def optimize(self) -> bool:
        """Reclaim deleted space, build graphs: takes minutes, in a background thread. True if it changed."""

    def healthy(self) -> bool:
        """Whether the engine answers now, in a version that ranks rightly; never raises."""

    def version(self) -> str:
        """The engine's name and version, for operators. Raises IndexOutdated too."""

    def close(self) -> None:
        """Release the folder or the connections; idempotent."""
