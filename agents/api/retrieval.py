"""`POST /api/agents/{id}/retrieve/`: one retrieval in the caller's scope (API.md).

Asynchronous like the chat: a synchronous view would start a thread and open a database connection per request.
"""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt

from accounts.http.bodies import json_body
from accounts.http.principal import principal_of
from accounts.models import Membership
from accounts.problems import MethodNotAllowed, answering_problems
from agents.api.serializers import RetrieveSerializer
from agents.lookup import agent_for
from agents.policy import policy_of, searches
from config.concurrency.threads import in_thread
from corpora.scope import Scope
from retrieval.confidence.gate import Gate
from retrieval.flags import effective_flags
from retrieval.results import Retrieval, RetrievalPolicy, RetrievedChunk
from retrieval.search import aretrieve, retrieve


@csrf_exempt  # `principal_of` enforces CSRF for sessions; keys ignore cookies (RELIABILITY R22)
@answering_problems
async def agent_retrieve(request: HttpRequest, reference: str) -> HttpResponseBase:
    if request.method != "POST":
        raise MethodNotAllowed
    wanted = await in_thread(search_of_request, request, reference)
    return JsonResponse(retrieval_as_json(await aretrieve(*wanted.arguments) if wanted.is_made else wanted.unmade))


@dataclass(frozen=True, slots=True)
class Search:
    """What a request's body asks for, resolved: in whose name, where, and how."""

    query: str
    scope: Scope
    policy: RetrievalPolicy
    is_made: bool

    @property
    def arguments(self) -> tuple[str, Scope, RetrievalPolicy]:
        return self.query, self.scope, self.policy

    @property
    def unmade(self) -> Retrieval:
        return Retrieval(self.query, self.policy.granularity, gate=Gate.DISABLED)


_FORM = RetrieveSerializer()  # made once: a serializer copies its fields for every request


def search_of_request(request: HttpRequest, reference: str) -> Search:
    return search_of(principal_of(request), reference, json_body(request))


def search_of(membership: Membership, reference: str, asked_for: Any) -> Search:
    """Raises NotFound and ValidationError."""
    agent = agent_for(membership, reference)
    asked = dict(_FORM.run_validation({} if asked_for is None else asked_for))
    query, flags = asked.pop("query"), effective_flags()
    policy = policy_of(agent, flags, **asked)
    return Search(query, agent.scope_for(membership), policy, is_made=searches(agent, flags))


def retrieve_with_agent(membership: Membership, reference: str, asked_for: Any) -> Retrieval:
    """One retrieval as a request's body asks for it, on this thread. Raises NotFound and ValidationError."""
    wanted = search_of(membership, reference, asked_for)
    return retrieve(*wanted.arguments) if wanted.is_made else wanted.unmade


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
