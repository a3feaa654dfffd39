"""Formulas of retrieval quality. Pure; ids are compared by equality, spans are half-open character ranges.

Ranks: Manning, Raghavan & Schütze 2008, ch. 8; nDCG with binary gains: Järvelin & Kekäläinen 2002. Spans:
token-level precision, recall and IoU of "Evaluating Chunking Strategies for Retrieval" (Smith & Troynikov
2024, `chunking_evaluation`), counted in characters, which need no tokenizer.
"""

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import log2

from retrieval.text.lines.sentences import Span


def hit_at(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """1.0 if one of the first k is relevant, else 0.0."""
    return float(any(id in relevant for id in ranked[:k]))


def recall_at(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int) -> float:
    """Share of the relevant that is among the first k. 0.0 where nothing is relevant."""
    if not relevant:
        return 0.0
    return len(set(ranked[:k]) & set(relevant)) / len(set(relevant))


def reciprocal_rank(ranked: Sequence[Hashable], relevant: Collection[Hashable]) -> float:
    """1 / rank of the first relevant, 0.0 without one; its mean over questions is the MRR."""
    return next((1.0 / rank for rank, id in enumerate(ranked, 1) if id in relevant), 0.0)


def ndcg_at(ranked: Sequence[Hashable], relevant: Collection[Hashable], k: int = 10) -> float:
    """Discounted cumulative gain of the first k over that of an ideal order. An id counts once."""
    ideal = sum(1.0 / log2(rank + 1) for rank in range(1, min(len(set(relevant)), k) + 1))
    seen: set[Hashable] = set()
    gain = 0.0
    for rank, id in enumerate(ranked[:k], 1):
        if id in relevant and id not in seen:
            gain += 1.0 / log2(rank + 1)
        seen.add(id)
    return gain / ideal if ideal else 0.0


@dataclass(frozen=True, slots=True)
class SpanScores:
    """How well retrieved spans cover the relevant ones; each in 0..1."""

    precision: float
    recall: float
    iou: float


def span_scores(retrieved: Iterable[Span], relevant: Iterable[Span]) -> SpanScores:
    """Of spans in one document. Text that is retrieved twice costs twice in precision and IoU, as it does in
    a prompt; found twice it counts once.
    """
    retrieved = list(retrieved)
    fetched = sum(end - start for start, end in retrieved)
    wanted_spans, found_spans = _union(relevant), _union(retrieved)
    wanted = _length(wanted_spans)
    found = _length(_intersection(found_spans, wanted_spans))
    return SpanScores(
        precision=found / fetched if fetched else 0.0,
        recall=found / wanted if wanted else 0.0,
        iou=found / (fetched + wanted - found) if fetched + wanted else 0.0,
    )


def _length(spans: Iterable[Span]) -> int:
    return sum(end - start for start, end in spans)


def _union(spans: Iterable[Span]) -> list[Span]:
    """The same characters as disjoint spans, ascending."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _intersection(first: Iterable[Span], second: Sequence[Span]) -> Iterable[Span]:
    for start, end in first:
        for other_start, other_end in second:
            if max(start, other_start) < min(end, other_end):
                yield max(start, other_start), min(end, other_end)
