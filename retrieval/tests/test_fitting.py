"""Fitting a calibration: relevance becomes the share of relevant, and separation is measured."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.confidence.fitting import Observation, area_under_curve, fit_calibration
from retrieval.embeddings.base import Calibration
from retrieval.spaces.builtin import MEASURED_FROM_THE_TAIL

COSINE = Calibration(points=((0.0, 0.0), (1.0, 1.0)), coverage_weight=0.0)


def drawn(amount: int, relevant: tuple[float, float], irrelevant: tuple[float, float]) -> list[Observation]:
    """Cosines around (mean, deviation), the words saying nothing."""
    random = Random(1)
    return [
        Observation(random.gauss(*(relevant if n % 2 else irrelevant)), random.random(), 0.0, bool(n % 2))
        for n in range(amount)
    ]


def test_relevance_is_the_share_of_relevant_among_those_of_like_evidence() -> None:
    """Of cosines up to 0.3 one in ten is relevant, of those above nine in ten."""
    observations = [Observation(n / 1000, 0, 0, (n % 10 == 0) == (n <= 300)) for n in range(600)]
    calibration = fit_calibration(observations, COSINE)
    assert calibration.relevance(0.15, 0) == pytest.approx(0.1, abs=0.03)
    assert calibration.relevance(0.45, 0) == pytest.approx(0.9, abs=0.03)


@pytest.mark.parametrize(("relevant", "irrelevant"), [((0.44, 0.08), (0.10, 0.06)), ((0.85, 0.03), (0.75, 0.02))])
def test_whatever_range_a_model_s_cosines_have_even_odds_lie_between_its_kinds(
    relevant: tuple[float, float], irrelevant: tuple[float, float]
) -> None:
    """The second: cosines of families that call nothing less alike than 0.7."""
    calibration = fit_calibration(drawn(400, relevant, irrelevant), COSINE)
    assert calibration.relevance(irrelevant[0], 0.5) < 0.15
    assert calibration.relevance(relevant[0], 0.5) > 0.85


def test_points_ascend_from_nothing_to_certainty() -> None:
    points = fit_calibration(drawn(200, (0.5, 0.2), (0.3, 0.2)), COSINE).points
    assert all(left[0] < right[0] and left[1] <= right[1] for left, right in pairwise(points))
    assert (points[0][1], points[-1][1]) == (0.0, 1.0)


def test_kinds_that_do_not_overlap_are_told_apart_with_certainty() -> None:
    observations = [Observation(0.6 + n / 100, 0, 0, True) for n in range(30)]
    observations += [Observation(0.4 - n / 100, 0, 0, False) for n in range(30)]
    calibration = fit_calibration(observations, COSINE)
    relevances = [calibration.relevance(one.cosine, 0) for one in observations]
    assert relevances == [1.0] * 30 + [0.0] * 30
    assert calibration.relevance(0.5, 0) == pytest.approx(0.5)


def test_weights_stay_where_others_do_not_separate_clearly_better() -> None:
    fit = fit_calibration(drawn(400, (0.44, 0.05), (0.10, 0.05)), COSINE)
    assert (fit.cosine_weight, fit.coverage_weight, fit.background) == (1.0, 0.0, 0.0)


def test_weights_move_where_the_words_say_what_the_cosine_does_not() -> None:
    random = Random(2)
    observations = [Observation(random.random(), 0.8 if n % 2 else 0.2, 0.0, bool(n % 2)) for n in range(100)]
    fit = fit_calibration(observations, COSINE)
    assert fit.coverage_weight > 0
    assert area_under_curve(observations, fit) == 1.0


@pytest.mark.parametrize("kind", [True, False])
def test_one_kind_alone_measures_nothing(kind: bool) -> None:
    with pytest.raises(ValueError, match="passages"):
        fit_calibration([Observation(0.5, 0.5, 0.0, kind)] * 40, COSINE)


@pytest.mark.parametrize(
    ("good", "bad", "area"),
    [
        ([0.9], [0.1], 1.0),
        ([0.1], [0.9], 0.0),
        ([0.5], [0.5], 0.5),
        ([0.2, 0.8], [0.5], 0.5),
        ([0.5, 0.9], [0.5], 0.75),
    ],
)
def test_the_area_is_the_share_of_pairs_in_the_right_order(good: list[float], bad: list[float], area: float) -> None:
    observations = [Observation(one, 0, 0, True) for one in good] + [Observation(one, 0, 0, False) for one in bad]
    assert area_under_curve(observations, COSINE) == area


observation = st.builds(Observation, st.floats(-1, 1), st.floats(0, 1), st.floats(-1, 1), st.booleans())


@given(st.lists(observation, min_size=2, max_size=40))
def test_any_fit_is_a_calibration(observations: list[Observation]) -> None:
    if len({one.is_relevant for one in observations}) < 2:
        return
    for current in (COSINE, MEASURED_FROM_THE_TAIL):
        fit = fit_calibration(observations, current)
        relevances = [fit.relevance(one.cosine, one.coverage, one.tail) for one in observations]
        assert all(0.0 <= relevance <= 1.0 for relevance in relevances)
        assert all(left[0] < right[0] for left, right in pairwise(fit.points))
