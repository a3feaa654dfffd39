"""Embeddings from OpenAI or any endpoint that speaks its protocol.

A question's are asked for here, on the event loop: one round trip, under one deadline, whose cost counts (ADR 0011).
Documents' go through the official SDK (`documents`).
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from config.concurrency.loops import block_on
from config.endpoints import allowed_endpoint, retry_after
from config.metrics.searching import QUESTION, timed_embedding
from retrieval.embeddings.base import (
    EmbeddingBusy,
    EmbeddingProvider,
    EmbeddingRejected,
    EmbeddingSpace,
    EmbeddingUnavailable,
)
from retrieval.embeddings.documents import DocumentEmbedder
from retrieval.embeddings.wire import decode_embeddings, encode_embedding_request
from retrieval.waiting.breaker import CircuitBreaker
from retrieval.waiting.posting import JsonServer, NoAnswer, ServerReply

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

OPENAI_URL = "https://api.openai.com/v1"
SECONDS = 1.2  # the chat goes on without context 1.5 s after the question (RELIABILITY, faults)
ATTEMPTS = 2
PASSING = frozenset({408, 409, 425, 429})


class OpenAIProvider(EmbeddingProvider):
    """Embeddings of one model at one endpoint. Safe to share between threads and loops."""

    waits = True

    def __init__(self, space: EmbeddingSpace, api_key: str, base_url: str = "") -> None:
        """Raises ValueError for an endpoint or a key that may not be used."""
        self.space = space
        url = allowed_endpoint(base_url or OPENAI_URL)
        self._server = JsonServer(f"{url}/embeddings", api_key)
        self._breaker = CircuitBreaker("embeddings")
        accepts_dimensions = space.model.rsplit("/", 1)[-1].startswith("text-embedding-3")
        self._dimensions = space.dimensions if accepts_dimensions else None
        self._documents = DocumentEmbedder(space, self._dimensions, url, api_key)

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[float32]":
        return self._documents.embed([self.space.prefixes.document + text for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> "NDArray[float32]":
        return block_on(self.aembed_queries(texts))

    async def aembed_queries(self, texts: Sequence[str]) -> "NDArray[float32]":
        """(n, d) float32, L2-normalised, within SECONDS, or an error; while the breaker is open, at once."""
        if not self._breaker.allows():
            raise EmbeddingUnavailable("the embedding endpoint failed repeatedly; waiting before the next trial")
        try:
            asked = [self.space.prefixes.query + text for text in texts]
            with timed_embedding(QUESTION):
                body = await self._ask(encode_embedding_request(self.space.model, asked, self._dimensions))
                vectors = decode_embeddings(body, len(texts), self.space.dimensions)
        except (EmbeddingBusy, EmbeddingRejected):  # it answers, however little we like it
            self._breaker.succeeded()
            raise
        except EmbeddingUnavailable:
            self._breaker.failed()
            raise
        self._breaker.succeeded()
        return vectors

    async def _ask(self, body: bytes) -> bytes:
        """The body of the first good answer; waits as the server says, never beyond the deadline."""
        now = asyncio.get_running_loop().time
        deadline = now() + SECONDS
        for attempt in range(1, ATTEMPTS + 1):
            answer = await self._try(body, deadline)
            if answer is not None and answer.status == 200:
                return answer.body
            wait = _pause(answer)
            if attempt == ATTEMPTS or now() + wait >= deadline:
                break
            await asyncio.sleep(wait)
        if answer is None:
            raise EmbeddingUnavailable("the embedding endpoint does not answer")
        raise (EmbeddingBusy if answer.status in PASSING else EmbeddingUnavailable)(_fault(answer))

    async def _try(self, body: bytes, deadline: float) -> ServerReply | None:
        """One attempt; None when no answer came. EmbeddingRejected where a repetition would not help."""
        try:
            answer = await self._server.post(body, deadline)
        except NoAnswer:
            return None
        if answer.status != 200 and answer.status < 500 and answer.status not in PASSING:
            raise EmbeddingRejected(_fault(answer))
        return answer


def _fault(answer: ServerReply) -> str:
    return f"the embedding endpoint answered {answer.status}"


def _pause(answer: ServerReply | None) -> float:
    """Seconds before the next attempt: what Retry-After says, else a tenth."""
    asked = retry_after(answer.headers) if answer is not None else None
    return 0.1 if asked is None else asked
