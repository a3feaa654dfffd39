"""How an agent searches for one question: flags, the agent's own settings, the conversation's context, the request.

Flags and settings are those of the moment: nothing is kept from one question to the next (SPEC §4, "Flags").
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agents.models import Agent
from agents.reranking import reranker_of
from retrieval.flags import EffectiveFlags
from retrieval.results import RetrievalPolicy

Conditions = Mapping[str, Sequence[str]]
ConditionPairs = Iterator[tuple[str, tuple[str, ...]]]
UNBOUNDED = 1_000_000  # tokens: more than fifty passages of any size have
NO_CONTEXT: Mapping[str, Any] = {}
NO_LEANINGS: Conditions = {}


def searches(agent: Agent, flags: EffectiveFlags) -> bool:
    """Whether the agent answers from corpora at all. RAG_ENABLED off is off for every agent."""
    return flags.rag_enabled and agent.uses_rag


def policy_of(
    agent: Agent,
    flags: EffectiveFlags,
    *,
    top_k: int | None = None,
    threshold: float | None = None,
    budget_tokens: int | None = None,
    granularity: int | None = None,
    filters: Conditions | None = None,
    preferences: Conditions | None = None,
    context: Mapping[str, Any] = NO_CONTEXT,
    leanings: Conditions = NO_LEANINGS,
) -> RetrievalPolicy:
    """The policy of one retrieval. `context` is the conversation's: {"filters": …, "preferences": …}.

    Passages: what the request asks for; else the agent's number, but no more than RAG_MAX_DOCUMENTS. Confidence: the
    agent's, else RAG_MIN_CONFIDENCE. Requirements of agent, conversation and request must all hold; preferences are
    united. What is only supposed of the asker (`leanings`) is preferred where nobody has said anything of that field.
    """
    overrides: dict[str, Any] = {"granularity": granularity} if granularity else {}
    requirements = all_of(agent.filters, context.get("filters"), filters)
    preferences = any_of(agent.preferences, context.get("preferences"), preferences)
    spoken_of = {*preferences, *(key for key, _values in requirements)}
    return RetrievalPolicy(
        candidates=max(agent.candidates, 2 * (top_k or 0)),
        **_extent(agent, flags, top_k, threshold, budget_tokens),
        min_confidence=flags.min_confidence if agent.min_confidence is None else agent.min_confidence,
        requirements=requirements,
        preferences=any_of(preferences, {key: leanings[key] for key in leanings if key not in spoken_of}),
        diversity=agent.diversity,
        recency_half_life_days=agent.recency_half_life_days,
        rerank=agent.rerank,
        reranker=reranker_of(agent),
        compress=agent.compress,
        **overrides,
    )


def _extent(
    agent: Agent, flags: EffectiveFlags, top_k: int | None, threshold: float | None, budget_tokens: int | None
) -> dict[str, Any]:
    """How many passages, how relevant and how long together: the agent's, where a request asks for nothing of it.

    One that names `top_k` gets so many chunks, each by itself, and what it does not name cuts none of them.
    """
    least = agent.min_relevance if threshold is None else threshold
    longest = budget_tokens or agent.context_tokens
    if top_k is None:
        most = min(agent.top_k or flags.max_documents, flags.max_documents)
        return {"top_k": most, "threshold": least, "budget_tokens": longest}
    return {
        "top_k": top_k,
        "threshold": threshold or 0.0,
        "budget_tokens": budget_tokens or UNBOUNDED,
        "counted_from": least,
        "unite": False,
        "neighbours": False,
    }


def all_of(*sources: Conditions | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Every source's conditions, one beside the other: two of one key must both hold. Each once."""
    return tuple(dict.fromkeys(pairs(*sources)))


def any_of(*sources: Conditions | None) -> dict[str, tuple[str, ...]]:
    """The values that any source prefers, by key."""
    united: dict[str, tuple[str, ...]] = {}
    for key, values in pairs(*sources):
        united[key] = tuple(dict.fromkeys((*united.get(key, ()), *values)))
    return united


def pairs(*sources: Conditions | None) -> ConditionPairs:
    for source in sources:
        for key, values in (source or {}).items():
            if values:
                yield key, tuple(values)
