"""Selection and trace: what became of each candidate, and why."""

from dataclasses import replace
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from retrieval.context.budget import fit_budget
from retrieval.ranking.fusion import Fused
from retrieval.ranking.selection import KEPT_REASONS, select_passages, trace_candidates
from retrieval.results import RetrievalPolicy, RetrievedChunk, TracedCandidate
from retrieval.tests.exact import chunk_of

TEXT = "".join(f"Sentence number {n} of the document. " for n in range(100))
POLICY = RetrievalPolicy(top_k=3, threshold=0.3, budget_tokens=300)


def passage(number: int, relevance: float = 0.9, text: str = "", **fields: object) -> RetrievedChunk:
    own = {"relevance": relevance, "score": relevance, "token_count": 50}
    return chunk_of(number, text or f"Words{number} of the passage{number} that differ{number}.", **(own | fields))


def fates(ordered: list[RetrievedChunk], policy: RetrievalPolicy = POLICY, dropped: tuple[int, ...] = ()) -> list[str]:
    return [one.reason for one in trace(ordered, policy, dropped)]


def trace(
    ordered: list[RetrievedChunk], policy: RetrievalPolicy = POLICY, dropped: tuple[int, ...] = ()
) -> tuple[TracedCandidate, ...]:
    selection = select_passages(ordered, policy)
    hits = [Fused(chunk.chunk, 0.5, 0.4, 3.0) for chunk in ordered]
    hits += [Fused(UUID(int=number), 0.1, None, 1.0) for number in dropped]
    reasons = {UUID(int=number): "stale" for number in dropped}
    shown = fit_budget(selection.passages, policy.budget_tokens)
    return trace_candidates(hits, reasons, selection, shown, policy.top_k)


def test_each_candidate_has_its_reason() -> None:
    ordered = [passage(1), passage(2, text="Words1 of the passage1 that differ1."), passage(3, 0.1), passage(4)]
    assert fates([*ordered, passage(5), passage(6)], dropped=(7,)) == [
        "kept", "duplicate", "threshold", "kept", "kept", "rank", "stale"
    ]  # fmt: skip


def test_what_was_never_read_has_no_document_and_ranked_too_low() -> None:
    selection = select_passages([passage(1)], POLICY)
    hits = [Fused(UUID(int=n), 1 / n, 0.4, None) for n in (1, 2)]
    read, unread = trace_candidates(hits, {}, selection, selection.passages, 3)
    assert (read.reason, read.document, read.kept) == ("kept", UUID(int=1), True)
    assert (unread.reason, unread.document, unread.corpus, unread.relevance) == ("rank", None, None, 0.0)
    assert (unread.fused, unread.dense, unread.bm25, unread.kept) == (0.5, 0.4, None, False)


def test_a_chunk_in_another_s_passage_was_merged_into_it() -> None:
    document = UUID(int=99)
    first, second = (
        passage(n, text=TEXT[start : start + 400], document=document, start=start, end=start + 400)
        for n, start in ((1, 0), (2, 350))
    )
    assert fates([first, second]) == ["kept", "merged_into"]


def test_what_the_budget_leaves_out_and_what_it_shortens() -> None:
    long = passage(2, text=TEXT[:900], token_count=280)
    assert fates([passage(1), long, passage(3, token_count=300)]) == ["kept", "compressed", "budget"]


def test_novelty_sets_back_what_repeats() -> None:
    policy = replace(POLICY, top_k=2, diversity=0.6)
    loans = "loans last twenty one days here and"
    ordered = [passage(1, 0.9, f"{loans} a b"), passage(2, 0.8, f"{loans} c d e"), passage(3, 0.7, "fines cost cents")]
    assert fates(ordered, policy) == ["kept", "diversity", "kept"]


@given(
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abc"), st.integers(1, 200)), max_size=12),
    st.integers(1, 5),
    st.sampled_from([0.0, 0.4]),
)
def test_every_candidate_is_accounted_for_once_and_every_passage_by_one_that_is_kept(
    drawn: list[tuple[float, str, int]], top_k: int, diversity: float
) -> None:
    policy = replace(POLICY, top_k=top_k, diversity=diversity)
    ordered = [passage(n, relevance, word, token_count=size) for n, (relevance, word, size) in enumerate(drawn)]
    candidates = trace(ordered, policy, dropped=(100, 101))
    assert [one.chunk for one in candidates] == [*(chunk.chunk for chunk in ordered), UUID(int=100), UUID(int=101)]
    assert all(one.kept == (one.reason in KEPT_REASONS) for one in candidates)
    shown = fit_budget(select_passages(ordered, policy).passages, policy.budget_tokens)
    assert {one.chunk for one in candidates if one.reason in ("kept", "compressed")} == {c.chunk for c in shown}


def test_for_measuring_neighbours_stay_chunks_of_their_own() -> None:
    one = passage(1, text=TEXT[:300], start=0, end=300)
    beside = replace(passage(2, text=TEXT[200:500], start=200, end=500), document=one.document)
    assert len(select_passages([one, beside], POLICY).passages) == 1
    assert len(select_passages([one, beside], replace(POLICY, unite=False)).passages) == 2
