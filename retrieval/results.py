"""What a retrieval is asked and what it answers: frozen values (SPEC §1, §4; API `retrieve`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from retrieval.confidence import Confidence


@dataclass(frozen=True, slots=True)
class RetrievalPolicy:
    """How to search. `granularity` is the chunks' nominal size and `budget_tokens` the context's, in tokens;
    `threshold` is on the scale of calibrated relevance; `candidates` is per leg.

    `requirements` and `preferences` map metadata keys to values: the first must match, the second rank higher.
    """

    top_k: int = 8
    candidates: int = 50
    granularity: int = 800
    threshold: float = 0.3
    budget_tokens: int = 2000
    requirements: Mapping[str, Sequence[str]] = field(default_factory=dict)
    preferences: Mapping[str, Sequence[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RetrievedChunk:
    """A passage that the database confirmed: one chunk, or neighbours united under the best one's id.

    `start` and `end` are characters of the document's text; `relevance` is calibrated (0..1), `dense` the raw
    cosine and `bm25` the raw score, None where that leg did not return it.
    """

    chunk: UUID
    document: UUID
    title: str
    corpus: UUID
    corpus_name: str
    corpus_type: str
    page: int | None
    page_end: int | None
    heading_path: tuple[str, ...]
    text: str
    token_count: int
    start: int
    end: int
    relevance: float
    dense: float | None
    bm25: float | None
    language: str


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One search: its passages, best first, and how far they suffice.

    `timings` in milliseconds by stage; `dropped` counts by reason; `degraded` is None,
    "embedding_unavailable" (words only) or "index_unavailable" (nothing could be searched).
    """

    query: str
    granularity: int
    confidence: Confidence = Confidence.NONE
    score: float = 0.0
    chunks: tuple[RetrievedChunk, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    degraded: str | None = None

    @property
    def sufficient(self) -> bool:
        return self.confidence.is_sufficient
