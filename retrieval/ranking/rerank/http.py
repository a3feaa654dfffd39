"""A re-ranker behind an HTTP endpoint, over the pooled connections of the embeddings: one deadline, one breaker."""

import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from retrieval.breaker import CircuitBreaker
from retrieval.embeddings.connection import ConnectionPool, Endpoint
from retrieval.ranking.rerank.base import RerankUnavailable
from retrieval.ranking.rerank.wire import decode_response, encode_request

SECONDS = 1.5  # a cross-encoder on a CPU scores two dozen passages in about one; the reader waits for it
DEFAULT_PATH = "/rerank"  # of Jina and TEI, for a URL that names only a host


class HttpReranker:
    """A `Reranker`. The endpoint comes from the settings only, HTTPS unless loopback (RELIABILITY R20)."""

    def __init__(self, url: str, model: str = "", api_key: str = "") -> None:
        """Raises ValueError for an endpoint that is not allowed."""
        path = "" if urlsplit(url.strip()).path.strip("/") else DEFAULT_PATH
        self._pool = ConnectionPool(Endpoint.parse(url, path, api_key))
        self._model = model
        self._breaker = CircuitBreaker()

    def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        """One attempt within SECONDS; while the breaker is open, none."""
        if not passages:
            return []
        if not self._breaker.allows():
            raise RerankUnavailable("the re-ranker failed repeatedly; waiting before the next trial")
        try:
            scores = self._scores(question, passages)
        except RerankUnavailable:
            self._breaker.failed()
            raise
        self._breaker.succeeded()
        return scores

    def close(self) -> None:
        self._pool.close()

    def _scores(self, question: str, passages: Sequence[str]) -> list[float]:
        body = encode_request(self._model, question, list(passages))
        try:
            answer = self._pool.post(body, time.monotonic() + SECONDS)
        except OSError as error:  # refused, reset, timed out, unknown host, bad certificate, not HTTP
            raise RerankUnavailable(f"the re-ranker does not answer: {type(error).__name__}") from None
        if answer.status != 200:
            raise RerankUnavailable(f"the re-ranker answered {answer.status}")
        return decode_response(answer.body, len(passages))
