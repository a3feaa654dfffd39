"""The final order of what the database confirmed: preferred metadata, recency, a re-ranker's scores, the words."""

from collections.abc import Sequence

from django.utils import timezone

from retrieval.confirmation import PAGE
from retrieval.ranking.fusion import Fused
from retrieval.ranking.preference import preference_shares
from retrieval.ranking.relevance import RelevanceScale, SearchQuery, by_relevance, favours
from retrieval.results import RetrievalPolicy, RetrievedChunk

ConfirmedHits = Sequence[tuple[Fused, RetrievedChunk]]

DEEP = 3 * PAGE
READ_AGAIN = 50  # by a re-ranker: two-tier-corpora.es.md, "top-50 → re-rank → 10"


def depth(question: SearchQuery, policy: RetrievalPolicy) -> int:
    """How many hits to read at once: more where something that fusion does not know may lift one of them, or where so
    many are wanted as were asked for and near-duplicates may be among them."""
    wanted = 3 * policy.top_k // 2 if policy.counted_from is not None else PAGE
    if policy.rerank:
        return max(READ_AGAIN, wanted)
    return max(DEEP if question.terms or policy.diversity else PAGE, wanted)


def order_hits(
    question: SearchQuery,
    found: ConfirmedHits,
    scale: RelevanceScale,
    policy: RetrievalPolicy,
    scores: Sequence[float] | None = None,
) -> list[RetrievedChunk]:
    """The chunks with relevance and score, best first.

    `scores` are a re-ranker's, one for each chunk, in the place of fusion's and the words'. They decide the order and
    nothing else: relevance stays what the calibration makes of cosine and words, because the scores of a re-ranker
    were not measured against it. So threshold, confidence and gate mean the same with it.
    """
    liked = preference_shares({chunk.document for _, chunk in found}, policy.preferences)
    favour = favours(found, liked, timezone.localdate(), policy.recency_half_life_days)
    counts_words = scores is None and len(policy.legs) > 1
    return by_relevance(question, found if scores is None else rescore(found, scores), scale, favour, counts_words)


def rescore(found: ConfirmedHits, scores: Sequence[float]) -> ConfirmedHits:
    return [(hit._replace(score=score), chunk) for (hit, chunk), score in zip(found, scores, strict=True)]
