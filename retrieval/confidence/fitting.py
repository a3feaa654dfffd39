"""From what was observed of passages to a calibration, and how well one separates. Pure."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from retrieval.confidence.isotonic import fit_isotonic
from retrieval.embeddings.base import Calibration

# Cosine against coverage. The sum's scale is free, since points are fitted to it.
WEIGHTS = ((2.0, 1.0), (1.0, 1.0), (0.5, 1.0), (1.0, 0.0), (0.0, 1.0))
CLEAR_GAIN = 0.005  # a smaller difference in AUC is chance: then the weights stay as they are


@dataclass(frozen=True, slots=True)
class Observation:
    """A passage that a question found: its cosine, its coverage of the question's words, the cosine of the query's
    last dense hit, and whether it answers."""

    cosine: float
    coverage: float
    tail: float
    is_relevant: bool


def fit_calibration(observations: Sequence[Observation], current: Calibration) -> Calibration:
    """The calibration under which relevance is the share of relevant passages among those of like evidence.

    Weights and background are `current`'s unless others separate clearly better. ValueError without both kinds.
    """
    relevant = sum(one.is_relevant for one in observations)
    if not 0 < relevant < len(observations):
        raise ValueError("a calibration needs passages that answer and passages that do not")
    other = max(other_weights(observations, current), key=lambda one: area_under_curve(observations, one))
    gain = area_under_curve(observations, other) - area_under_curve(observations, current)
    best = other if gain > CLEAR_GAIN else current
    return replace(best, points=points(observations, best))


def other_weights(observations: Iterable[Observation], current: Calibration) -> list[Calibration]:
    """Other weights, each with the background as it is, as measured, and as the query's tail."""
    irrelevant = median(one.cosine for one in observations if not one.is_relevant)
    backgrounds = dict.fromkeys((current.background, irrelevant, None))
    return [
        replace(current, cosine_weight=cosine, coverage_weight=coverage, background=background)
        for cosine, coverage in WEIGHTS
        for background in backgrounds
    ]


def points(observations: Iterable[Observation], calibration: Calibration) -> tuple[tuple[float, float], ...]:
    """(evidence, relevance), ascending from 0 to 1: level where an isotonic regression is, linear in between.

    Where the sample's own ends are not certain, 0 and 1 lie a twentieth of its range beyond them: the most evidence in
    a sample is not the most there is.
    """
    blocks = fit_isotonic(
        (calibration.evidence(one.cosine, one.coverage, one.tail), one.is_relevant) for one in observations
    )
    fit = [(evidence, block.value) for block in blocks for evidence in dict.fromkeys((block.first, block.last))]
    margin = max((fit[-1][0] - fit[0][0]) / 20, 0.01)
    if fit[0][1] > 0.0:
        fit.insert(0, (fit[0][0] - margin, 0.0))
    if fit[-1][1] < 1.0:
        fit.append((fit[-1][0] + margin, 1.0))
    return tuple(fit)


def area_under_curve(observations: Iterable[Observation], calibration: Calibration) -> float:
    """The chance that a passage that answers has more evidence than one that does not (Hanley & McNeil 1982)."""
    rated: dict[bool, list[float]] = {True: [], False: []}
    for one in observations:
        rated[one.is_relevant].append(calibration.evidence(one.cosine, one.coverage, one.tail))
    worse = sorted(rated[False])
    wins = sum(bisect_left(worse, good) + bisect_right(worse, good) for good in rated[True])
    return wins / (2 * len(rated[True]) * len(worse))
