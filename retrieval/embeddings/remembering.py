"""Embeddings of past evaluations: a file beside the database that outlives the documents of one run.

The product's own cache forgets a text with its last chunk (SPEC §3, "Deleting"); a question set is indexed and erased
by every run. The file holds vectors by hash of their text, no text. Questions have keys of their own, for a model may
embed a question otherwise than a passage.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from retrieval.embeddings.base import EmbeddingProvider
from retrieval.embeddings.cache import CachedProvider, text_hash

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

AT_ONCE = 500
DOCUMENT, QUESTION = "d:", "q:"


@lru_cache(maxsize=8)
def with_memory(provider: EmbeddingProvider, folder: Path) -> EmbeddingProvider:
    """`provider` with a memory in `folder`; one that is faster than any memory (lexical) stays as it is."""
    return RememberingProvider(provider, folder) if isinstance(provider, CachedProvider) else provider


class RememberingProvider(EmbeddingProvider):
    """Asks `provider` only for what the file of its space does not hold. Safe to share between threads."""

    def __init__(self, provider: CachedProvider, folder: Path) -> None:
        self._provider = provider
        self.space = provider.space
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / f"{provider.space.collection}.sqlite3"

    @property
    def source(self) -> EmbeddingProvider:
        """The model itself, for its probe."""
        return self._provider.source

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[float32]":
        return self._remembered(DOCUMENT, texts)

    def embed_queries(self, texts: Sequence[str]) -> "NDArray[float32]":
        return self._remembered(QUESTION, texts)

    def _remembered(self, kind: str, texts: Sequence[str]) -> "NDArray[float32]":
        import numpy as np

        keys = [kind + text_hash(text) for text in texts]
        vectors = self._stored(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
        if missing:
            ask = self._provider.embed_documents if kind == DOCUMENT else self._provider.embed_queries
            fresh = dict(zip(missing, ask(list(missing.values())), strict=True))
            self._store(fresh)
            vectors |= fresh
        return np.stack([vectors[key] for key in keys]) if keys else np.empty((0, self.space.dimensions), np.float32)

    def _stored(self, keys: Sequence[str]) -> "dict[str, NDArray[float32]]":
        import numpy as np

        found: dict[str, NDArray[float32]] = {}
        with self._file() as file:
            for start in range(0, len(keys), AT_ONCE):
                some = keys[start : start + AT_ONCE]
                marks = ", ".join("?" * len(some))
                query = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"  # noqa: S608 -- question marks alone
                found.update((key, np.frombuffer(vector, dtype="<f4")) for key, vector in file.execute(query, some))
        return found

    def _store(self, fresh: "dict[str, NDArray[float32]]") -> None:
        rows = [(key, vector.astype("<f4", copy=False).tobytes()) for key, vector in fresh.items()]
        with self._file() as file:
            file.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    @contextmanager
    def _file(self) -> Iterator[sqlite3.Connection]:
        """Opened for one call: 0.1 ms, and nothing is left open. One transaction."""
        with closing(sqlite3.connect(self._path, timeout=30)) as file, file:
            file.execute("CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL)")
            yield file
