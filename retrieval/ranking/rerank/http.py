"""A re-ranker behind an HTTP endpoint: one deadline, one breaker."""

import asyncio
from collections.abc import Sequence
from urllib.parse import urlsplit

from retrieval.ranking.rerank.base import RerankUnavailable
from retrieval.ranking.rerank.wire import decode_rerank_scores, encode_rerank_request
from retrieval.waiting.breaker import CircuitBreaker
from retrieval.waiting.posting import JsonServer, NoAnswer

SECONDS = 1.5  # a cross-encoder on a CPU scores two dozen passages in about one; the reader waits for it
DEFAULT_PATH = "/rerank"  # of Jina and TEI, for a URL that names only a host


class HttpReranker:
    """A `Reranker`. The endpoint comes from the settings only, HTTPS unless loopback (RELIABILITY R20)."""

    def __init__(self, url: str, model: str = "", api_key: str = "") -> None:
        """Raises ValueError for an endpoint that is not allowed."""
        path = "" if urlsplit(url.strip()).path.strip("/") else DEFAULT_PATH
        self._server = JsonServer(url.strip().rstrip("/") + path, api_key)
        self._model = model
        self._breaker = CircuitBreaker("re-ranker")

    async def rerank(self, question: str, passages: Sequence[str]) -> list[float]:
        """One attempt within SECONDS; while the breaker is open, none. What it refuses is no reason to open it:
        the next question may be another organization's."""
        if not passages:
            return []
        if not self._breaker.allows():
            raise RerankUnavailable("the re-ranker failed repeatedly; waiting before the next trial")
        body = encode_rerank_request(self._model, question, list(passages))
        try:
            answer = await self._server.post(body, asyncio.get_running_loop().time() + SECONDS)
        except NoAnswer as error:
            self._breaker.failed()
            raise RerankUnavailable(f"the re-ranker does not answer: {error}") from None
        if answer.status >= 500:
            self._breaker.failed()
        else:
            self._breaker.succeeded()
        if answer.status != 200:
            raise RerankUnavailable(f"the re-ranker answered {answer.status}")
        return decode_rerank_scores(answer.body, len(passages))
