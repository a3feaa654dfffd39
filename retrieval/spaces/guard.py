"""A provider that is asked for its probe before its vectors are trusted (`probe`)."""

import logging
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from retrieval.embeddings.base import EmbeddingError, EmbeddingProvider
from retrieval.embeddings.unreachable import UnreachableProvider
from retrieval.spaces import registry
from retrieval.spaces.probe import SENTENCE, EmbeddingSpaceMismatch, compare, round_vector

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

logger = logging.getLogger(__name__)

TRUSTED_SECONDS = 600.0  # a model that is exchanged under a running process is noticed within this
REFUSED_SECONDS = 30.0  # and one that is put right again within this


class GuardedProvider(EmbeddingProvider):
    """An `EmbeddingProvider` that raises EmbeddingSpaceMismatch while its model is not the space's.

    Documents wait for the probe. A question does not: it starts one in the background, is answered meanwhile, and
    is refused only once a probe disagreed; retrieval then goes by words alone. Safe to share between threads.
    """

    def __init__(self, provider: EmbeddingProvider, collection: str) -> None:
        self._provider = provider
        self._collection = collection  # of the space, whose row keeps the probe
        self.space, self.waits = provider.space, provider.waits
        self._known: list[float] = []
        self._refusal: EmbeddingSpaceMismatch | None = None
        self._valid_until = float("-inf")
        self._asking = threading.Lock()

    @property
    def is_reachable(self) -> bool:
        """Whether the settings have an endpoint for the model at all."""
        return not isinstance(self._provider, UnreachableProvider)

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[float32]":
        self.verify()
        return self._provider.embed_documents(texts)

    def embed_queries(self, texts: Sequence[str]) -> "NDArray[float32]":
        self._verify_meanwhile()
        return self._provider.embed_queries(texts)

    async def aembed_queries(self, texts: Sequence[str]) -> "NDArray[float32]":
        self._verify_meanwhile()
        return await self._provider.aembed_queries(texts)

    def _verify_meanwhile(self) -> None:
        """For questions: what is known decides, and is asked again in the background when it has grown old."""
        if not self._is_known_now() and self._known:
            self._verify_in_the_background()
        if self._refusal is not None:
            raise self._refusal

    def learn(self, probe: Sequence[float]) -> None:
        """The space's probe as the database has it by now: another process may have been the first to ask."""
        if not self._known:
            self._known = list(probe)

    def verify(self) -> None:
        """Ask for the probe unless a recent answer stands; the first one of a space is stored.

        Raises EmbeddingSpaceMismatch, or EmbeddingError when the model does not answer.
        """
        with self._asking:
            if not self._is_known_now():
                fresh = self._fresh_probe()
                if not self._known:
                    self._known = registry.remember_probe(self._collection, fresh)
                self._judge(fresh)
            if self._refusal is not None:
                raise self._refusal

    def _is_known_now(self) -> bool:
        return time.monotonic() < self._valid_until

    def _fresh_probe(self) -> list[float]:
        """From the model itself: a cache in front of it would repeat what the former model said."""
        source: EmbeddingProvider = getattr(self._provider, "source", self._provider)
        return round_vector(source.embed_documents([SENTENCE])[0])

    def _judge(self, fresh: list[float]) -> None:
        try:
            compare(self._collection, self._known, fresh)
        except EmbeddingSpaceMismatch as mismatch:
            logger.error("%s", mismatch)
            self._refusal, self._valid_until = mismatch, time.monotonic() + REFUSED_SECONDS
        else:
            self._refusal, self._valid_until = None, time.monotonic() + TRUSTED_SECONDS

    def _verify_in_the_background(self) -> None:
        if self._asking.acquire(blocking=False):
            threading.Thread(target=self._ask_and_release, name="probe", daemon=True).start()

    def _ask_and_release(self) -> None:
        """With `_asking` held by who started the thread; touches no database."""
        try:
            self._judge(self._fresh_probe())
        except EmbeddingError as error:  # its message names the fault, never a text
            logger.warning("the probe of %s has no answer: %s", self._collection, error)
            self._valid_until = time.monotonic() + REFUSED_SECONDS  # ask again then; the last verdict stands
        finally:
            self._asking.release()
