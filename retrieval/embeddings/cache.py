"""Embeddings that were paid for once: queries in memory, documents in the database (SPEC §3).

Worth it in front of a model server; the lexical provider is faster than any cache.
"""

import hashlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from retrieval.embeddings.base import EmbeddingProvider, EmbeddingSpace

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

QUERIES_REMEMBERED = 1_000  # 6 MB at 1536 dimensions
READ_AT_ONCE = 500
EMBEDDED_AT_ONCE = 800  # eight batches of a hundred in flight; each group is kept before the next is paid for


class CachedProvider:
    """Asks `provider` only for what neither memory nor database knows. Safe to share between threads.

    Two threads that miss the same text at once may both ask; both get their vector and one row is kept.
    """

    def __init__(self, provider: EmbeddingProvider) -> None:
        self._provider = provider
        self._remembered = lru_cache(maxsize=QUERIES_REMEMBERED)(self._read_only_query)

    @property
    def space(self) -> EmbeddingSpace:
        return self._provider.space

    @property
    def source(self) -> EmbeddingProvider:
        """What is asked when nothing is known: the model itself."""
        return self._provider

    def embed_query(self, text: str) -> "NDArray[float32]":
        return self._remembered(text)

    def embed_queries(self, texts: Sequence[str]) -> "NDArray[float32]":
        """Not remembered: a question's other phrasings are made anew each time."""
        return self._provider.embed_queries(texts)

    def _read_only_query(self, text: str) -> "NDArray[float32]":
        vector = self._provider.embed_query(text)
        vector.setflags(write=False)  # it is shared by all who ask the same
        return vector

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[float32]":
        """(n, d) float32; each distinct text that is not in the database is embedded exactly once."""
        import numpy as np

        hashes = [text_hash(text) for text in texts]
        vectors = self._stored(hashes)
        missing = {key: text for key, text in zip(hashes, texts, strict=True) if key not in vectors}
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
