"""The measures against examples computed by hand, and against the definitions of `chunking_evaluation`."""

from dataclasses import replace
from math import log2
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.measures import means, of_context, of_ranking, of_spans
from retrieval.results import Retrieval, RetrievedChunk
from retrieval.tests.exact import chunk_of

A, B, C = UUID(int=1), UUID(int=2), UUID(int=3)
Spans = dict[UUID, tuple[tuple[int, int], ...]]


def chunk(document: UUID, start: int, end: int) -> RetrievedChunk:
    return replace(chunk_of(0, ""), document=document, start=start, end=end)


def ranking(*documents: UUID) -> Retrieval:
    return Retrieval("", 800, chunks=tuple(chunk(one, 0, 10) for one in documents))


def test_a_documents_place_is_that_of_its_first_chunk() -> None:
    row = of_ranking(ranking(A, A, B, C), {B, UUID(int=9)})
    assert (row["hit@1"], row["hit@5"], row["mrr"]) == (0.0, 1.0, 0.5)
    assert (row["recall@5"], row["recall@10"]) == (0.5, 0.5)
    assert row["ndcg@10"] == pytest.approx((1 / log2(3)) / (1 + 1 / log2(3)))


def test_spans_by_hand() -> None:
    """Two chunks of A that overlap by 10 and one of B: 100 + 60 + 40 characters fetched, 50 of 60 wanted found."""
    chunks = (chunk(A, 0, 100), chunk(B, 0, 40), chunk(A, 90, 150))
    row = of_spans(chunks, {A: ((100, 150),)}, {A: ((100, 160),)})
    assert row["token_recall"] == pytest.approx(50 / 60)
    assert row["token_precision"] == pytest.approx(50 / 200)
    assert row["token_iou"] == pytest.approx(50 / (200 + 10))
    assert (row["answer@1"], row["answer@5"]) == (0.0, 1.0)


def test_an_answer_that_is_cut_by_chunks_is_in_none_of_them() -> None:
    row = of_spans((chunk(A, 0, 100), chunk(A, 100, 200)), {A: ((90, 110),)}, {A: ((90, 110),)})
    assert (row["answer@10"], row["token_recall"]) == (0.0, 1.0)


def test_only_the_first_five_chunks_count_for_tokens() -> None:
    chunks = (*(chunk(B, n, n + 1) for n in range(5)), chunk(A, 0, 10))
    row = of_spans(chunks, {A: ((0, 10),)}, {A: ((0, 10),)})
    assert (row["token_recall"], row["answer@5"], row["answer@10"]) == (0.0, 0.0, 1.0)


def test_a_question_without_spans_has_no_such_measures() -> None:
    assert of_spans((chunk(A, 0, 10),), {}, {}) == {}


def reference(chunks: list[tuple[UUID, int, int]], wanted: Spans) -> tuple[float, float, float]:
    """Smith & Troynikov 2024, §2: t_r all retrieved tokens with repetition, t_e the excerpts' tokens.

    precision = |t_e ∩ t_r| / |t_r|, recall = |t_e ∩ t_r| / |t_e|, IoU = |t_e ∩ t_r| / (|t_e| + |t_r| - |t_e ∩ t_r|).
    """
    retrieved = [(document, place) for document, start, end in chunks for place in range(start, end)]
    excerpts = {(document, place) for document, spans in wanted.items() for s, e in spans for place in range(s, e)}
    common = len(excerpts & set(retrieved))
    union = len(excerpts) + len(retrieved) - common
    return common / len(retrieved), common / len(excerpts), common / union


documents = st.sampled_from([A, B, C])
lengths = st.tuples(st.integers(0, 50), st.integers(1, 20)).map(lambda pair: (pair[0], sum(pair)))
retrieved_chunks = st.lists(st.tuples(documents, lengths).map(lambda one: (one[0], *one[1])), min_size=1, max_size=5)
excerpts = st.dictionaries(documents, st.lists(lengths, min_size=1, max_size=3).map(tuple), min_size=1)


@given(retrieved_chunks, excerpts)
def test_token_measures_are_those_of_their_definition(chunks: list[tuple[UUID, int, int]], wanted: Spans) -> None:
    row = of_spans([chunk(*one) for one in chunks], wanted, wanted)
    assert (row["token_precision"], row["token_recall"], row["token_iou"]) == pytest.approx(reference(chunks, wanted))


@given(retrieved_chunks, excerpts)
def test_measures_lie_between_zero_and_one_and_iou_is_the_least(
    chunks: list[tuple[UUID, int, int]], wanted: Spans
) -> None:
    row = of_spans([chunk(*one) for one in chunks], wanted, wanted)
    assert all(0.0 <= value <= 1.0 + 1e-12 for value in row.values())
    assert row["token_iou"] <= min(row["token_precision"], row["token_recall"]) + 1e-12
    assert row["answer@1"] <= row["answer@5"] <= row["answer@10"]


@given(st.lists(documents, unique=True), st.sets(documents, min_size=1))
def test_a_relevant_document_that_rises_lowers_no_measure(ranked: list[UUID], relevant: set[UUID]) -> None:
    before = of_ranking(ranking(*ranked), relevant)
    for place in range(1, len(ranked)):
        if ranked[place] in relevant and ranked[place - 1] not in relevant:
            better = [*ranked]
            better[place - 1 : place + 1] = [ranked[place], ranked[place - 1]]
            after = of_ranking(ranking(*better), relevant)
            assert all(after[name] >= before[name] - 1e-12 for name in before)


def test_the_context_has_an_answer_by_its_span_or_else_by_its_document() -> None:
    context = Retrieval("", 800, chunks=(chunk(A, 0, 10),))
    assert of_context(context, {A}, {}, 1.0)["in_context"] == 1.0
    assert of_context(context, {A}, {A: ((5, 12),)}, 1.0)["in_context"] == 0.0
    assert of_context(context, {A}, {A: ((5, 10),)}, 1.0)["in_context"] == 1.0


def test_means_are_over_those_questions_that_have_the_measure() -> None:
    rows = [{"hit@1": 1.0, "ms": 4.0}, {"hit@1": 0.0, "answer@1": 1.0, "ms": 2.0}, {"hit@1": 1.0, "ms": 9.0}]
    assert means(rows) == {"hit@1": 0.6667, "ms": 4.0, "answer@1": 1.0, "ms_p95": 9.0}
    assert means([]) == {}
