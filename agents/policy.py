"""An agent's settings as the policy of one retrieval."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from agents.models import Agent
from retrieval.results import RetrievalPolicy


def policy_of(
    agent: Agent,
    *,
    top_k: int | None = None,
    granularity: int | None = None,
    filters: Mapping[str, tuple[str, ...]] | None = None,
) -> RetrievalPolicy:
    """The agent's own settings, with what the request overrides. Read anew for every question."""
    overrides: dict[str, Any] = {"granularity": granularity} if granularity else {}
    return RetrievalPolicy(
        top_k=top_k or agent.top_k or settings.RAG_MAX_DOCUMENTS,
        candidates=max(agent.candidates, top_k or 0),
        threshold=agent.min_relevance,
        budget_tokens=agent.context_tokens,
        requirements=filters or {},
        **overrides,
    )
