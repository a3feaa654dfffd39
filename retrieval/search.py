"""The one entry to what is known: `retrieve(query, scope, policy)` (SPEC §4).

embed → search both legs under the scope's filter, every phrasing → fuse → read back in scope → order → threshold,
duplicates, diversity, top-k, unite → confidence → widen or shorten to the budget → trace. The index proposes, the
database disposes (SPEC §2.3): no passage is returned that the database did not confirm within the scope in this very
call.

Fail-safe: without the embedding server words alone are searched, without the index there is no context; both
are marked `degraded`. Without the re-ranker the order of fusion stands, which is noted. Without the database there is
no authorization: `django.db.DatabaseError` goes up to the caller.
"""

import logging
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING

from config.threads import in_thread
from corpora.scope import Scope
from retrieval.confidence.calibration import calibrated
from retrieval.confidence.gate import Gate, confidence, gate, score
from retrieval.confirmation import confirmed
from retrieval.context.presentation import presented
from retrieval.dates import documents_from, without_dates
from retrieval.embeddings.base import EmbeddingError, EmbeddingProvider, EmbeddingSpace
from retrieval.expansion import phrasings, united
from retrieval.filters import SearchFilter, search_filter
from retrieval.index.base import Candidates, IndexLocked, IndexUnavailable
from retrieval.index.bm25 import encode_query
from retrieval.ranking.fusion import fuse
from retrieval.ranking.order import depth, in_order
from retrieval.ranking.relevance import Judge, Question
from retrieval.ranking.selection import select, traced
from retrieval.results import Retrieval, RetrievalPolicy, TracedCandidate
from retrieval.spaces.current import current_index, current_provider, one_space
from retrieval.text.terms import exact_terms

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

DEFAULT_POLICY = RetrievalPolicy()


@one_space()
def retrieve(query: str, scope: Scope, policy: RetrievalPolicy = DEFAULT_POLICY) -> Retrieval:
    """What `scope` knows about `query`; an empty scope or question searches nothing.

    Raises ValueError for a requirement or preference that is not metadata; lets database errors through.
    """
    watch = _Stopwatch()
    result = Retrieval(query, policy.granularity)
    if scope.is_empty or not query.strip():
        return result
    provider = current_provider()
    question = _question(query, policy)
    vectors = _embedded(provider, question.phrasings) if "dense" in policy.legs else ()
    watch.lap("embed")
    try:
        candidates = _candidates(question.phrasings, vectors, scope, policy)
    except (IndexUnavailable, IndexLocked) as error:
        logger.warning("the index is unavailable: %s", type(error).__name__)
        return replace(result, degraded="index_unavailable", gate=Gate.DEGRADED, timings=watch.laps)
    watch.lap("search")
    hits = fuse(candidates, *_weights(provider.space, policy), policy.candidates)
    found, dropped = confirmed(hits, scope, policy.top_k, depth(question, policy))
    watch.lap("confirm")
    ordered, notes = in_order(question, found, Judge(calibrated(provider.space), candidates), policy)
    selection = select(ordered, policy)
    rating = score([passage.relevance for passage in selection.passages])
    watch.lap("rank")
    chunks = presented(selection, question, scope, policy)
    trace = traced(hits, dropped, selection, chunks, policy.top_k)
    degraded = "embedding_unavailable" if vectors is None else None
    watch.lap("fit")
    return replace(
        result,
        confidence=confidence(rating),
        score=rating,
        chunks=chunks,
        timings=watch.laps,
        dropped=_dropped(trace),
        degraded=degraded,
        gate=gate(rating, policy.min_confidence, has_passages=bool(chunks), degraded=degraded),
        candidates=trace,
        notes=notes,
    )


async def aretrieve(query: str, scope: Scope, policy: RetrievalPolicy = DEFAULT_POLICY) -> Retrieval:
    """`retrieve` for the event loop."""
    return await in_thread(retrieve, query, scope, policy)


def _question(query: str, policy: RetrievalPolicy) -> Question:
    return Question(phrasings(query, policy.expansions), exact_terms(query) if policy.exact_terms else ())


def _embedded(provider: EmbeddingProvider, texts: Sequence[str]) -> "Sequence[NDArray[float32]] | None":
    """One vector a phrasing, in one request; None without the embedding server."""
    try:
        return [provider.embed_query(texts[0])] if len(texts) == 1 else list(provider.embed_queries(texts))
    except EmbeddingError as error:  # its message names the fault, never the question
        logger.warning("searching by words alone: %s", error)
        return None


def _candidates(
    texts: Sequence[str], vectors: "Sequence[NDArray[float32]] | None", scope: Scope, policy: RetrievalPolicy
) -> Candidates:
    """The hits of both legs for every phrasing, under the one filter."""
    requirements, dates = without_dates(policy.requirements)
    documents = documents_from(scope, dates) if dates else None
    if documents is not None and not documents:
        return Candidates()
    where = search_filter(scope, policy.granularity, requirements, documents)
    searched = [_hits(text, dense, where, policy) for text, dense in zip_longest(texts, vectors or ())]
    return united(searched, policy.candidates)


def _hits(text: str, dense: "NDArray[float32] | None", where: SearchFilter, policy: RetrievalPolicy) -> Candidates:
    """Of one phrasing. A vector of zeros, of a text without words, points nowhere."""
    sparse = (encode_query(text) or None) if "bm25" in policy.legs else None
    if dense is not None and not dense.any():
        dense = None
    if dense is None and sparse is None:
        return Candidates()
    return current_index().search(dense, sparse, where, policy.candidates)


def _weights(space: EmbeddingSpace, policy: RetrievalPolicy) -> tuple[float, float]:
    """Of the dense and the BM25 leg: measured for the space, unless somebody measures others."""
    dense, bm25 = policy.dense_weight, policy.bm25_weight
    return (space.dense_weight if dense is None else dense, space.bm25_weight if bm25 is None else bm25)


def _dropped(trace: Sequence[TracedCandidate]) -> Counter[str]:
    """Counts by reason of what was read, or would have been, and is in no passage."""
    return Counter(one.reason for one in trace if not one.kept and (one.document or one.reason != "rank"))


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
