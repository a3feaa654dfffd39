"""`POST /api/agents/{id}/retrieve/`: one retrieval in the caller's scope (API.md).

Asynchronous like the chat: a synchronous view would start a thread and open a database connection per request.
"""

from typing import Any

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from accounts.http.bodies import json_body
from accounts.http.principal import principal_of
from accounts.models import Membership
from accounts.problems import MethodNotAllowed, answering_problems
from agents.api.agents import agent_for
from agents.api.serializers import RetrieveSerializer
from agents.policy import policy_of, searches
from config.threads import in_thread
from retrieval.confidence.gate import Gate
from retrieval.flags import effective_flags
from retrieval.results import Retrieval, RetrievedChunk
from retrieval.search import retrieve


@csrf_exempt  # `principal_of` enforces CSRF for sessions; keys ignore cookies (RELIABILITY R22)
@answering_problems
async def agent_retrieve(request: HttpRequest, reference: str) -> HttpResponseBase:
    if request.method != "POST":
        raise MethodNotAllowed
    return JsonResponse(shown(await in_thread(found, request, reference)))


def found(request: HttpRequest, reference: str) -> Retrieval:
    return retrieved(principal_of(request), reference, json_body(request))


def retrieved(membership: Membership, reference: str, asked_for: Any) -> Retrieval:
    """One retrieval as a request's body asks for it. Raises NotFound and ValidationError."""
    agent = agent_for(membership, reference)
    form = RetrieveSerializer(data=asked_for)
    form.is_valid(raise_exception=True)
    asked = dict(form.validated_data)
    query, flags = asked.pop("query"), effective_flags()
    policy = policy_of(agent, flags, **asked)
    if not searches(agent, flags):
        return Retrieval(query, policy.granularity, gate=Gate.DISABLED)
    return retrieve(query, agent.scope_for(membership), policy)


def shown(retrieval: Retrieval) -> dict[str, Any]:
    return {
        "confidence": retrieval.confidence.value,
        "score": retrieval.score,
        "sufficient": retrieval.sufficient,
        "gate": retrieval.gate.value,
        "degraded": retrieval.degraded,
        "granularity": retrieval.granularity,
        "chunks": [shown_chunk(chunk) for chunk in retrieval.chunks],
        "timings": dict(retrieval.timings),
    }


def shown_chunk(chunk: RetrievedChunk) -> dict[str, Any]:
    return {
        "chunk": str(chunk.chunk),
        "document": str(chunk.document),
        "title": chunk.title,
        "corpus": str(chunk.corpus),
        "corpus_type": chunk.corpus_type,
        "page": chunk.page,
        "heading_path": list(chunk.heading_path),
        "text": chunk.text,
        "relevance": chunk.relevance,
        "dense": chunk.dense,
        "bm25": chunk.bm25,
    }
