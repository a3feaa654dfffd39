"""What a retrieval is asked and what it answers: frozen values (SPEC §1, §4; API `retrieve`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple
from uuid import UUID

from retrieval.confidence.gate import MIN_CONFIDENCE, Confidence, Gate
from retrieval.places.named import NOTHING_NAMED, Named
from retrieval.ranking.rerank.base import Reranker
from retrieval.text.passages import PassagePart

# Metadata that must match: values by key, or pairs of them. Of pairs all must hold, also two of the same key, which
# matters for tags: one of these, and one of those.
Requirements = Mapping[str, Sequence[str]] | Sequence[tuple[str, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class RetrievalPolicy:
    """How to search. `granularity` is the chunks' nominal size and `budget_tokens` the context's, in tokens;
    `threshold` is on the scale of calibrated relevance; `candidates` is per leg.

    `requirements` and `preferences` name metadata keys and values: the first must match, the second rank higher.
    `min_confidence` is the score from which a retrieval is sufficient (`retrieval.confidence.gate.suffices`).
    `counted_from` is set where so many passages are wanted as `top_k` says, however relevant: the relevance from which
    one counts for the score, so that those behind do not make the answer doubtful. None: each one counts.

    `places` looks up the documents and sections that the question names, before words and meaning.
    Order: `exact_terms` counts a code or an identifier as one word; `recency_half_life_days` prefers the recent;
    `diversity` (0..1) is the weight of novelty against relevance; `rerank` asks the re-ranker, where there is one:
    this `reranker`, else that of the settings;
    `expansions` are other phrasings of the question, of which the first three are searched too.
    Passages: `neighbours` fills what the budget leaves with what stands beside them; `compress` drops the sentences
    that matter least of what exceeds it, instead of the last ones.
    For measuring: `legs` to search with, weights in the place of the embedding space's own. With one leg its own
    order stands, without the words' coverage. Without `unite` neighbours stay chunks of their own.
    """

    top_k: int = 8
    candidates: int = 50
    granularity: int = 800
    threshold: float = 0.3
    budget_tokens: int = 2000
    requirements: Requirements = field(default_factory=dict)
    preferences: Mapping[str, Sequence[str]] = field(default_factory=dict)
    min_confidence: float = MIN_CONFIDENCE
    counted_from: float | None = None
    exact_terms: bool = True
    places: bool = True
    recency_half_life_days: int | None = None
    diversity: float = 0.0
    rerank: bool = False
    reranker: Reranker | None = None
    expansions: tuple[str, ...] = ()
    neighbours: bool = True
    compress: bool = True
    unite: bool = True
    legs: tuple[str, ...] = ("dense", "bm25")
    dense_weight: float | None = None
    bm25_weight: float | None = None


@dataclass(frozen=True, slots=True)
class RetrievedChunk:
    """A passage that the database confirmed: one chunk, or neighbours united under the best one's id.

    `start` and `end` are characters of the document's text; `relevance` is calibrated (0..1), `dense` the raw
    cosine and `bm25` the raw score, None where that leg did not return it; `score` is what the order is made of.
    `version` and `index` are the best chunk's place in its document, which has `document_chunks` of all sizes.
    A passage that had to be shortened says less than the span it stands for: elisions are marked […].
    `parts` are there where a passage is of several sections: it is cited as the one of them that answers
    (`context.narrowing`), and then `heading_path`, `page` and `page_end` are that one's.
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
    score: float = 0.0
    version: int = 0
    index: int = 0
    document_chunks: int = 0
    source_date: date | None = None
    parts: tuple[PassagePart, ...] = ()


class TracedCandidate(NamedTuple):
    """What became of one candidate, in ids and numbers, never text. `kept`: its text, or part of it, is in a passage.

    Kept: "kept", "merged_into" a better passage beside it, or "compressed" to the budget. Else it was "stale" or
    "isolation" (the database did not confirm it), below the "threshold", a "duplicate", set back for "diversity",
    beyond the "budget", or its "rank" was too low, of many before they were even read: then `document` and `corpus`
    are None and `relevance` is 0. `fused` is the score of fusion, before words and preferences.
    """

    chunk: UUID
    document: UUID | None
    corpus: UUID | None
    corpus_type: str
    dense: float | None
    bm25: float | None
    fused: float
    relevance: float
    kept: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One search: its passages, best first, and how far they suffice.

    `gate` says whether an answer may rest on them, and if not why; "disabled" is a search that was not made.
    `timings` in milliseconds by stage; `dropped` counts by reason; `degraded` is None, "embedding_unavailable" (words
    only) or "index_unavailable" (nothing could be searched). `candidates`, best first, tell what became of each;
    `notes` what did not work without harm to the passages: "rerank_unavailable". `named` is what the question names,
    and what of it is not in scope: a retrieval that lacks it is never sufficient for it.
    """

    query: str
    granularity: int
    confidence: Confidence = Confidence.NONE
    score: float = 0.0
    chunks: tuple[RetrievedChunk, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    dropped: Mapping[str, int] = field(default_factory=dict)
    degraded: str | None = None
    gate: Gate = Gate.EMPTY
    candidates: tuple[TracedCandidate, ...] = ()
    notes: tuple[str, ...] = ()
    named: Named = NOTHING_NAMED

    @property
    def sufficient(self) -> bool:
        return self.gate is Gate.SUFFICIENT
