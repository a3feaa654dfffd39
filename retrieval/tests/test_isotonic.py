"""Isotonic regression against its definition: ascending, least squares, means of what it pools."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.confidence.isotonic import Level, fit_isotonic

observations = st.lists(st.tuples(st.integers(0, 12).map(lambda n: n / 4), st.sampled_from([0.0, 1.0])), min_size=1)


def test_the_textbook_case() -> None:
    """1, 3, 2, 4, 3.5, 5: two violations are pooled to their means."""
    fit = fit_isotonic(enumerate([1.0, 3.0, 2.0, 4.0, 3.5, 5.0]))
    assert fit == [Level(0, 0, 1, 1), Level(1, 2, 2.5, 2), Level(3, 4, 3.75, 2), Level(5, 5, 5, 1)]


def test_nothing_becomes_nothing() -> None:
    assert fit_isotonic([]) == []


def test_outcomes_that_only_fall_become_one_block() -> None:
    assert fit_isotonic([(0, 1.0), (1, 0.5), (2, 0.0)]) == [Level(0, 2, 0.5, 3)]


def test_equal_evidence_is_one_block_whatever_the_outcomes() -> None:
    assert fit_isotonic([(0.5, 0.0), (0.5, 1.0), (0.5, 1.0)]) == [Level(0.5, 0.5, pytest.approx(2 / 3), 3)]


@given(observations)
def test_blocks_ascend_and_keep_count_and_sum(given_observations: list[tuple[float, float]]) -> None:
    fit = fit_isotonic(given_observations)
    assert all(left.last < right.first and left.value < right.value for left, right in pairwise(fit))
    assert sum(block.count for block in fit) == len(given_observations)
    total = sum(block.value * block.count for block in fit)
    assert total == pytest.approx(sum(outcome for _, outcome in given_observations))


@given(observations)
def test_the_order_of_the_observations_does_not_matter(given_observations: list[tuple[float, float]]) -> None:
    assert fit_isotonic(given_observations) == fit_isotonic(reversed(given_observations))


@given(observations, st.lists(st.floats(0, 1), min_size=13, max_size=13).map(sorted))
def test_no_other_ascending_function_fits_better(
    given_observations: list[tuple[float, float]], other: list[float]
) -> None:
    """`other` gives each of the possible evidences a value."""
    fitted = {}
    remaining = sorted(given_observations)
    for block in fit_isotonic(given_observations):
        for evidence, _ in remaining[: block.count]:
            fitted[evidence] = block.value
        remaining = remaining[block.count :]
    error = sum((fitted[evidence] - outcome) ** 2 for evidence, outcome in given_observations)
    of_other = sum((other[round(evidence * 4)] - outcome) ** 2 for evidence, outcome in given_observations)
    assert error <= of_other + 1e-9
