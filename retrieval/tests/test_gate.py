"""Whether an answer may rest on a retrieval: every threshold of rag-for-teaching-agents §4.3, and other minima."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.confidence.gate import MIN_CONFIDENCE, Confidence, Gate, confidence, gate, score, suffices

unit = st.floats(0, 1)


@pytest.mark.parametrize(
    ("similarities", "level", "is_sufficient"),
    [
        ([0.85, 0.78, 0.72], Confidence.HIGH, True),  # the source's own example, §2.2
        ([0.8], Confidence.HIGH, True),
        ([0.8, 0.8, 0.8], Confidence.HIGH, True),
        ([0.9, 0.7], Confidence.HIGH, True),  # 0.6 · 0.8 + 0.4 · 0.9 = 0.84
        ([0.79, 0.79], Confidence.MEDIUM, True),
        ([0.7], Confidence.MEDIUM, True),
        ([0.6], Confidence.MEDIUM, True),
        ([0.6] * 7, Confidence.MEDIUM, True),
        ([0.9, 0.3, 0.3], Confidence.MEDIUM, True),  # 0.6 · 0.5 + 0.4 · 0.9 = 0.66
        ([0.59, 0.59], Confidence.LOW, False),
        ([0.5], Confidence.LOW, False),
        ([0.4], Confidence.LOW, False),
        ([0.39], Confidence.NONE, False),
        ([0.3, 0.3, 0.3], Confidence.NONE, False),
        ([], Confidence.NONE, False),
    ],
)
def test_the_source_s_thresholds_are_reproduced(
    similarities: list[float], level: Confidence, is_sufficient: bool
) -> None:
    rating = score(similarities)
    assert confidence(rating) is level
    assert suffices(rating) is is_sufficient


@given(unit)
def test_at_the_default_high_and_medium_suffice_and_nothing_else(rating: float) -> None:
    assert suffices(rating) is (confidence(rating) in (Confidence.HIGH, Confidence.MEDIUM))


@pytest.mark.parametrize(
    ("minimum", "sufficient_from", "not_below"),
    [
        (0.0, 0.4, 0.399),  # NONE never suffices
        (0.3, 0.4, 0.399),
        (0.4, 0.4, 0.399),
        (0.45, 0.45, 0.449),  # part of LOW
        (MIN_CONFIDENCE, 0.6, 0.599),
        (0.7, 0.7, 0.699),  # part of MEDIUM
        (0.8, 0.8, 0.799),  # only HIGH
        (0.95, 0.95, 0.949),
        (1.0, 1.0, 0.999),
    ],
)
def test_another_minimum_moves_the_line_but_never_into_none(
    minimum: float, sufficient_from: float, not_below: float
) -> None:
    assert suffices(sufficient_from, minimum)
    assert not suffices(not_below, minimum)


@given(unit, unit, unit)
def test_a_stricter_minimum_never_lets_more_through(rating: float, minimum: float, other: float) -> None:
    if suffices(rating, max(minimum, other)):
        assert suffices(rating, min(minimum, other))


@pytest.mark.parametrize(
    ("rating", "has_passages", "degraded", "expected"),
    [
        (0.9, True, None, Gate.SUFFICIENT),
        (0.6, True, None, Gate.SUFFICIENT),
        (0.59, True, None, Gate.LOW_CONFIDENCE),
        (0.1, True, None, Gate.LOW_CONFIDENCE),
        (0.0, False, None, Gate.EMPTY),
        (0.9, False, None, Gate.EMPTY),  # nothing fitted into the budget
        (0.9, True, "embedding_unavailable", Gate.SUFFICIENT),
        (0.59, True, "embedding_unavailable", Gate.DEGRADED),
        (0.0, False, "embedding_unavailable", Gate.DEGRADED),
    ],
)
def test_the_gate_says_what_a_search_means(
    rating: float, has_passages: bool, degraded: str | None, expected: Gate
) -> None:
    assert gate(rating, MIN_CONFIDENCE, has_passages=has_passages, degraded=degraded) is expected
