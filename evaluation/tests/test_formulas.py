"""Metrics against cases computed by hand."""

from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.formulas import hit_at, ndcg_at, recall_at, reciprocal_rank, span_scores
from retrieval.text.lines.sentences import Span

RANKED = ["a", "b", "c", "d", "e"]


def test_hit_is_one_as_soon_as_one_relevant_is_among_the_first_k() -> None:
    assert hit_at(RANKED, {"c", "x"}, 2) == 0.0
    assert hit_at(RANKED, {"c", "x"}, 3) == 1.0


def test_recall_is_the_share_of_the_relevant_that_was_found() -> None:
    assert recall_at(RANKED, {"a", "c", "x", "y"}, 5) == 0.5
    assert recall_at(RANKED, {"a", "c", "x", "y"}, 1) == 0.25
    assert recall_at(RANKED, set(), 5) == 0.0


def test_reciprocal_rank_counts_the_first_relevant() -> None:
    assert reciprocal_rank(RANKED, {"c", "d"}) == pytest.approx(1 / 3)
    assert reciprocal_rank(RANKED, {"x"}) == 0.0


def test_ndcg_of_two_relevant_at_ranks_two_and_four() -> None:
    gain = 1 / log2(3) + 1 / log2(5)
    ideal = 1 / log2(2) + 1 / log2(3)
    assert ndcg_at(RANKED, {"b", "d"}, 5) == pytest.approx(gain / ideal)


def test_ndcg_of_a_perfect_order_is_one_even_with_more_relevant_than_k() -> None:
    assert ndcg_at(RANKED, set(RANKED), 3) == pytest.approx(1.0)
    assert ndcg_at(RANKED, set(), 3) == 0.0


def test_a_repeated_id_gains_once() -> None:
    assert ndcg_at(["a", "a", "a"], {"a"}, 3) == pytest.approx(1.0)


def test_spans_of_ten_characters_that_half_overlap() -> None:
    scores = span_scores([(0, 10)], [(5, 15)])
    assert (scores.precision, scores.recall, scores.iou) == (0.5, 0.5, pytest.approx(5 / 15))


def test_text_retrieved_twice_costs_precision_and_is_found_once() -> None:
    scores = span_scores([(0, 10), (5, 15)], [(5, 10)])
    assert (scores.precision, scores.recall, scores.iou) == (5 / 20, 1.0, 5 / 20)


def test_relevant_spans_that_overlap_are_wanted_once() -> None:
    assert span_scores([(0, 4)], [(0, 6), (2, 8)]).recall == 0.5


def test_nothing_retrieved_or_nothing_wanted_scores_zero() -> None:
    assert span_scores([], [(0, 5)]).recall == 0.0
    assert span_scores([(0, 5)], []).precision == 0.0
    assert span_scores([], []).iou == 0.0


spans = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 20)).map(lambda s: (s[0], s[0] + s[1])), max_size=6)


@given(spans, spans)
def test_span_scores_agree_with_sets_of_characters(retrieved: list[Span], relevant: list[Span]) -> None:
    found = {position for start, end in retrieved for position in range(start, end)}
    wanted = {position for start, end in relevant for position in range(start, end)}
    fetched = sum(end - start for start, end in retrieved)
    scores = span_scores(retrieved, relevant)
    common = len(found & wanted)
    assert scores.recall == pytest.approx(common / len(wanted) if wanted else 0.0)
    assert scores.precision == pytest.approx(common / fetched if fetched else 0.0)
    union = fetched + len(wanted) - common
    assert scores.iou == pytest.approx(common / union if union else 0.0)


@given(st.lists(st.integers(0, 9), unique=True, max_size=10), st.sets(st.integers(0, 9)))
def test_ranks_measures_stay_within_zero_and_one(ranked: list[int], relevant: set[int]) -> None:
    for value in (ndcg_at(ranked, relevant), recall_at(ranked, relevant, 5), reciprocal_rank(ranked, relevant)):
        assert 0.0 <= value <= 1.0 + 1e-12
