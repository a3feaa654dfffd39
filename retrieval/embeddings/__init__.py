"""Embeddings: texts to vectors, by a local lexical method or by any OpenAI-compatible server."""

from functools import lru_cache

from django.conf import settings

from retrieval.embeddings.base import EmbeddingProvider
from retrieval.spaces.builtin import LEXICAL_MODEL

DEFAULT_MODEL = "text-embedding-3-small"


def get_provider() -> EmbeddingProvider:
    """The provider that the settings ask for, made once for each combination of them.

    Without a key and an endpoint, or with EMBEDDING_MODEL=lexical, the local one. Raises ValueError for an
    endpoint that is not allowed (RELIABILITY R20).
    """
    model = settings.EMBEDDING_MODEL
    if not model:
        model = DEFAULT_MODEL if has_endpoint() else LEXICAL_MODEL
    return _provider(model, settings.EMBEDDING_DIMENSIONS, settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL)


def provider_for(model: str, dimensions: int) -> EmbeddingProvider:
    """The provider of a space that settings may no longer name, at the endpoint that they do name.

    One that only raises EmbeddingUnavailable if they name none. Raises ValueError as `get_provider` does.
    """
    if model == LEXICAL_MODEL or has_endpoint():
        return _provider(model, dimensions, settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL)
    from retrieval.embeddings.unreachable import UnreachableProvider
    from retrieval.spaces.builtin import space_for

    return UnreachableProvider(space_for(model, dimensions))


def has_endpoint() -> bool:
    return bool(settings.OPENAI_API_KEY or settings.OPENAI_BASE_URL)


@lru_cache(maxsize=8)
def _provider(model: str, dimensions: int, api_key: str, base_url: str) -> EmbeddingProvider:
    if model in (LEXICAL_MODEL, "lexical"):
        from retrieval.embeddings.lexical import LexicalProvider

        return LexicalProvider()

    from retrieval.embeddings.cache import CachedProvider
    from retrieval.embeddings.openai import OpenAIProvider
    from retrieval.spaces.builtin import space_for

    return CachedProvider(OpenAIProvider(space_for(model, dimensions), api_key, base_url))
