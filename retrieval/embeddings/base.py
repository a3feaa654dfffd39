"""What an embedding provider is, and the space its vectors live in (SPEC §2, §4)."""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


class EmbeddingError(Exception):
    """No usable vectors came back. Messages name the fault, never a text or a key (RELIABILITY R24, R26)."""


class EmbeddingUnavailable(EmbeddingError):
    """The model server cannot be reached or is overloaded; the same call may work later."""


class EmbeddingBusy(EmbeddingUnavailable):
    """The server is there, but does not take this call now: others may be served, and the same one later."""


class EmbeddingRejected(EmbeddingError):
    """The server answered with something that must not be indexed; the same call would fail again."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How much of an answer a passage promises, from its cosine and from the question's words in it.

    evidence = cosine_weight · lift + coverage_weight · coverage, then piecewise linear through `points`
    (evidence, relevance), both ascending. `lift` is the cosine's share of the way from `background`, the
    cosine of what is irrelevant, to 1. Where nobody measured the background of a model, it is None and the
    last dense hit of the query stands for it: the candidates' tail is irrelevant in any corpus that is larger
    than the tail.
    """

    points: tuple[tuple[float, float], ...]
    cosine_weight: float = 1.0
    coverage_weight: float = 1.0
    background: float | None = 0.0

    def relevance(self, cosine: float, coverage: float, tail: float = 0.0) -> float:
        """Relevance in 0..1 of a passage; `tail` is the cosine of the query's last dense hit."""
        return self._interpolate(self.evidence(cosine, coverage, tail))

    def evidence(self, cosine: float, coverage: float, tail: float = 0.0) -> float:
        """What `points` turn into relevance; from 0, without a scale of its own."""
        floor = min(self.background if self.background is not None else tail, 0.99)
        lift = max(0.0, (cosine - floor) / (1.0 - floor))
        return self.cosine_weight * lift + self.coverage_weight * coverage

    def _interpolate(self, evidence: float) -> float:
        right = bisect_right(self.points, (evidence, float("inf")))
        if right == 0:
            return self.points[0][1]
        if right == len(self.points):
            return self.points[-1][1]
        (x0, y0), (x1, y1) = self.points[right - 1], self.points[right]
        return y0 + (y1 - y0) * (evidence - x0) / (x1 - x0)


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What a model was taught to read before a question and before a passage; other ones give other vectors."""

    query: str = ""
    document: str = ""

    @property
    def mark(self) -> str:
        """Of a space's name; empty without any, so that the names of such spaces stay as they are."""
        if not (self.query or self.document):
            return ""
        return "-" + hashlib.sha256(f"{self.query}\0{self.document}".encode()).hexdigest()[:6]


NO_PREFIXES = Prefixes()


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """A model at a dimension, told in its own words what is a question: what may be compared with what. Each has a
    collection of its own (SPEC §2), and one for each `layout` that a server keeps it in (ADR 0017): the vectors, the
    cached embeddings and the calibration of two layouts are the same."""

    model: str
    dimensions: int
    dense_weight: float
    bm25_weight: float
    calibration: Calibration
    prefixes: Prefixes = NO_PREFIXES
    layout: str = ""

    @property
    def collection(self) -> str:
        """A name that is safe for a folder, a collection and a column; different spaces never share it."""
        safe = re.sub(r"[^a-z0-9._-]+", "-", self.model.lower()).strip("-.")[:60]
        if safe != self.model:
            safe += "-" + hashlib.sha256(self.model.encode()).hexdigest()[:8]
        return f"{safe}-{self.dimensions}{self.prefixes.mark}{self.layout}"


class EmbeddingProvider(Protocol):
    """Turns texts into vectors of one space. Safe to share between threads.

    `waits`: whether a question's embedding comes over a network, and is better awaited than computed.
    """

    space: EmbeddingSpace
    waits: bool = False

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[float32]":
        """(n, d) float32, L2-normalised, in the order of `texts`. Raises EmbeddingError."""
        ...

    def embed_queries(self, texts: Sequence[str]) -> "NDArray[float32]":
        """(n, d) float32 of a question's phrasings, in one request, within seconds. Raises EmbeddingError."""
        ...

    async def aembed_queries(self, texts: Sequence[str]) -> "NDArray[float32]":
        """`embed_queries` on the event loop, for a provider that waits."""
        return self.embed_queries(texts)

    def embed_query(self, text: str) -> "NDArray[float32]":
        """(d,) float32 of a question."""
        vector: NDArray[float32] = self.embed_queries([text])[0]
        return vector
