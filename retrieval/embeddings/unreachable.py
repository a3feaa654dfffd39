"""A model that the settings have no endpoint for any more: its space can still be searched by words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from retrieval.embeddings.base import EmbeddingProvider, EmbeddingSpace, EmbeddingUnavailable

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


class UnreachableProvider(EmbeddingProvider):
    """Sends nothing anywhere: without OPENAI_BASE_URL and a key a default address would get people's questions."""

    def __init__(self, space: EmbeddingSpace) -> None:
        self.space = space

    def embed_documents(self, texts: Sequence[str]) -> "NDArray[float32]":
        raise EmbeddingUnavailable(f"no endpoint is set for {self.space.model}")

    def embed_queries(self, texts: Sequence[str]) -> "NDArray[float32]":
        raise EmbeddingUnavailable(f"no endpoint is set for {self.space.model}")
