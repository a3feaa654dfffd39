"""What is counted of a search: its stages, embeddings and their cache, what was found and how good, breakers, walls.

Sources: two-tier-corpora §6.1 (latency, embedding, context, relevance, use) and rag-for-teaching-agents §8 phase 5 and
§10 (latency, cache hit rate, confidence). Labels are words of ours alone: no organization, no user, no text.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from prometheus_client import Counter, Gauge, Histogram

from config.metrics import shared as shared  # says where they are kept, before the first is made

STAGES = ("places", "embed", "search", "confirm", "rank", "fit", "total")
FAULTS = ("embedding_unavailable", "index_unavailable", "rerank_unavailable")
QUESTION, DOCUMENTS = PURPOSES = ("question", "documents")
SHARES = tuple(n / 10 for n in range(1, 11))
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.5, 5.0, 10.0)
TOKENS = (250, 500, 750, 1000, 1250, 1500, 1750, 2000, 2500, 3000, 4000, 6000)

RETRIEVAL_SECONDS = Histogram(
    "retrieval_duration_seconds", "Of a search, by stage; total: from the question to its passages", ["stage"],
    buckets=SECONDS,
)  # fmt: skip
RETRIEVALS = Counter("retrievals_total", "Searches that ended, by what they mean for an answer", ["gate"])
CONFIDENCE = Counter("retrieval_confidence_total", "Searches by confidence", ["level"])
SCORE = Histogram("retrieval_confidence_score", "Confidence of a search, 0 to 1", buckets=SHARES)
RELEVANCE = Histogram("retrieval_chunk_relevance", "Relevance of each passage that was kept, 0 to 1", buckets=SHARES)
CONTEXT_TOKENS = Histogram("retrieval_context_tokens", "Tokens of all passages of a search", buckets=TOKENS)
DEGRADED = Counter("retrieval_degraded_total", "Searches that did without a service", ["fault"])
ISOLATION_VIOLATIONS = Counter("isolation_violation_total", "Hits outside the asking scope; expected 0 forever")
STALE_HITS = Counter("retrieval_stale_hits_total", "Hits whose chunk is deleted, superseded or switched off")

EMBEDDING_SECONDS = Histogram(
    "embedding_duration_seconds", "Of one request for embeddings, its retries included", ["purpose"], buckets=SECONDS
)
EMBEDDING_FAILURES = Counter("embedding_failures_total", "Requests that brought no embeddings", ["purpose"])
CACHE_LOOKUPS = Counter("embedding_cache_lookups_total", "Texts looked up in the cache", ["purpose", "result"])

BREAKERS_OPEN = Gauge(
    "circuit_breakers_open", "Breakers that are open in a process", ["service"], multiprocess_mode="livesum"
)
BREAKERS_OPENED = Counter("circuit_breaker_opened_total", "How often a breaker has opened", ["service"])


def observe_search(timings: Mapping[str, float], degraded: Iterable[str]) -> None:
    """Of any search: `timings` in milliseconds by stage, `degraded` what it did without."""
    for stage, milliseconds in timings.items():
        RETRIEVAL_SECONDS.labels(stage).observe(milliseconds / 1000)
    for fault in degraded:
        DEGRADED.labels(fault).inc()


def observe_found(gate: str, level: str, score: float, relevances: Iterable[float], tokens: int) -> None:
    """What a search found."""
    RETRIEVALS.labels(gate).inc()
    CONFIDENCE.labels(level).inc()
    SCORE.observe(score)
    for relevance in relevances:
        RELEVANCE.observe(relevance)
    CONTEXT_TOKENS.observe(tokens)


@contextmanager
def timed_embedding(purpose: str) -> Iterator[None]:
    """Of what brings embeddings only the time: a refusal may come at once, and a silence after any time."""
    began = time.perf_counter()
    try:
        yield
    except Exception:
        EMBEDDING_FAILURES.labels(purpose).inc()
        raise
    EMBEDDING_SECONDS.labels(purpose).observe(time.perf_counter() - began)


def count_lookups(purpose: str, hits: int, misses: int) -> None:
    CACHE_LOOKUPS.labels(purpose, "hit").inc(hits)
    CACHE_LOOKUPS.labels(purpose, "miss").inc(misses)


def show_from_the_start() -> None:
    """A series that begins with its first event has no increase then."""
    for stage in STAGES:
        RETRIEVAL_SECONDS.labels(stage)
    for fault in FAULTS:
        DEGRADED.labels(fault)
    for purpose in PURPOSES:
        EMBEDDING_SECONDS.labels(purpose)
        EMBEDDING_FAILURES.labels(purpose)
        count_lookups(purpose, 0, 0)


show_from_the_start()
