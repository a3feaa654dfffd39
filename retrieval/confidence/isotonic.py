"""Isotonic regression: the best ascending fit of outcomes to evidence. Pure.

The pool-adjacent-violators algorithm of Ayer, Brunk, Ewing, Reid & Silverman 1955, "An Empirical Distribution Function
for Sampling with Incomplete Information", as Zadrozny & Elkan 2002 ("Transforming Classifier Scores into Accurate
Multiclass Probability Estimates") calibrate scores with it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from statistics import fmean


@dataclass(frozen=True, slots=True)
class Level:
    """Neighbours with one fitted value, the mean of their outcomes: from which evidence to which, and how many."""

    first: float
    last: float
    value: float
    count: int

    def pooled(self, other: "Level") -> "Level":
        """With the level that follows."""
        count = self.count + other.count
        return Level(self.first, other.last, (self.value * self.count + other.value * other.count) / count, count)


def fit_isotonic(observations: Iterable[tuple[float, float]]) -> list[Level]:
    """The least-squares fit of (evidence, outcome) among all ascending functions, as blocks ascending in both.

    Observations of equal evidence get one value, whatever their outcomes; linear in their number once sorted.
    """
    blocks: list[Level] = []
    for evidence, equals in groupby(sorted(observations), key=itemgetter(0)):
        outcomes = [outcome for _, outcome in equals]
        blocks.append(Level(evidence, evidence, fmean(outcomes), len(outcomes)))
        while len(blocks) > 1 and blocks[-2].value >= blocks[-1].value:
            last = blocks.pop()
            blocks[-1] = blocks[-1].pooled(last)
    return blocks
