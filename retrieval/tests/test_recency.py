"""Recency: decay by half-life, neutral without a date."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking.relevance import UNDATED, recency

TODAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("age", "expected"), [(0, 1.0), (30, 0.5), (60, 0.25), (15, 0.5**0.5), (-10, 1.0), (3000, 0.5**100)]
)
def test_each_half_life_halves_it(age: int, expected: float) -> None:
    assert recency(TODAY - timedelta(days=age), TODAY, 30) == pytest.approx(expected)


def test_a_source_without_a_date_is_taken_for_one_half_life_old() -> None:
    assert recency(None, TODAY, 7) == UNDATED == recency(TODAY - timedelta(days=7), TODAY, 7)


@given(st.dates(), st.dates(), st.integers(0, 40_000))
def test_it_is_a_share_and_never_grows_with_age(first: date, second: date, half_life: int) -> None:
    older, newer = sorted((first, second))
    assert 0.0 <= recency(older, TODAY, half_life) <= recency(newer, TODAY, half_life) <= 1.0
