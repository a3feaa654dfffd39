"""What one question's retrievals say about quality, and the means over a set. Pure.

Ranks are those of documents: a document's place is that of its first chunk. Spans are measured on chunks, each by
itself, as `chunking_evaluation` does: of the first five, and whether one of them has the whole answer.
"""

from collections.abc import Collection, Mapping, Sequence
from statistics import mean, median
from uuid import UUID

from evaluation import formulas
from retrieval.results import Retrieval, RetrievedChunk
from retrieval.text.lines.sentences import Span

SPANNED = 5
APART = 10**9  # characters between the beginnings of two documents, laid on one line

Spans = Mapping[UUID, Sequence[Span]]
Rows = Sequence[Mapping[str, float]]


def of_ranking(ranking: Retrieval, relevant: Collection[UUID]) -> dict[str, float]:
    """Each in 0..1. `relevant`: document ids."""
    ranked = list(dict.fromkeys(chunk.document for chunk in ranking.chunks))
    return {
        "hit@1": formulas.hit_at(ranked, relevant, 1),
        "hit@5": formulas.hit_at(ranked, relevant, 5),
        "recall@5": formulas.recall_at(ranked, relevant, 5),
        "recall@10": formulas.recall_at(ranked, relevant, 10),
        "mrr": formulas.reciprocal_rank(ranked, relevant),
        "ndcg@10": formulas.ndcg_at(ranked, relevant, 10),
    }


def of_spans(chunks: Sequence[RetrievedChunk], answers: Spans, excerpts: Spans) -> dict[str, float]:
    """Whether one of the first chunks has the whole answer, and how well the first five cover the excerpts.

    Nothing for a question without spans.
    """
    if not answers:
        return {}
    best = chunks[:SPANNED]
    place = {id: n * APART for n, id in enumerate(dict.fromkeys([*excerpts, *(chunk.document for chunk in best)]))}
    fetched = [(place[chunk.document] + chunk.start, place[chunk.document] + chunk.end) for chunk in best]
    wanted = [(place[id] + start, place[id] + end) for id, known in excerpts.items() for start, end in known]
    found = formulas.span_scores(fetched, wanted)
    return {
        **{f"answer@{k}": float(any(has_answer(chunk, answers) for chunk in chunks[:k])) for k in (1, 5, 10)},
        "token_precision": found.precision,
        "token_recall": found.recall,
        "token_iou": found.iou,
    }


def has_answer(passage: RetrievedChunk, spans: Spans) -> bool:
    """Whether all that answers in its document is in this one passage."""
    wanted = spans.get(passage.document, ())
    return bool(wanted) and all(passage.start <= start and end <= passage.end for start, end in wanted)


def of_context(context: Retrieval, relevant: Collection[UUID], spans: Spans, ms: float) -> dict[str, float]:
    """What an answer would be given: whether it is judged sufficient, has the answer, and its tokens."""
    wanted = (has_answer(chunk, spans) if spans else chunk.document in relevant for chunk in context.chunks)
    return {
        "sufficient": float(context.sufficient),
        "in_context": float(any(wanted)),
        "context_tokens": float(sum(chunk.token_count for chunk in context.chunks)),
        "ms": ms,
    }


def means(rows: Rows) -> dict[str, float]:
    """Means over the questions; of the milliseconds the median and the 95th percentile."""
    names = dict.fromkeys(name for row in rows for name in row)  # questions with spans have more than the others
    measures = {name: round(mean(row[name] for row in rows if name in row), 4) for name in names}
    if times := sorted(row["ms"] for row in rows if "ms" in row):
        measures["ms"] = round(median(times), 2)
        measures["ms_p95"] = round(times[int(len(times) * 0.95)], 2)
    return measures
