"""How well a score tells what the documents answer from what they do not."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Separation:
    """AUROC of the score (Hanley & McNeil 1982), and shares judged at the default threshold."""

    answerable: int
    unanswerable: int
    auroc: float
    refused: float
    let_through: float


def separation_of(answerable: Sequence[tuple[float, bool]], unanswerable: Sequence[tuple[float, bool]]) -> Separation:
    """Of (score, sufficient) pairs."""
    good, bad = [score for score, _ in answerable], sorted(score for score, _ in unanswerable)
    wins = sum(bisect_left(bad, score) + bisect_right(bad, score) for score in good)
    return Separation(
        len(good),
        len(bad),
        wins / (2 * len(good) * len(bad)) if good and bad else 0.0,
        share(not sufficient for _, sufficient in answerable),
        share(sufficient for _, sufficient in unanswerable),
    )


def share(flags: object) -> float:
    """Of true ones; 0 of none."""
    listed = list(flags)  # type: ignore[call-overload]
    return sum(map(bool, listed)) / len(listed) if listed else 0.0
