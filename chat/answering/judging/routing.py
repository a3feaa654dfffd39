"""What to try after an answer was judged: the router of adaptive retrieval. Pure; no model decides here.

Source: adaptive-retrieval.es.md §4 and §6 (`route_next_strategy`, `EVALUATION_THRESHOLDS`, `MAX_RETRIES`); SPEC §4.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

FAITHFULNESS, CONTEXT_PRECISION, CONTEXT_RECALL = 0.7, 0.6, 0.6
MOST_ATTEMPTS = 3
SMALL, FIRST, LARGE = 256, 512, 1024  # granularities, tokens
WIDER, NARROWER = 2.0, 0.5


@dataclass(frozen=True, slots=True)
class Metrics:
    """How good an answer and its context are, each 0 to 1."""

    faithfulness: float
    context_precision: float
    context_recall: float

    @property
    def overall(self) -> float:
        """The mean: what attempts are compared by."""
        return (self.faithfulness + self.context_precision + self.context_recall) / 3


@dataclass(frozen=True, slots=True)
class Strategy:
    """How an attempt searches: the chunks' nominal size in tokens, and its share of the agent's usual context."""

    granularity: int = FIRST
    breadth: float = 1.0


class Reason(StrEnum):
    """Why the router decided so."""

    ACCEPTED = "accepted"
    LOW_RECALL = "low_recall"
    LOW_PRECISION = "low_precision"
    LOW_FAITHFULNESS = "low_faithfulness"
    ATTEMPTS_USED = "attempts_used"


@dataclass(frozen=True, slots=True)
class Decision:
    """`strategy` is what to try next; None ends the loop."""

    reason: Reason
    strategy: Strategy | None = None


def route(metrics: Metrics, tried: Sequence[Strategy]) -> Decision:
    """Recall too low: larger chunks, more context. Precision or faithfulness too low: smaller ones, more to the point.

    `tried` are the strategies so far, the judged one last. The size that a fault asks for may have been tried: then
    the same size with more, or with less, of it, because the same search again would find the same.
    """
    if is_good(metrics):
        return Decision(Reason.ACCEPTED)
    if len(tried) >= MOST_ATTEMPTS:
        return Decision(Reason.ATTEMPTS_USED)
    if metrics.context_recall < CONTEXT_RECALL:
        return Decision(Reason.LOW_RECALL, vary_until_new(Strategy(LARGE), WIDER, tried))
    reason = Reason.LOW_PRECISION if metrics.context_precision < CONTEXT_PRECISION else Reason.LOW_FAITHFULNESS
    return Decision(reason, vary_until_new(Strategy(SMALL), NARROWER, tried))


def is_good(metrics: Metrics) -> bool:
    return (
        metrics.faithfulness >= FAITHFULNESS
        and metrics.context_precision >= CONTEXT_PRECISION
        and metrics.context_recall >= CONTEXT_RECALL
    )


def vary_until_new(strategy: Strategy, factor: float, tried: Sequence[Strategy]) -> Strategy:
    """The strategy, or as often multiplied in breadth as makes it a new one."""
    while strategy in tried:
        strategy = replace(strategy, breadth=strategy.breadth * factor)
    return strategy
