"""Which of the ordered chunks become passages, and what became of the others. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from retrieval.ranking.diversity import diversify
from retrieval.ranking.fusion import Fused
from retrieval.ranking.merging import above_threshold, with_neighbours_merged, without_near_duplicates
from retrieval.results import RetrievalPolicy, RetrievedChunk, TracedCandidate

Chunks = Sequence[RetrievedChunk]

POOL = 2  # times top-k: from so many the most diverse are taken
KEPT_REASONS = frozenset({"kept", "merged_into", "compressed"})


@dataclass(frozen=True, slots=True)
class Selection:
    """The chunks after each stage, fewer from one to the next; `passages` are the chosen, neighbours united, of which
    the first `named` are what was asked for by name.

    `compared` are those of the relevant that were looked at until there were enough distinct ones.
    """

    ordered: Chunks
    relevant: Chunks
    compared: Chunks
    distinct: Chunks
    chosen: Chunks
    passages: Chunks
    named: int = 0


def select_passages(others: Chunks, policy: RetrievalPolicy, first: Chunks = ()) -> Selection:
    """Threshold first: it is per chunk, so the order of the stages does not change what they keep, only their cost.

    `first` are the passages of what was asked for by name: they need no threshold, count as of the top-k, and are
    united with one another alone.
    """
    relevant = above_threshold(others, policy.threshold)
    top_k = max(0, policy.top_k - len(first))
    enough = POOL * top_k if policy.diversity else top_k
    distinct = without_near_duplicates(relevant, enough)
    compared = relevant if len(distinct) < enough else relevant[: relevant.index(distinct[-1]) + 1 if distinct else 0]
    chosen = diversify(distinct, top_k, policy.diversity)
    named, passages = (_united(first, policy), _united(chosen, policy))
    return Selection(
        ordered=(*first, *others),
        relevant=(*first, *relevant),
        compared=(*first, *compared),
        distinct=(*first, *distinct),
        chosen=(*first, *chosen),
        passages=(*named, *passages),
        named=len(named),
    )


def _united(chunks: Chunks, policy: RetrievalPolicy) -> Chunks:
    return with_neighbours_merged(chunks, policy.budget_tokens) if policy.unite else chunks


def trace_candidates(
    hits: Sequence[Fused], dropped: Mapping[UUID, str], selection: Selection, shown: Chunks, top_k: int
) -> tuple[TracedCandidate, ...]:
    """What became of every hit: those that were read in their final order, then the others in the order of fusion."""
    by_id = {hit.id: hit for hit in hits}
    reasons = _reasons(selection, shown, top_k)
    read = [_of_chunk(by_id[chunk.chunk], chunk, reasons[chunk.chunk]) for chunk in selection.ordered]
    return (*read, *(_of_hit(hit, dropped.get(hit.id, "rank")) for hit in hits if hit.id not in reasons))


def _reasons(selection: Selection, shown: Chunks, top_k: int) -> dict[UUID, str]:
    """By chunk. A later stage overwrites what an earlier one said: only those that came so far are in it."""
    reasons = {chunk.chunk: "threshold" for chunk in selection.ordered}
    reasons |= {chunk.chunk: "rank" for chunk in selection.relevant}
    reasons |= {chunk.chunk: "duplicate" for chunk in selection.compared}
    reasons |= {chunk.chunk: "diversity" if place < top_k else "rank" for place, chunk in enumerate(selection.distinct)}
    reasons |= {chunk.chunk: _fate(chunk, shown) for chunk in selection.chosen}
    return reasons


def _fate(chunk: RetrievedChunk, shown: Chunks) -> str:
    """Of a chosen chunk: a passage of its own, in another's, or beyond the budget."""
    for passage in shown:
        if passage.chunk == chunk.chunk:
            is_whole = chunk.end <= passage.end and passage.end - passage.start == len(passage.text)
            return "kept" if is_whole else "compressed"
    for passage in shown:
        if passage.document == chunk.document and passage.start <= chunk.start < passage.end:
            return "merged_into"
    return "budget"


def _of_chunk(hit: Fused, chunk: RetrievedChunk, reason: str) -> TracedCandidate:
    return TracedCandidate(
        chunk=chunk.chunk,
        document=chunk.document,
        corpus=chunk.corpus,
        corpus_type=chunk.corpus_type,
        dense=hit.dense,
        bm25=hit.bm25,
        fused=hit.score,
        relevance=chunk.relevance,
        kept=reason in KEPT_REASONS,
        reason=reason,
    )


def _of_hit(hit: Fused, reason: str) -> TracedCandidate:
    return TracedCandidate(hit.id, None, None, "", hit.dense, hit.bm25, hit.score, 0.0, kept=False, reason=reason)
