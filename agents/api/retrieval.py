"""`POST /api/agents/{id}/retrieve/`: one retrieval in the caller's scope (API.md).

Asynchronous like the chat: a synchronous view would start a thread and open a database connection per request.
"""

from typing import Any

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from rest_framework.exceptions import ValidationError

from accounts.http.bodies import json_body
from accounts.http.openapi import described
from accounts.http.principal import principal_of
from accounts.limits import reserving
from accounts.models import Membership, ToolCall
from accounts.problems import MethodNotAllowed, NotFound, QuotaExceeded, answering_problems
from agents.api.serializers import RetrievalSerializer, RetrieveSerializer
from agents.lookup import agent_for, agent_in_role
from agents.models import Agent
from agents.policy import policy_of
from agents.searching import Search, close_search, open_search, search_here, search_on_loop
from config.concurrency.threads import in_thread, to_its_end
from retrieval.flags import effective_flags
from retrieval.results import Retrieval, RetrievedChunk


@described("POST", request=RetrieveSerializer, responses=RetrievalSerializer)
@csrf_exempt  # `principal_of` enforces CSRF for sessions; keys ignore cookies (RELIABILITY R22)
@answering_problems
async def agent_retrieve(request: HttpRequest, reference: str) -> HttpResponseBase:
    """Search with an agent's settings, in what the caller may read through it."""
    if request.method != "POST":
        raise MethodNotAllowed(headers={"Allow": "POST"})
    search, found = await in_thread(search_of_request, request, reference), None
    try:
        found = await search_on_loop(search)
    finally:
        await to_its_end(in_thread(close_search, search, found))
    return JsonResponse(retrieval_as_json(found))


_FORM = RetrieveSerializer()  # made once: a serializer copies its fields for every request


def search_of_request(request: HttpRequest, reference: str) -> Search:
    return search_of(principal_of(request), reference, json_body(request))


def search_of(membership: Membership, reference: str, asked_for: Any) -> Search:
    """What a request's body asks for, counted before it is looked at, also if it is wrong. `reference` is empty where
    the body's `agent_role` names the agent. Raises QuotaExceeded, NotFound and ValidationError."""
    with reserving.counted_request(membership, QuotaExceeded, searches=1):
        agent = agent_for(membership, reference) if reference else None
        asked = dict(_FORM.run_validation({} if asked_for is None else asked_for))
        agent = _agent_meant(membership, agent, asked.pop("agent_role", ""))
        query, project = asked.pop("query"), asked.pop("project", None)
        flags = effective_flags()
        policy = policy_of(agent, flags, **asked)
        return open_search(membership, agent, query, policy, flags, ToolCall.Kind.RETRIEVE, project=project)


def _agent_meant(membership: Membership, named: Agent | None, role: str) -> Agent:
    """By reference or by role; by both if they mean the same. Raises NotFound and ValidationError."""
    if not role:
        if named is None:
            raise NotFound
        return named
    playing = agent_in_role(membership, role)
    if named is not None and named != playing:
        raise ValidationError({"agent_role": [_("This role is another agent's.")]})
    return playing


def retrieve_with_agent(membership: Membership, reference: str, asked_for: Any) -> Retrieval:
    """One retrieval as a request's body asks for it, on this thread. Raises what `search_of` does."""
    return search_here(search_of(membership, reference, asked_for))


def retrieval_as_json(retrieval: Retrieval) -> dict[str, Any]:
    return {
        "confidence": retrieval.confidence.value,
        "score": retrieval.score,
        "sufficient": retrieval.sufficient,
        "gate": retrieval.gate.value,
        "degraded": retrieval.degraded,
        "granularity": retrieval.granularity,
        "chunks": [chunk_as_json(chunk) for chunk in retrieval.chunks],
        "timings": dict(retrieval.timings),
    }


def chunk_as_json(chunk: RetrievedChunk) -> dict[str, Any]:
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
