"""What adaptive retrieval did in the last days: strategies, retries, gains. Counts and means, nobody's words.

Source: adaptive-retrieval.es.md, "Métricas y Monitoring".
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from django.utils.translation import gettext_lazy as _

UNKNOWN = "other"
KINDS = {
    "comparison": _("a comparison"),
    "reason": _("a reason"),
    "number": _("a number"),
    "date": _("a date"),
    "person": _("a person"),
    "place": _("a place"),
    "definition": _("a definition"),
    "list": _("a list"),
    "how_to": _("how something is done"),
    "yes_or_no": _("yes or no"),
    "other": _("something else"),
}
NAMES = ("faithfulness", "context_precision", "context_recall")


@dataclass(frozen=True, slots=True)
class KindRetries:
    """Of the answers to one kind of question (`chat.understanding.kinds`); `share` (0..1) was tried again."""

    kind: str
    answers: int
    tried_again: int

    @property
    def share(self) -> float:
        return self.tried_again / self.answers

    @property
    def label(self) -> str:
        return str(KINDS.get(self.kind, self.kind))


@dataclass(frozen=True, slots=True)
class SizeMetrics:
    """Of the judged attempts with passages of `size` tokens: means of the metrics by name, and how many were kept."""

    size: int
    attempts: int
    kept: int
    means: Mapping[str, float]

    @property
    def overall(self) -> float:
        return fmean(self.means.values())


@dataclass(frozen=True, slots=True)
class AdaptiveStatistics:
    """`gain`: how much better the kept attempt was judged than the first, in means of the three metrics, over the
    answers that were tried again; None where there were none. `decisions` count attempts, `sizes` kept ones.
    `kinds` say of each kind of question how often it was tried again, `by_size` how good the judged attempts of each
    size of passages were."""

    answers: int = 0
    tried_again: int = 0
    unjudged: int = 0
    gain: float | None = None
    by_attempts: Mapping[int, int] = field(default_factory=dict)
    decisions: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[int, int] = field(default_factory=dict)
    metrics: Mapping[str, float] = field(default_factory=dict)
    kinds: tuple[KindRetries, ...] = ()
    by_size: tuple[SizeMetrics, ...] = ()


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
        metrics=means_of(judged) if judged else {},
        kinds=kind_retries(answers),
        by_size=size_metrics(judged),
    )


def means_of(judged: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    return {name: fmean(one["metrics"][name] for one in judged) for name in NAMES}


def kind_retries(answers: Sequence[Sequence[Mapping[str, Any]]]) -> tuple[KindRetries, ...]:
    """The most frequent kind first; traces of 0.1.0 know none."""
    asked = Counter(attempts[0].get("kind") or UNKNOWN for attempts in answers)
    again = Counter(attempts[0].get("kind") or UNKNOWN for attempts in answers if len(attempts) > 1)
    return tuple(KindRetries(kind, count, again[kind]) for kind, count in asked.most_common())


def size_metrics(judged: Sequence[Mapping[str, Any]]) -> tuple[SizeMetrics, ...]:
    by_size: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for one in judged:
        by_size[one["granularity"]].append(one)
    return tuple(
        SizeMetrics(size, len(own), sum(bool(one.get("kept")) for one in own), means_of(own))
        for size, own in sorted(by_size.items())
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
