"""What adaptive retrieval did in the last days: strategies, retries, gains. Counts and means, nobody's words.

Source: adaptive-retrieval.es.md, "Métricas y Monitoring".
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

NAMES = ("faithfulness", "context_precision", "context_recall")


@dataclass(frozen=True, slots=True)
class AdaptiveStatistics:
    """`gain`: how much better the kept attempt was judged than the first, in means of the three metrics, over the
    answers that were tried again; None where there were none. `decisions` count attempts, `sizes` kept ones."""

    answers: int = 0
    tried_again: int = 0
    unjudged: int = 0
    gain: float | None = None
    by_attempts: Mapping[int, int] = field(default_factory=dict)
    decisions: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[int, int] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)


def adaptive_statistics(traces: Iterable[list[dict[str, Any]]]) -> AdaptiveStatistics:
    """Of the `attempts` of traces (`chat.answering.tracing`); what was not judged and tried once is not adaptive."""
    answers = [attempts for attempts in traces if is_adaptive(attempts)]
    judged = [one for attempts in answers for one in attempts if one.get("metrics")]
    kept = [one for attempts in answers for one in attempts if one.get("kept")]
    gains = [gain for attempts in answers if (gain := gain_of(attempts)) is not None]
    return AdaptiveStatistics(
        answers=len(answers),
        tried_again=sum(len(attempts) > 1 for attempts in answers),
        unjudged=sum(one.get("fault") == "evaluator_failed" for attempts in answers for one in attempts),
        gain=fmean(gains) if gains else None,
        by_attempts=dict(sorted(Counter(map(len, answers)).items())),
        decisions=dict(Counter(one["decision"] for one in judged).most_common()),
        sizes=dict(sorted(Counter(one["granularity"] for one in kept).items())),
        metrics={name: fmean(one["metrics"][name] for one in judged) for name in NAMES} if judged else {},
    )


def is_adaptive(attempts: list[dict[str, Any]]) -> bool:
    return any(one.get("metrics") or one.get("fault") == "evaluator_failed" for one in attempts)


def gain_of(attempts: list[dict[str, Any]]) -> float | None:
    """Between the first attempt and the one that was kept; None for a single attempt or without both verdicts."""
    kept = next((one for one in attempts if one.get("kept")), None)
    if len(attempts) < 2 or kept is None or not (attempts[0].get("metrics") and kept.get("metrics")):
        return None
    return overall(kept) - overall(attempts[0])


def overall(attempt: Mapping[str, Any]) -> float:
    return fmean(attempt["metrics"][name] for name in NAMES)
