"""The one entry to what is known: `retrieve(query, scope, policy)` (SPEC §4).

embed → search both legs under the scope's filter → fuse → read back in scope → order → threshold,
duplicates, top-k, neighbours → confidence → budget. The index proposes, the database disposes (SPEC §2.3): no
passage is returned that the database did not confirm within the scope in this very call.

Fail-safe: without the embedding server words alone are searched, without the index there is no context; both
are marked `degraded`. Without the database there is no authorization: `django.db.DatabaseError` goes up to
the caller.
"""

import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from corpora.scope import Scope
from retrieval import ranking
from retrieval.bm25 import encode_query
from retrieval.budget import fit
from retrieval.confidence import confidence, score
from retrieval.confirmation import confirmed
from retrieval.coverage import coverages
from retrieval.current import current_index, current_provider
from retrieval.embeddings.base import EmbeddingError, EmbeddingProvider, EmbeddingSpace
from retrieval.embeddings.spaces import WORDS
from retrieval.filters import search_filter
from retrieval.fusion import Fused, fuse
from retrieval.index.base import Candidates, IndexLocked, IndexUnavailable
from retrieval.passages import indexed_text
from retrieval.preference import preferred
from retrieval.results import Retrieval, RetrievalPolicy, RetrievedChunk

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

# Shares in the final order beside the fused score (0..1). The words' coverage corrects BM25, which lets one
# frequent word outweigh a missing one; measured in `retrieval.fusion`. A preference decides between passages
# of like score.
COVERAGE_SHARE, PREFERENCE_SHARE = 0.2, 0.2
DEFAULT_POLICY = RetrievalPolicy()


def retrieve(query: str, scope: Scope, policy: RetrievalPolicy = DEFAULT_POLICY) -> Retrieval:
    """What `scope` knows about `query`; an empty scope or question searches nothing.

    Raises ValueError for a requirement or preference that is not metadata; lets database errors through.
    """
    watch = _Stopwatch()
    result = Retrieval(query, policy.granularity)
    if scope.is_empty or not query.strip():
        return result
    provider = current_provider()
    dense = _embedded(provider, query)
    watch.lap("embed")
    try:
        candidates = _candidates(query, dense, scope, policy)
    except (IndexUnavailable, IndexLocked) as error:
        logger.warning("the index is unavailable: %s", type(error).__name__)
        return replace(result, degraded="index_unavailable", timings=watch.laps)
    watch.lap("search")
    hits = fuse(candidates, provider.space.dense_weight, provider.space.bm25_weight, policy.candidates)
    found, dropped = confirmed(hits, scope, policy.top_k)
    watch.lap("confirm")
    ordered = _ordered(query, found, policy, _Judge(provider.space, candidates))
    kept = _kept(ordered, policy)
    rating = score([chunk.relevance for chunk in kept])
    chunks = fit(kept, policy.budget_tokens)
    watch.lap("rank")
    return replace(
        result,
        confidence=confidence(rating),
        score=rating,
        chunks=chunks,
        timings=watch.laps,
        dropped={**dropped, "ranking": len(ordered) - len(kept), "budget": len(kept) - len(chunks)},
        degraded=None if dense is not None else "embedding_unavailable",
    )


def _embedded(provider: EmbeddingProvider, query: str) -> "NDArray[float32] | None":
    try:
        return provider.embed_query(query)
    except EmbeddingError as error:  # its message names the fault, never the question
        logger.warning("searching by words alone: %s", error)
        return None


def _candidates(
    query: str,
    dense: "NDArray[float32] | None",
    scope: Scope,
    policy: RetrievalPolicy,
) -> Candidates:
    """The hits of both legs under the one filter. A vector of zeros, of a text without words, points nowhere."""
    where = search_filter(scope, policy.granularity, policy.requirements)
    sparse = encode_query(query) or None
    if dense is not None and not dense.any():
        dense = None
    if dense is None and sparse is None:
        return Candidates()
    return current_index().search(dense, sparse, where, policy.candidates)


class _Judge:
    """The calibrated relevance of a hit, from its cosine and its coverage of the question's words."""

    def __init__(self, space: EmbeddingSpace, candidates: Candidates) -> None:
        self._calibration = space.calibration if candidates.dense else WORDS
        self._tail = candidates.dense[-1].score if candidates.dense else 0.0

    def relevance(self, hit: Fused, coverage: float) -> float:
        """What only BM25 found has at most the cosine of the last dense hit."""
        cosine = hit.dense if hit.dense is not None else self._tail
        return self._calibration.relevance(cosine, coverage, self._tail)


def _ordered(
    query: str, found: Sequence[tuple[Fused, RetrievedChunk]], policy: RetrievalPolicy, judge: _Judge
) -> list[RetrievedChunk]:
    """The confirmed chunks with their relevance, best first."""
    covered = coverages(query, [indexed_text(chunk.title, chunk.heading_path, chunk.text) for _, chunk in found])
    liked = preferred({chunk.document for _, chunk in found}, policy.preferences)
    rated = [
        (
            hit.score + COVERAGE_SHARE * coverage + PREFERENCE_SHARE * liked.get(chunk.document, 0.0),
            replace(chunk, relevance=judge.relevance(hit, coverage)),
        )
        for (hit, chunk), coverage in zip(found, covered, strict=True)
    ]
    rated.sort(key=lambda pair: -pair[0])  # stable: equal scores keep the order of fusion
    return [chunk for _, chunk in rated]


def _kept(chunks: Iterable[RetrievedChunk], policy: RetrievalPolicy) -> tuple[RetrievedChunk, ...]:
    """Threshold first: it is per chunk, so the order of the stages does not change what they keep, only their
    cost.
    """
    relevant = ranking.above(chunks, policy.threshold)
    distinct = ranking.without_near_duplicates(relevant)
    return ranking.with_neighbours_merged(distinct[: policy.top_k], policy.budget_tokens)


class _Stopwatch:
    """Milliseconds by stage, and of the whole."""

    def __init__(self) -> None:
        self._start = self._last = time.perf_counter()
        self.laps: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self.laps[stage] = round(1000 * (now - self._last), 3)
        self.laps["total"] = round(1000 * (now - self._start), 3)
        self._last = now
