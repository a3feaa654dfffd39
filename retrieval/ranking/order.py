"""The final order of what the database confirmed: preferred metadata, recency, the re-ranker, the words."""

import logging
from collections.abc import Sequence

from django.utils import timezone

from retrieval.confirmation import PAGE
from retrieval.ranking.fusion import Fused
from retrieval.ranking.preference import preferred
from retrieval.ranking.relevance import Judge, Question, by_relevance, favours
from retrieval.ranking.rerank import get_reranker
from retrieval.ranking.rerank.base import Reranker, RerankUnavailable
from retrieval.results import RetrievalPolicy, RetrievedChunk
from retrieval.text.passages import indexed_text

logger = logging.getLogger(__name__)

Found = Sequence[tuple[Fused, RetrievedChunk]]

DEEP = 3 * PAGE


def depth(question: Question, policy: RetrievalPolicy) -> int:
    """How many hits to read at once: more where something that fusion does not know may lift one of them."""
    return DEEP if question.terms or policy.rerank or policy.diversity else PAGE


def in_order(
    question: Question, found: Found, judge: Judge, policy: RetrievalPolicy
) -> tuple[list[RetrievedChunk], tuple[str, ...]]:
    """The chunks with relevance and score, best first; and notes of what did not work."""
    liked = preferred({chunk.document for _, chunk in found}, policy.preferences)
    favour = favours(found, liked, timezone.localdate(), policy.recency_half_life_days)
    rescored, notes = reranked(question.text, found, policy.reranker) if policy.rerank else (None, ())
    counts_words = rescored is None and len(policy.legs) > 1
    return by_relevance(question, rescored or found, judge, favour, counts_words), notes


def reranked(question: str, found: Found, own: Reranker | None = None) -> tuple[Found | None, tuple[str, ...]]:
    """The re-ranker's scores in the place of fusion's and the words'; None where there is none, or none that answers.

    It decides the order and nothing else: relevance stays what the calibration makes of cosine and words, because the
    scores of a re-ranker were not measured against it. So threshold, confidence and gate mean the same with it.
    """
    try:
        reranker = own or get_reranker()
        if reranker is None:
            return None, ()
        scores = reranker.rerank(
            question, [indexed_text(chunk.title, chunk.heading_path, chunk.text) for _, chunk in found]
        )
    except (RerankUnavailable, ValueError) as error:  # its message names the fault, never a text
        logger.warning("the order of fusion stands: %s", error)
        return None, ("rerank_unavailable",)
    return [(hit._replace(score=score), chunk) for (hit, chunk), score in zip(found, scores, strict=True)], ()
