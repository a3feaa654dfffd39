"""Embeddings from OpenAI or any endpoint that speaks its protocol, over pooled connections of our own.

Why not the official SDK: a question needs one round trip, and its cost counts (PERFORMANCE: the retrieval
endpoint serves 32 questions at once within 110 ms, so 3.4 ms of CPU each). Measured on loopback, model 5 ms:

    client                CPU a question, 1 / 32 at once   p50, 32 at once   CPU a batch of 100
    openai SDK, base64    0.70 / 1.04 ms                   27 ms             6.7 ms
    httpx + orjson        0.40 / 0.66 ms                   24 ms             3.0 ms
    this                  0.10 / 0.34 ms                    8 ms             2.0 ms

The SDK also takes 22 MB and half a second to import, follows redirects, and bounds each read but not the whole
call: a server that trickles would hold a question for minutes. Here one deadline covers connecting, retries and
reading. Proxies of the environment are not used.
"""

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING

from retrieval.breaker import CircuitBreaker
from retrieval.embeddings.base import EmbeddingRejected, EmbeddingSpace, EmbeddingUnavailable
from retrieval.embeddings.connection import Answer, ConnectionPool, Endpoint
from retrieval.embeddings.wire import decode_response, encode_request

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

OPENAI_URL = "https://api.openai.com/v1"
BATCH = 100
IN_FLIGHT = 8
QUERY_SECONDS = 1.2  # the chat goes on without context 1.5 s after the question (RELIABILITY, faults)
QUERY_ATTEMPTS = 2
DOCUMENT_SECONDS = 300.0  # a local model on CPU takes minutes for 8 batches at once
DOCUMENT_ATTEMPTS = 6
LONGEST_WAIT = 60.0
RETRIED = frozenset({408, 409, 425, 429})


class OpenAIProvider:
    """Embeddings of one model at one endpoint. Safe to share between threads."""

    def __init__(self, space: EmbeddingSpace, api_key: str, base_url: str = "") -> None:
        endpoint = Endpoint.parse(base_url or OPENAI_URL, "/embeddings", api_key)
        self.space = space
        self._pool = ConnectionPool(endpoint)
        self._breaker = CircuitBreaker()
        accepts_dimensions = space.model.rsplit("/", 1)[-1].startswith("text-embedding-3")
        self._dimensions = space.dimensions if accepts_dimensions else None

    @cached_property
    def _workers(self) -> ThreadPoolExecutor:
        """Shared by all documents: the endpoint never sees more than IN_FLIGHT batches of this process."""
        return ThreadPoolExecutor(IN_FLIGHT, thread_name_prefix="embed")

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[float32]":
        """(n, d) float32, L2-normalised. Raises EmbeddingUnavailable or EmbeddingRejected: all or nothing."""
        import numpy as np

        batches = [texts[i : i + BATCH] for i in range(0, len(texts), BATCH)]
        running: list[Future[NDArray[float32]]] = [
            self._workers.submit(self._embed, batch, DOCUMENT_SECONDS, DOCUMENT_ATTEMPTS) for batch in batches
        ]
        try:
            vectors = [future.result() for future in running]
        finally:
            for future in running:
                future.cancel()
        return np.concatenate(vectors) if vectors else np.empty((0, self.space.dimensions), dtype=np.float32)

    def embed_query(self, text: str) -> "NDArray[float32]":
        """(d,) float32, L2-normalised, within QUERY_SECONDS, or an error; while the breaker is open, at once."""
        return self.embed_queries([text]).reshape(-1)

    def embed_queries(self, texts: Sequence[str]) -> "NDArray[float32]":
        """(n, d) float32 of a few texts, as `embed_query`."""
        if not self._breaker.allows():
            raise EmbeddingUnavailable("the embedding endpoint failed repeatedly; waiting before the next trial")
        try:
            vectors = self._embed(texts, QUERY_SECONDS, QUERY_ATTEMPTS)
        except EmbeddingUnavailable:
            self._breaker.failed()
            raise
        except EmbeddingRejected:  # it answers, however wrongly
            self._breaker.succeeded()
            raise
        self._breaker.succeeded()
        return vectors

    def close(self) -> None:
        """Give threads and connections back; batches that wait are dropped."""
        self._workers.shutdown(wait=False, cancel_futures=True)
        self._pool.close()

    def _embed(self, texts: Sequence[str], seconds: float, attempts: int) -> "NDArray[float32]":
        body = encode_request(self.space.model, texts, self._dimensions)
        answer = self._ask(body, time.monotonic() + seconds, attempts)
        return decode_response(answer, len(texts), self.space.dimensions)

    def _ask(self, body: bytes, deadline: float, attempts: int) -> bytes:
        """The body of the first good answer; waits as the server says, never beyond the deadline."""
        for attempt in range(1, attempts + 1):
            answer = self._try(body, deadline)
            if answer is not None and answer.status == 200:
                return answer.body
            wait = _pause(answer, attempt)
            if attempt == attempts or time.monotonic() + wait >= deadline:
                break
            time.sleep(wait)
        raise EmbeddingUnavailable("the embedding endpoint does not answer" if answer is None else _fault(answer))

    def _try(self, body: bytes, deadline: float) -> Answer | None:
        """One attempt; None when no answer came. EmbeddingRejected where a repetition would not help."""
        try:
            answer = self._pool.post(body, deadline)
        except OSError:  # refused, reset, timed out, unknown host, bad certificate, not HTTP
            return None
        if answer.status != 200 and answer.status < 500 and answer.status not in RETRIED:
            raise EmbeddingRejected(_fault(answer))
        return answer


def _fault(answer: Answer) -> str:
    return f"the embedding endpoint answered {answer.status}"


def _pause(answer: Answer | None, attempt: int) -> float:
    """Seconds before the next attempt: what Retry-After says, else 0.1, 0.2, 0.4 …"""
    asked = answer.retry_after() if answer is not None else None
    return min(asked if asked is not None else 0.1 * 2 ** (attempt - 1), LONGEST_WAIT)
