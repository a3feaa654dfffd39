"""Re-ranking: a model reads question and passage together and says which passages answer. Off unless it is set up."""

from functools import lru_cache

from django.conf import settings

from retrieval.ranking.rerank.base import Reranker


def get_reranker() -> Reranker | None:
    """The re-ranker of the settings, made once for each combination of them; None without RERANK_URL.

    Raises ValueError for an endpoint that is not allowed (RELIABILITY R20).
    """
    if not settings.RERANK_URL:
        return None
    return _reranker(settings.RERANK_URL, settings.RERANK_MODEL, settings.RERANK_API_KEY)


@lru_cache(maxsize=4)
def _reranker(url: str, model: str, api_key: str) -> Reranker:
    from retrieval.ranking.rerank.http import HttpReranker

    return HttpReranker(url, model, api_key)
