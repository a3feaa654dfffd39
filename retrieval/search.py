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
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from corpora.scope import Scope
from retrieval import ranking
from retrieval.bm25 import encode_query
from retrieval.budget import fit
from retrieval.confidence import confidence, score
from retrieval.confirmation import confirmed
from retrieval.current import current_provider, searched
from retrieval.embeddings.base import EmbeddingError, EmbeddingProvider
from retrieval.filters import search_filter
from retrieval.fusion import fuse
from retrieval.index.base import Candidates, IndexLocked, IndexUnavailable
from retrieval.preference import preferred
from retrieval.relevance import Judge, by_relevance
from retrieval.results import Retrieval, RetrievalPolicy, RetrievedChunk

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

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
    liked = preferred({chunk.document for _, chunk in found}, policy.preferences)
    ordered = by_relevance(query, found, Judge(provider.space, candidates), liked)
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
    return searched(lambda index: index.search(dense, sparse, where, policy.candidates))


def _kept(chunks: Iterable[RetrievedChunk], policy: RetrievalPolicy) -> tuple[RetrievedChunk, ...]:
    """Threshold first: it is per chunk, so the order of the stages does not change what they keep, only their cost."""
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
