"""Documents' embeddings through the official SDK, with its retries: in batches, several at once, all or nothing.

Vectors are asked for in base64 and decoded here: the
SDK's own way, lists of Python floats, costs 2.4 ms of CPU a chunk instead of 0.02.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from config.concurrency.loops import PerLoop, block_on
from config.metrics.searching import DOCUMENTS, timed_embedding
from retrieval.embeddings.base import EmbeddingRejected, EmbeddingSpace, EmbeddingUnavailable
from retrieval.embeddings.wire import decode_embeddings
from retrieval.waiting.openai_sdk import key_headers, openai_client

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

BATCH = 100
IN_FLIGHT = 8  # batches of this process, whatever many documents
SECONDS = 300.0  # of a batch with its retries: a local model on CPU takes minutes for 8 batches at once
RETRIES = 5
PASSING = frozenset({408, 409, 425, 429})


class DocumentEmbedder:
    """Safe to share between threads."""

    def __init__(self, space: EmbeddingSpace, dimensions: int | None, url: str, api_key: str) -> None:
        """`dimensions`: what the model is asked for, None for one that takes no such wish."""
        self._space, self._dimensions = space, dimensions
        self._place = (url, api_key)

    def embed(self, texts: Sequence[str]) -> "NDArray[float32]":
        """(n, d) float32, L2-normalised, in the order of `texts`. Raises EmbeddingUnavailable or EmbeddingRejected."""
        import numpy as np

        if not texts:
            return np.empty((0, self._space.dimensions), dtype=np.float32)
        return np.concatenate(block_on(self._all(texts)))

    async def _all(self, texts: Sequence[str]) -> "list[NDArray[float32]]":
        """One batch that fails cancels the others."""
        batches = [texts[start : start + BATCH] for start in range(0, len(texts), BATCH)]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._batch(batch)) for batch in batches]
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _batch(self, texts: Sequence[str]) -> "NDArray[float32]":
        async with await _TURNS.get():
            with timed_embedding(DOCUMENTS):
                body = await self._answer(texts)
                return decode_embeddings(body, len(texts), self._space.dimensions)

    async def _answer(self, texts: Sequence[str]) -> bytes:
        """An empty text is sent as a space: servers refuse empty strings."""
        client = await openai_client(*self._place)
        import openai

        try:
            async with asyncio.timeout(SECONDS):
                patient = client.with_options(max_retries=RETRIES)
                answer = await patient.embeddings.with_raw_response.create(
                    model=self._space.model,
                    input=[text or " " for text in texts],
                    encoding_format="base64",
                    extra_headers=key_headers(self._place[1]),
                    dimensions=openai.omit if self._dimensions is None else self._dimensions,
                )
                return answer.content
        except openai.APIStatusError as error:
            fault = f"the embedding endpoint answered {error.status_code}"
            if error.status_code >= 500 or error.status_code in PASSING:
                raise EmbeddingUnavailable(fault) from None
            raise EmbeddingRejected(fault) from None
        except (openai.APIError, TimeoutError):
            raise EmbeddingUnavailable("the embedding endpoint does not answer") from None


_TURNS = PerLoop(lambda: asyncio.Semaphore(IN_FLIGHT))
