"""`POST /api/agents/{id}/retrieve/`: one retrieval in the caller's scope (API.md)."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.requests import membership_of
from agents.api import agent_for
from agents.policy import policy_of
from agents.serializers import RetrieveSerializer
from retrieval.results import Retrieval, RetrievedChunk
from retrieval.search import retrieve


class AgentRetrieve(APIView):
    @extend_schema(request=RetrieveSerializer, responses={200: dict})
    def post(self, request: Request, reference: str) -> Response:
        membership = membership_of(request)
        agent = agent_for(membership, reference)
        form = RetrieveSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        asked = dict(form.validated_data)
        query = asked.pop("query")
        return Response(shown(retrieve(query, agent.scope_for(membership), policy_of(agent, **asked))))


def shown(retrieval: Retrieval) -> dict[str, Any]:
    return {
        "confidence": retrieval.confidence.value,
        "score": retrieval.score,
        "sufficient": retrieval.sufficient,
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
