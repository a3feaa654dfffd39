"""Embeddings: texts to vectors, by a local lexical method or by any OpenAI-compatible server."""

from functools import lru_cache

from django.conf import settings

from retrieval.embeddings.base import NO_PREFIXES, EmbeddingProvider, Prefixes
from retrieval.spaces.builtin import LEXICAL_MODEL, prefixes_taught_to

DEFAULT_MODEL = "text-embedding-3-small"
NO_PREFIX = "none"  # an empty setting is one that nobody made


def get_provider() -> EmbeddingProvider:
    """The provider that the settings ask for, made once for each combination of them.

    Without a key and an endpoint, or with EMBEDDING_MODEL=lexical, the local one. Raises ValueError for an
    endpoint that is not allowed (RELIABILITY R20).
    """
    model = settings.EMBEDDING_MODEL
    if not model:
        model = DEFAULT_MODEL if has_endpoint() else LEXICAL_MODEL
    return _provider(model, settings.EMBEDDING_DIMENSIONS, wanted_prefixes(model), *endpoint())


def provider_for(model: str, dimensions: int, prefixes: Prefixes = NO_PREFIXES) -> EmbeddingProvider:
    """The provider of a space that settings may no longer name, at the endpoint that they do name.

    One that only raises EmbeddingUnavailable if they name none. Raises ValueError as `get_provider` does.
    """
    if model == LEXICAL_MODEL or has_endpoint():
        return _provider(model, dimensions, prefixes, *endpoint())
    from retrieval.embeddings.unreachable import UnreachableProvider
    from retrieval.spaces.builtin import space_for

    return UnreachableProvider(space_for(model, dimensions, prefixes))


def endpoint() -> tuple[str, str]:
    """Key and address of the embedding server: its own, else those of the chat's. An address of its own is never sent
    the chat's key."""
    if settings.EMBEDDING_BASE_URL:
        return settings.EMBEDDING_API_KEY, settings.EMBEDDING_BASE_URL
    return settings.EMBEDDING_API_KEY or settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL


def has_endpoint() -> bool:
    return any(endpoint())


def wanted_prefixes(model: str) -> Prefixes:
    """What the settings say, else what the model was taught."""
    taught = prefixes_taught_to(model)
    said = (settings.EMBEDDING_QUERY_PREFIX or taught.query, settings.EMBEDDING_DOCUMENT_PREFIX or taught.document)
    return Prefixes(*("" if one == NO_PREFIX else one for one in said))


@lru_cache(maxsize=8)
def _provider(model: str, dimensions: int, prefixes: Prefixes, api_key: str, base_url: str) -> EmbeddingProvider:
    if model in (LEXICAL_MODEL, "lexical"):
        from retrieval.embeddings.lexical import LexicalProvider

        return LexicalProvider()

    from retrieval.embeddings.cache import CachedProvider
    from retrieval.embeddings.openai import OpenAIProvider
    from retrieval.spaces.builtin import space_for

    return CachedProvider(OpenAIProvider(space_for(model, dimensions, prefixes), api_key, base_url))
