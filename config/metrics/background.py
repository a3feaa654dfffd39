"""What is counted of background work: how long each stage of a document takes by lane, how documents end, and what
becomes of what webhooks are told.

What waits, and for how long, is asked of the rows at each scrape (`workers.upkeep.backlog`).
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from prometheus_client import Counter, Histogram

from config.metrics import shared as shared  # says where they are kept, before the first is made

LANES = ("ingestion", "short")
STAGES = ("wait", "read", "embed", "store", "index", "switch", "total")
OUTCOMES = ("indexed", "failed", "postponed", "lost")
SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 900.0, 3600.0)

STAGE_SECONDS = Histogram(
    "ingestion_stage_seconds", "Of a document, by stage and lane; wait: from when it was due", ["lane", "stage"],
    buckets=SECONDS,
)  # fmt: skip
DOCUMENTS = Counter("ingestion_documents_total", "Attempts at documents, by how they ended", ["lane", "outcome"])
DOCUMENT_FAILURES = Counter("ingestion_failures_total", "Documents that failed, by the code of the reason", ["code"])

FORGOTTEN = Counter("retention_rows_deleted_total", "Rows that were kept for their time and are gone", ["kind"])
WEBHOOK_ATTEMPTS = Counter("webhook_attempts_total", "POSTs to webhooks, by whether they were taken", ["outcome"])

_lane = ContextVar("lane", default="ingestion")


@contextmanager
def working_in(lane: str) -> Iterator[None]:
    """What is counted within is this lane's."""
    token = _lane.set(lane)
    try:
        yield
    finally:
        _lane.reset(token)


@contextmanager
def timed_stage(stage: str) -> Iterator[None]:
    """Of one that ends as it should."""
    began = time.perf_counter()
    yield
    observe_stage(stage, time.perf_counter() - began)


def observe_stage(stage: str, seconds: float) -> None:
    STAGE_SECONDS.labels(_lane.get(), stage).observe(seconds)


def count_document(outcome: str, code: str = "") -> None:
    DOCUMENTS.labels(_lane.get(), outcome).inc()
    if code:
        DOCUMENT_FAILURES.labels(code).inc()


def count_webhook_attempt(*, is_taken: bool) -> None:
    WEBHOOK_ATTEMPTS.labels("sent" if is_taken else "failed").inc()


for outcome in ("sent", "failed"):
    WEBHOOK_ATTEMPTS.labels(outcome)
for lane in LANES:
    for each in STAGES:
        STAGE_SECONDS.labels(lane, each)
    for each in OUTCOMES:
        DOCUMENTS.labels(lane, each)
