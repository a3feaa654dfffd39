"""How far the kept passages can be trusted to hold the answer, and whether an answer may rest on them. Pure.

Sources: SPEC §4, "Confidence" and "Flags"; rag-for-teaching-agents §4.3 (thresholds) and §2.4 (RAG_MIN_CONFIDENCE).
"""

from collections.abc import Sequence
from enum import StrEnum

MEAN_WEIGHT, MAX_WEIGHT = 0.6, 0.4
MIN_CONFIDENCE = 0.6  # where MEDIUM begins


class Confidence(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"
    NONE = "none"


THRESHOLDS = ((0.8, Confidence.HIGH), (0.6, Confidence.MEDIUM), (0.4, Confidence.LOW))


def score(relevances: Sequence[float]) -> float:
    """0.6 · mean + 0.4 · max of the kept passages' calibrated relevance; 0 without passages."""
    if not relevances:
        return 0.0
    return MEAN_WEIGHT * sum(relevances) / len(relevances) + MAX_WEIGHT * max(relevances)


def confidence(score: float) -> Confidence:
    """HIGH from 0.8, MEDIUM from 0.6, LOW from 0.4, else NONE. Sums of floats are read to nine digits."""
    return next((level for limit, level in THRESHOLDS if round(score, 9) >= limit), Confidence.NONE)


class Gate(StrEnum):
    """What a retrieval means for the answer, and if it does not suffice, why."""

    SUFFICIENT = "sufficient"
    LOW_CONFIDENCE = "low_confidence"
    EMPTY = "empty"
    DISABLED = "disabled"
    DEGRADED = "degraded"


def suffices(score: float, min_confidence: float = MIN_CONFIDENCE) -> bool:
    """Whether an answer may rest on the context: at the default exactly HIGH and MEDIUM, as the source has it.

    Who sets another minimum moves the line: above 0.6 some of MEDIUM, or of HIGH, does not suffice; below 0.6 some of
    LOW does. NONE never does, however low the minimum: it means that the context is of no use.
    """
    return confidence(score) is not Confidence.NONE and round(score, 9) >= min_confidence


def gate(score: float, min_confidence: float, *, has_passages: bool, degraded: str | None) -> Gate:
    """What a search's score means; a service that did not answer is the reason where too little was found."""
    if has_passages and suffices(score, min_confidence):
        return Gate.SUFFICIENT
    if degraded:
        return Gate.DEGRADED
    return Gate.LOW_CONFIDENCE if has_passages else Gate.EMPTY
