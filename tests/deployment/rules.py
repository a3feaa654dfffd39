"""For each alert its input just below the threshold and at it, as promtool's series: a value for each minute or hour.

`per` is what a counter grows by in one step; gauges stand where they are told to.
"""

from dataclasses import dataclass
from typing import Any

STEPS = {"1m": 150, "10m": 288, "6h": 160}  # of a case's series: beyond the longest range of its rule


@dataclass(frozen=True, slots=True)
class Case:
    """`below` and `at` are series by their names and labels: (constant) gauges as numbers, counters by their growth."""

    alert: str
    below: dict[str, "float | Per"]
    at: dict[str, "float | Per"]
    step: str = "1m"

    def series(self, which: str) -> list[dict[str, str]]:
        told: dict[str, float | Per] = getattr(self, which)
        return [{"series": name, "values": values(value, STEPS[self.step])} for name, value in told.items()]

    @property
    def ends(self) -> str:
        number, unit = int(self.step[:-1]), self.step[-1]
        return f"{STEPS[self.step] * number}{unit}"


@dataclass(frozen=True, slots=True)
class Per:
    """A counter that grows by as much in each step; `then` from the step `at` on, if it changes."""

    step: float
    then: float | None = None
    at: int = 0


def values(value: "float | Per", steps: int) -> str:
    if not isinstance(value, Per):
        return f"{value}x{steps}"
    if value.then is None:
        return f"0+{value.step}x{steps}"
    reached = value.step * value.at
    return f"0+{value.step}x{value.at} {reached + value.then}+{value.then}x{steps - value.at - 1}"


def histogram(name: str, counts: dict[str, float], **labels: str) -> dict[str, Any]:
    """A histogram whose buckets grow by these cumulated counts in each step."""
    return {series(f"{name}_bucket", **labels, le=le): Per(count) for le, count in counts.items()}


def mean(name: str, value: float, **labels: str) -> dict[str, Any]:
    """A histogram of 100 observations a step with this mean."""
    return {series(f"{name}_sum", **labels): Per(value * 100), series(f"{name}_count", **labels): Per(100)}


def series(name: str, **labels: str) -> str:
    return f"{name}{{{','.join(f'{key}={chr(34)}{value}{chr(34)}' for key, value in labels.items())}}}"


def quantile(alert: str, name: str, under: str, threshold: str, **labels: str) -> Case:
    """p95 exactly at the threshold, which is a bucket's bound, and within the bucket that ends there."""
    at, below = {under: 0, threshold: 95, "+Inf": 100}, {under: 0, threshold: 96, "+Inf": 100}
    return Case(alert, histogram(name, below, **labels), histogram(name, at, **labels))


def share(alert: str, name: str, below: tuple[float, float], at: tuple[float, float], **parts: Any) -> Case:
    """Two series of a counter, of which the rule watches the first one's share: (first, second) a step."""
    first, second = (series(name, **labels) for labels in parts["of"])
    step = parts.get("step", "10m")
    return Case(alert, *({first: Per(one[0]), second: Per(one[1])} for one in (below, at)), step=step)


def week(alert: str, name: str) -> Case:
    """20 % before; in the last week 25.9 and 26.1 %, which is 30 % more."""
    unknown, known = series(name, state="not_in_documents"), series(name, state="supported")
    turn = STEPS["6h"] - 28

    def of(per_mille: int) -> dict[str, Any]:
        return {unknown: Per(200, per_mille, turn), known: Per(800, 1000 - per_mille, turn)}

    return Case(alert, of(258), of(262), step="6h")


def gauge(alert: str, name: str, below: float, at: float, **labels: str) -> Case:
    told = series(name, **labels)
    return Case(alert, {told: below}, {told: at})


def day_mean(alert: str, name: str, below: float, at: float, **labels: str) -> Case:
    return Case(alert, mean(name, below, **labels), mean(name, at, **labels), step="10m")


def judged(alert: str, metric: str, threshold: float) -> Case:
    """A good mean is the threshold itself."""
    name, labels = "answer_evaluation_score", {"metric": metric, "granularity": "512"}
    return day_mean(alert, name, threshold, threshold - 0.001, **labels)


RATED = ({"rating": "up"}, {"rating": "down"})
CASES = (
    gauge("AcervoDown", "up", 1, 0, job="acervo"),
    Case("IsolationViolation", {"isolation_violation_total": 1}, {"isolation_violation_total": Per(1)}),
    share(
        "AnswersFailing", "answers_ended_total", (4.9, 95.1), (5, 95),
        of=({"status": "failed"}, {"status": "complete"}), step="1m",
    ),
    Case(
        "SearchesDegraded",
        *(
            {series("retrieval_degraded_total", fault="index_unavailable"): Per(count),
             series("retrieval_duration_seconds_count", stage="total"): Per(100)}
            for count in (4.9, 5)
        ),
    ),
    gauge("BreakerOpen", "circuit_breakers_open", 0, 1, service="embeddings"),
    Case(
        "QuotasRefuseMany",
        *({series("quota_refused_total", limit="streams", per="user"): Per(n / 60)} for n in (99, 101)),
    ),
    quantile("RetrievalSlow", "retrieval_duration_seconds", "0.3", "0.5", stage="total"),
    quantile("RetrievalBeyondTarget", "retrieval_duration_seconds", "0.075", "0.1", stage="total"),
    quantile("EmbeddingSlow", "embedding_duration_seconds", "0.15", "0.2", purpose="question"),
    quantile("ContextTooLarge", "retrieval_context_tokens", "1750", "2000"),
    day_mean("ChunkRelevanceLow", "retrieval_chunk_relevance", 0.701, 0.7),
    day_mean("ConfidenceLow", "retrieval_confidence_score", 0.701, 0.7),
    share(
        "CacheHitRateLow", "embedding_cache_lookups_total", (61, 39), (60, 40),
        of=({"purpose": "question", "result": "hit"}, {"purpose": "question", "result": "miss"}),
    ),
    quantile("FirstTokenSlow", "answer_first_token_seconds", "3.0", "5.0"),
    share(
        "CoverageLow", "answers_total", (81, 19), (80, 20),
        of=({"state": "supported"}, {"state": "not_in_documents"}),
    ),
    share("SatisfactionLow", "answer_ratings_total", (81, 19), (80, 20), of=RATED, step="6h"),
    week("UnknownAnswersRising", "answers_total"),
    judged("FaithfulnessLow", "faithfulness", 0.7),
    judged("ContextPrecisionLow", "context_precision", 0.6),
    judged("ContextRecallLow", "context_recall", 0.6),
    gauge("IngestionLate", "work_backlog_age_seconds", 299, 300, lane="short", kind="ingest"),
    gauge("ErasureLate", "work_backlog_age_seconds", 59, 60, lane="short", kind="erase"),
    gauge("WebhooksLate", "work_backlog_age_seconds", 599, 600, lane="upkeep", kind="webhook"),
    share(
        "DocumentsFailing", "ingestion_documents_total", (19, 81), (20, 80),
        of=({"lane": "short", "outcome": "failed"}, {"lane": "short", "outcome": "indexed"}), step="1m",
    ),
    gauge("UpkeepStopped", "periodic_job_age_seconds", 119, 120, job="sweep"),
)  # fmt: skip
