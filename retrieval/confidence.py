"""How far the kept passages can be trusted to hold the answer. Pure (SPEC §4; rag-for-teaching-agents §4.3)."""

from collections.abc import Sequence
from enum import StrEnum

MEAN_WEIGHT, MAX_WEIGHT = 0.6, 0.4


class Confidence(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    NONE = "none"

    @property
    def is_sufficient(self) -> bool:
        """Whether an answer may rest on the context."""
        return self in (Confidence.HIGH, Confidence.MEDIUM)


THRESHOLDS = ((0.8, Confidence.HIGH), (0.6, Confidence.MEDIUM), (0.4, Confidence.LOW))


def score(relevances: Sequence[float]) -> float:
    """0.6 · mean + 0.4 · max of the kept passages' calibrated relevance; 0 without passages."""
    if not relevances:
        return 0.0
    return MEAN_WEIGHT * sum(relevances) / len(relevances) + MAX_WEIGHT * max(relevances)


def confidence(score: float) -> Confidence:
    """HIGH from 0.8, MEDIUM from 0.6, LOW from 0.4, else NONE. Sums of floats are read to nine digits."""
    return next((level for limit, level in THRESHOLDS if round(score, 9) >= limit), Confidence.NONE)
