"""The one entry to what is known: `retrieve(query, scope, policy)` (SPEC §4).

what is named: documents, then sections in them → embed → search both legs under the scope's filter, every phrasing →
fuse → read back in scope → order, what is named first → threshold, duplicates, diversity, top-k, unite → confidence →
widen or shorten to the budget → trace. The index proposes, the database disposes (SPEC §2.3): no passage is returned
that the database did not confirm within the scope in this very call.

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
from uuid import UUID

from config.metrics.searching import observe_found, observe_search
from config.observability.tracing import add_span, span
from corpora.scope import Scope
from retrieval.confidence.calibration import with_measured_calibration
from retrieval.confidence.gate import Gate, confidence, gate
from retrieval.confidence.rating import rate_passages
from retrieval.confirmation import confirm_hits
from retrieval.context.excerpts import excerpts
from retrieval.context.presentation import present
from retrieval.embeddings.base import EmbeddingError, EmbeddingProvider, EmbeddingSpace
from retrieval.filters import SearchFilter, search_filter
from retrieval.index import is_remote
from retrieval.index.base import Candidates, IndexLocked, IndexUnavailable, VectorIndex
from retrieval.index.bm25 import encode_query
from retrieval.models import SpaceState
from retrieval.places.lookup import Looked, look_up
from retrieval.places.rating import rate_named
from retrieval.places.source import without_source
from retrieval.places.standing import stand_first, with_places
from retrieval.ranking.expansion import phrasings, unite_candidates
from retrieval.ranking.fusion import fuse
from retrieval.ranking.order import ConfirmedHits, depth, order_hits
from retrieval.ranking.relevance import RelevanceScale, SearchQuery
from retrieval.ranking.rerank import get_reranker
from retrieval.ranking.rerank.base import RerankUnavailable
from retrieval.ranking.selection import Selection, select_passages, trace_candidates
from retrieval.results import Retrieval, RetrievalPolicy, RetrievedChunk, TracedCandidate
from retrieval.spaces.opened import index_of, provider_of, space_in_use
from retrieval.text.passages import indexed_text
from retrieval.text.terms import ExactTerm, exact_terms
from retrieval.waiting.steps import Awaited, Blocking, Steps, arun, run

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

DEFAULT_POLICY = RetrievalPolicy()


def retrieve(query: str, scope: Scope, policy: RetrievalPolicy = DEFAULT_POLICY) -> Retrieval:
    """What `scope` knows about `query`; an empty scope or question searches nothing. For commands and evaluation.

    Raises ValueError for a requirement or preference that is not metadata; lets database errors through.
    """
    return run(_search(query, scope, policy))


async def aretrieve(query: str, scope: Scope, policy: RetrievalPolicy = DEFAULT_POLICY) -> Retrieval:
    """`retrieve` for the event loop: networks are waited for without a thread that others need, and an organization
    that asks much waits for itself."""
    with span("retrieval", acervo__corpora=len(scope.corpus_ids)) as here:
        found = await arun(_search(query, scope, policy), owner=scope.organization_id)
        here.note(acervo__passages=len(found.chunks), acervo__confidence=found.confidence.value)
    return observed(found)


def observed(found: Retrieval) -> Retrieval:
    """What somebody has asked, told to the metrics; not what a command or a measurement asks."""
    if found.timings:
        observe_search(found.timings, [fault for fault in (found.degraded, *found.notes) if fault])
        relevances = [one.relevance for one in found.chunks]
        tokens = sum(one.token_count for one in found.chunks)
        observe_found(found.gate.value, found.confidence.value, found.score, relevances, tokens)
    return found


def _search(query: str, scope: Scope, policy: RetrievalPolicy) -> Steps[Retrieval]:
    """One question from its words to its passages, all of it within one embedding space."""
    watch = _Stopwatch()
    result = Retrieval(query, policy.granularity)
    if scope.is_empty or not query.strip():
        return result
    space = space_in_use()
    provider = provider_of(space)
    looked = look_up(query, scope, policy) if policy.places else Looked()
    watch.lap("places")
    names = {one.mention.text for one in looked.resolution.clear}  # what is found by its name need not be looked for
    sought = without_source(query, names.__contains__) if looked.documents else query
    question = SearchQuery(phrasings(sought, policy.expansions), _terms(query, looked) if policy.exact_terms else ())
    by_words = "dense" not in policy.legs
    vectors = None if by_words else (yield from _embedding(provider, question.phrasings))
    watch.lap("embed")
    try:
        candidates = yield from _candidates(space, question.phrasings, vectors, scope, policy, looked.documents)
    except (IndexUnavailable, IndexLocked) as error:
        logger.warning("the index is unavailable: %s", type(error).__name__)
        return replace(result, degraded="index_unavailable", gate=Gate.DEGRADED, timings=watch.laps)
    watch.lap("search")
    hits = fuse(candidates, *_weights(provider.space, policy), policy.candidates)
    hits, read_more = with_places(hits, looked)
    found, dropped = confirm_hits(hits, scope, policy.top_k + read_more, depth(question, policy) + read_more)
    watch.lap("confirm")
    scores, notes = (yield from _reranking(question, found, policy)) if policy.rerank else (None, ())
    calibrated = with_measured_calibration(provider.space)
    ordered = order_hits(question, found, RelevanceScale(calibrated, candidates), policy, scores)
    standing = stand_first(query, ordered, looked)
    selection = select_passages(standing.others, policy, standing.first)
    watch.lap("rank")
    chunks = present(selection, question, scope, policy)
    trace = trace_candidates(hits, dropped, selection, chunks, policy.top_k)
    watch.lap("fit")
    degraded = "embedding_unavailable" if vectors is None and not by_words else None
    rating = _rated(question, ordered, selection, candidates, calibrated, policy, is_narrowed=bool(looked.documents))
    rating = rate_named(rating, question, selection, standing, chunks, is_narrowed=bool(policy.requirements))
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
        named=standing.named,
    )


def _rated(
    question: SearchQuery,
    ordered: Sequence[RetrievedChunk],
    selection: Selection,
    candidates: Candidates,
    calibrated: EmbeddingSpace,
    policy: RetrievalPolicy,
    *,
    is_narrowed: bool,
) -> float:
    """0..1: the chance that the passages answer. `is_narrowed`: they are of documents that the question names."""
    counted = [passage for passage in selection.passages if passage.relevance >= (policy.counted_from or 0.0)]
    searched_words = "bm25" in policy.legs
    return rate_passages(
        question.phrasings, ordered, counted, candidates, calibrated, by_words=searched_words, is_narrowed=is_narrowed
    )


def _embedding(provider: EmbeddingProvider, texts: Sequence[str]) -> "Steps[NDArray[float32] | None]":
    """One vector a phrasing, in one request; None without the embedding server."""
    try:
        if not provider.waits:
            return provider.embed_queries(texts)
        vectors: NDArray[float32] = yield Awaited(lambda: provider.aembed_queries(texts))
        return vectors
    except EmbeddingError as error:  # its message names the fault, never the question
        logger.warning("searching by words alone: %s", error)
        return None


def _candidates(
    space: SpaceState,
    texts: Sequence[str],
    vectors: "NDArray[float32] | None",
    scope: Scope,
    policy: RetrievalPolicy,
    documents: frozenset[UUID],
) -> Steps[Candidates]:
    """The hits of both legs for every phrasing, under the one filter."""
    where = search_filter(scope, policy.granularity, policy.requirements, documents)

    def search_each() -> list[Candidates]:
        index = index_of(space)
        dense = () if vectors is None else vectors
        return [_hits(index, text, vector, where, policy) for text, vector in zip_longest(texts, dense)]

    each: list[Candidates] = (yield Blocking(search_each)) if is_remote() else search_each()
    return unite_candidates(each, policy.candidates)


def _hits(
    index: VectorIndex, text: str, dense: "NDArray[float32] | None", where: SearchFilter, policy: RetrievalPolicy
) -> Candidates:
    """Of one phrasing. A vector of zeros, of a text without words, points nowhere."""
    sparse = (encode_query(text) or None) if "bm25" in policy.legs else None
    if dense is not None and not dense.any():
        dense = None
    if dense is None and sparse is None:
        return Candidates()
    with span("index.search", "CLIENT", acervo__candidates=policy.candidates):
        return index.search(dense, sparse, where, policy.candidates)


def _reranking(
    question: SearchQuery, found: ConfirmedHits, policy: RetrievalPolicy
) -> Steps[tuple[Sequence[float] | None, tuple[str, ...]]]:
    """A score for each passage, and notes; no scores where there is no re-ranker, or none that answers."""
    try:
        reranker = policy.reranker or get_reranker()
        if reranker is None:
            return None, ()
        chunks = [chunk for _, chunk in found]
        shown = zip(chunks, excerpts(question, chunks), strict=True)
        passages = [indexed_text(chunk.title, chunk.heading_path, text) for chunk, text in shown]
        scores: list[float] = yield Awaited(lambda: reranker.rerank(question.text, passages))
        return scores, ()
    except (RerankUnavailable, ValueError) as error:  # its message names the fault, never a text
        logger.warning("the order of fusion stands: %s", error)
        return None, ("rerank_unavailable",)


def _terms(query: str, looked: Looked) -> tuple[ExactTerm, ...]:
    """The exact terms, without what was found by its name: a reference as a section, a law's number as a document."""
    terms = exact_terms(query)
    if looked.sections and not looked.missing_places:
        terms = tuple(term for term in terms if term.kind != "reference")
    found = [one.mention.text for one in looked.resolution.clear]
    found += [one.place.text for one in looked.sections if one.place and one.place.letters]  # "V2.1.1", headed "2.1.1"
    return tuple(term for term in terms if not any(term.text in name or name in term.text for name in found))


def _weights(space: EmbeddingSpace, policy: RetrievalPolicy) -> tuple[float, float]:
    """Of the dense and the BM25 leg: measured for the space, unless somebody measures others."""
    dense, bm25 = policy.dense_weight, policy.bm25_weight
    return (space.dense_weight if dense is None else dense, space.bm25_weight if bm25 is None else bm25)


def _dropped(trace: Sequence[TracedCandidate]) -> Counter[str]:
    """Counts by reason of what was read, or would have been, and is in no passage."""
    return Counter(one.reason for one in trace if not one.kept and (one.document or one.reason != "rank"))


class _Stopwatch:
    """Milliseconds by stage, and of the whole. A stage is a span, too, made afterwards: a search changes threads."""

    def __init__(self) -> None:
        self._start = self._last = time.perf_counter()
        self.laps: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        now, ended = time.perf_counter(), time.time_ns()
        add_span(f"retrieval.{stage}", ended - int(1e9 * (now - self._last)), ended)
        self.laps[stage] = round(1000 * (now - self._last), 3)
        self.laps["total"] = round(1000 * (now - self._start), 3)
        self._last = now
