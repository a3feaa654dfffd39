"""Fusion: its invariants."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.index.base import Candidates, Hit
from retrieval.ranking.fusion import fuse


def legs(maximum: float = 30.0) -> st.SearchStrategy[tuple[Hit, ...]]:
    ids = st.integers(0, 40).map(lambda number: UUID(int=number))
    scores = st.floats(0.01, maximum, allow_nan=False)
    return st.dictionaries(ids, scores, max_size=20).map(
        lambda found: tuple(Hit(id, score) for id, score in sorted(found.items(), key=lambda item: -item[1]))
    )


def hit(number: int, score: float) -> Hit:
    return Hit(UUID(int=number), score)


@given(legs(1.0), legs())
def test_every_candidate_appears_once_best_first(dense: tuple[Hit, ...], sparse: tuple[Hit, ...]) -> None:
    fused = fuse(Candidates(dense, sparse), 0.4, 0.6, 50)
    assert {hit.id for hit in fused} == {hit.id for hit in dense + sparse}
    assert len(fused) == len({hit.id for hit in fused})
    scores = [hit.score for hit in fused]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 + 1e-9 for score in scores)


@given(legs(1.0), legs())
def test_raw_scores_are_kept_and_none_where_a_leg_did_not_return_it(
    dense: tuple[Hit, ...], sparse: tuple[Hit, ...]
) -> None:
    cosines, scores = {hit.id: hit.score for hit in dense}, {hit.id: hit.score for hit in sparse}
    for fused in fuse(Candidates(dense, sparse), 0.4, 0.6, 50):
        assert (fused.dense, fused.bm25) == (cosines.get(fused.id), scores.get(fused.id))


@given(legs(1.0), legs(), st.floats(0.1, 10))
def test_a_leg_may_be_measured_in_any_unit(dense: tuple[Hit, ...], sparse: tuple[Hit, ...], unit: float) -> None:
    scaled = tuple(Hit(hit.id, hit.score * unit) for hit in sparse)
    before = {hit.id: hit.score for hit in fuse(Candidates(dense, sparse), 0.4, 0.6, 20)}
    after = {hit.id: hit.score for hit in fuse(Candidates(dense, scaled), 0.4, 0.6, 20)}
    assert after == pytest.approx(before)


@given(legs(1.0))
def test_one_leg_alone_keeps_its_order(dense: tuple[Hit, ...]) -> None:
    fused = fuse(Candidates(dense, ()), 0.2, 0.8, 50)
    expected = sorted((hit.score / dense[0].score for hit in dense), reverse=True)
    assert [hit.score for hit in fused] == pytest.approx(expected)


@given(legs(1.0), legs())
def test_what_beats_another_in_both_legs_ranks_above_it(dense: tuple[Hit, ...], sparse: tuple[Hit, ...]) -> None:
    both = {hit.id for hit in dense} & {hit.id for hit in sparse}
    fused = {hit.id: hit for hit in fuse(Candidates(dense, sparse), 0.4, 0.6, 50)}
    for first in both:
        for second in both:
            one, other = fused[first], fused[second]
            if (one.dense or 0) > (other.dense or 0) and (one.bm25 or 0) > (other.bm25 or 0):
                assert one.score >= other.score


def test_a_hit_that_a_full_leg_did_not_return_takes_that_legs_last_score() -> None:
    dense = (hit(1, 0.5), hit(2, 0.4))
    sparse = (hit(3, 9.0), hit(2, 1.0))
    fused = {item.id.int: item.score for item in fuse(Candidates(dense, sparse), 0.5, 0.5, limit=2)}
    assert fused[3] == pytest.approx(0.5 * 0.4 / 0.5 + 0.5)
    assert fused[1] == pytest.approx(0.5 + 0.5 * 1.0 / 9.0)


def test_a_hit_that_a_short_leg_did_not_return_has_nothing_there() -> None:
    fused = {item.id.int: item.score for item in fuse(Candidates((hit(1, 0.5),), (hit(2, 4.0),)), 0.5, 0.5, limit=2)}
    assert fused == {1: 0.5, 2: 0.5}


def test_negative_cosines_count_as_nothing() -> None:
    fused = fuse(Candidates((hit(1, -0.2), hit(2, -0.3)), ()), 0.5, 0.5, limit=50)
    assert [item.score for item in fused] == [0.0, 0.0]
