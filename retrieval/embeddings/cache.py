"""Embeddings that were paid for once: queries in memory, documents in the database (SPEC §3).

Worth it in front of a model server; the lexical provider is faster than any cache.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from config.metrics.searching import DOCUMENTS, QUESTION, count_lookups
from retrieval.embeddings.base import EmbeddingProvider

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

QUERIES_REMEMBERED = 1_000  # 6 MB at 1536 dimensions
READ_AT_ONCE = 500
EMBEDDED_AT_ONCE = 800  # eight batches of a hundred in flight; each group is kept before the next is paid for


class CachedProvider(EmbeddingProvider):
    """Asks `provider` only for what neither memory nor database knows. Safe to share between threads.

    Two that miss the same text at once may both ask; both get their vector and one row is kept.
    """

    def __init__(self, provider: EmbeddingProvider) -> None:
        self._provider = provider
        self.space, self.waits = provider.space, provider.waits
        self._questions = _Recent(QUERIES_REMEMBERED)

    @property
    def source(self) -> EmbeddingProvider:
        """What is asked when nothing is known: the model itself."""
        return self._provider

    def embed_queries(self, texts: Sequence[str]) -> "NDArray[float32]":
        """Only a question by itself is remembered: its other phrasings are made anew each time."""
        known = self._questions.get(texts)
        return self._questions.keep(texts, self._provider.embed_queries(texts)) if known is None else known

    async def aembed_queries(self, texts: Sequence[str]) -> "NDArray[float32]":
        known = self._questions.get(texts)
        return self._questions.keep(texts, await self._provider.aembed_queries(texts)) if known is None else known

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[float32]":
        """(n, d) float32; each distinct text that is not in the database is embedded exactly once."""
        import numpy as np

        hashes = [text_hash(text) for text in texts]
        vectors = self._stored(hashes)
        missing = {key: text for key, text in zip(hashes, texts, strict=True) if key not in vectors}
        count_lookups(DOCUMENTS, len(texts) - len(missing), len(missing))
        for group in _groups(list(missing), EMBEDDED_AT_ONCE):
            fresh = self._provider.embed_documents([missing[key] for key in group])
            embedded = dict(zip(group, fresh, strict=True))
            self._store(embedded)
            vectors |= embedded
        if not texts:
            return np.empty((0, self.space.dimensions), dtype=np.float32)
        return np.stack([vectors[key] for key in hashes])

    def _stored(self, hashes: Sequence[str]) -> "dict[str, NDArray[float32]]":
        import numpy as np

        from retrieval.models import CachedEmbedding

        found = {}
        for group in _groups(list(dict.fromkeys(hashes)), READ_AT_ONCE):
            rows = CachedEmbedding.objects.filter(space=self.space.collection, text_hash__in=group)
            for key, vector in rows.values_list("text_hash", "vector"):
                found[key] = np.frombuffer(vector, dtype="<f4")
        return found

    def _store(self, embedded: "dict[str, NDArray[float32]]") -> None:
        from retrieval.models import CachedEmbedding

        CachedEmbedding.objects.bulk_create(
            (
                CachedEmbedding(
                    space=self.space.collection,
                    text_hash=key,
                    vector=vector.astype("<f4", copy=False).tobytes(),
                )
                for key, vector in embedded.items()
            ),
            batch_size=100,
            ignore_conflicts=True,
        )


def text_hash(text: str) -> str:
    """SHA-256 of what is embedded, in hexadecimal: the key of the cache and `Chunk.text_hash`."""
    return hashlib.sha256(text.encode()).hexdigest()


def _groups(items: Sequence[str], size: int) -> Iterable[Sequence[str]]:
    return (items[start : start + size] for start in range(0, len(items), size))


class _Recent:
    """The vectors of the questions that were asked last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._vectors: OrderedDict[str, NDArray[float32]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, texts: Sequence[str]) -> "NDArray[float32] | None":
        with self._lock:
            vectors = self._vectors.get(texts[0]) if len(texts) == 1 else None
            if vectors is not None:
                self._vectors.move_to_end(texts[0])
        count_lookups(QUESTION, *((1, 0) if vectors is not None else (0, 1)))
        return vectors

    def keep(self, texts: Sequence[str], vectors: "NDArray[float32]") -> "NDArray[float32]":
        if len(texts) == 1:
            vectors.setflags(write=False)  # they are shared by all who ask the same
            with self._lock:
                self._vectors[texts[0]] = vectors
                if len(self._vectors) > self._most:
                    self._vectors.popitem(last=False)
        return vectors
