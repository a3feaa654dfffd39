"""What is counted of answers and of the models that give them: ends, streams, first tokens, tokens and money, attempts.

Sources: two-tier-corpora §6.1 (use of documents), rag-for-teaching-agents §10 (coverage, satisfaction, "no sé"),
adaptive-retrieval "Métricas y Monitoring" (strategies in use, what each size brings, retries by kind of question).

Models are those that the installation names, all others are "other"; an organization is a class of sizes.
"""

from collections.abc import Iterable

from prometheus_client import Counter, Gauge, Histogram

from config.metrics import shared as shared  # says where they are kept, before the first is made

SECONDS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 60.0)
SHARES = tuple(n / 10 for n in range(1, 11))
GAINS = (-0.5, -0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.5, 1.0)
SIZES = ("256", "512", "800", "1024")
OTHER = "other"
CLASSES = (("1", 1), ("2-10", 10), ("11-100", 100), ("101-1000", 1000))  # of organizations: members, at most
LARGEST, UNKNOWN = "1001+", "unknown"

ANSWERS = Counter("answers_total", "Answers that have ended, by how far they rest on documents", ["state"])
ENDED = Counter("answers_ended_total", "Answers that have ended, by how", ["status"])
FAILURES = Counter("answer_failures_total", "Answers that failed, by the code of the error", ["code"])
RATINGS = Counter("answer_ratings_total", "Ratings of answers, each change as one", ["rating"])
STREAMS = Gauge("answer_streams", "Answers that are being written", multiprocess_mode="livesum")
FIRST_TOKEN = Histogram(
    "answer_first_token_seconds", "From a question's admission to the first word of a model's answer", buckets=SECONDS
)
MODEL_FIRST_TOKEN = Histogram(
    "model_first_token_seconds", "From the request to a model to its first word", ["model"], buckets=SECONDS
)
MODEL_TOKENS = Counter("model_tokens_total", "Tokens of language models", ["model", "direction", "organization_class"])
MODEL_COST = Counter(
    "model_cost_dollars_total", "US dollars of what has a price in MODEL_PRICES", ["model", "organization_class"]
)
ATTEMPTS = Counter("answer_attempts_total", "Attempts of adaptive answers", ["granularity", "outcome"])
FOREIGN_REQUESTS = Counter("foreign_requests_total", "Uses of external tool servers, by how they ended", ["outcome"])
RETRIES = Counter("answer_retries_total", "Further attempts, by the kind of question", ["kind"])
DECISIONS = Counter("answer_retry_decisions_total", "What the router has decided of judged answers", ["reason"])
GAIN = Histogram(
    "answer_attempt_gain", "A further attempt's mean of metrics less that of the one before", ["granularity"],
    buckets=GAINS,
)  # fmt: skip
EVALUATION = Histogram(
    "answer_evaluation_score", "Judged answers, 0 to 1", ["metric", "granularity"], buckets=SHARES
)  # fmt: skip


def size_label(granularity: int) -> str:
    return str(granularity) if str(granularity) in SIZES else OTHER


def class_of_size(members: int) -> str:
    return next((name for name, most in CLASSES if members <= most), LARGEST)


def count_spent(model: str, organization_class: str, prompt: int, completion: int, dollars: float) -> None:
    MODEL_TOKENS.labels(model, "prompt", organization_class).inc(prompt)
    MODEL_TOKENS.labels(model, "completion", organization_class).inc(completion)
    MODEL_COST.labels(model, organization_class).inc(dollars)


def count_end(state: str, status: str, error_code: str) -> None:
    """Of an answer that is stored."""
    ANSWERS.labels(state).inc()
    ENDED.labels(status).inc()
    if error_code:
        FAILURES.labels(error_code).inc()


def count_attempt(granularity: int, *, is_kept: bool, decision: str, scores: Iterable[tuple[str, float]]) -> None:
    size = size_label(granularity)
    ATTEMPTS.labels(size, "kept" if is_kept else "replaced").inc()
    if decision:
        DECISIONS.labels(decision).inc()
    for metric, score in scores:
        EVALUATION.labels(metric, size).observe(score)


def count_retry(granularity: int, kind: str, gain: float | None) -> None:
    """`gain`: None where one of the two was not judged."""
    RETRIES.labels(kind).inc()
    if gain is not None:
        GAIN.labels(size_label(granularity)).observe(gain)


for rating in ("up", "down"):
    RATINGS.labels(rating)
for size in SIZES:
    GAIN.labels(size)  # has no sum: it may fall
