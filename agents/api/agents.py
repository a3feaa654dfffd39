"""The API of agents, assignments and retrieval (API.md, "Agents and assignments")."""

from typing import Any
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from accounts import audit
from accounts.http.openapi import problems
from accounts.http.rest import admin_of, membership_of
from accounts.problems import Problem
from accounts.tenancy.scope import system_scope
from agents import assignments
from agents.api.serializers import AgentEditSerializer, AgentSerializer, AssignmentSerializer, AssignSerializer
from agents.lookup import agent_for
from agents.models import AUDITED_FLAGS, Agent, Assignment


class SlugTaken(Problem):
    status_code = 409
    code = "slug_taken"
    default_detail = _("Another agent of the organization has this slug.")


class AgentList(generics.ListAPIView[Agent]):
    serializer_class = AgentSerializer

    def get_queryset(self) -> QuerySet[Agent]:
        return Agent.objects.visible_to(membership_of(self.request))

    @extend_schema(request=AgentEditSerializer, responses={201: AgentSerializer, **problems(409)})
    def post(self, request: Request) -> Response:
        admin = admin_of(request)
        form = AgentEditSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        slug = form.validated_data.pop("slug", "") or slug_for(form.validated_data["name"])
        agent = save_agent(form, organization=admin.organization, slug=slug)
        audit.record(admin, "created", agent, **flags(agent))
        return Response(AgentSerializer(agent).data, status.HTTP_201_CREATED)


class AgentDetail(APIView):
    @extend_schema(responses=AgentSerializer)
    def get(self, request: Request, reference: str) -> Response:
        return Response(AgentSerializer(agent_for(membership_of(request), reference)).data)

    @extend_schema(request=AgentEditSerializer, responses={200: AgentSerializer, **problems(409)})
    def patch(self, request: Request, reference: str) -> Response:
        agent = agent_for(membership_of(request), reference)
        admin = admin_of(request)
        form = AgentEditSerializer(agent, data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        agent = save_agent(form)
        audit.record(admin, "changed", agent, **flags(agent))
        return Response(AgentSerializer(agent).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, reference: str) -> Response:
        agent = agent_for(membership_of(request), reference)
        audit.record(admin_of(request), "deleted", agent)
        with system_scope():  # other people's conversations and assignments go with it
            agent.delete()
        return Response(status=status.HTTP_204_NO_CONTENT)


def slug_for(name: str) -> str:
    """From the name; a random one for a name without a letter that a slug may have."""
    return slugify(name)[:80] or f"agent-{uuid4().hex[:8]}"


def save_agent(form: BaseSerializer[Agent], **fields: Any) -> Agent:
    try:
        with transaction.atomic():
            return form.save(**fields)
    except IntegrityError:
        raise SlugTaken from None


def flags(agent: Agent) -> dict[str, Any]:
    return {name: getattr(agent, name) for name in AUDITED_FLAGS}


class AgentCorpora(generics.ListAPIView[Assignment]):
    serializer_class = AssignmentSerializer

    def get_queryset(self) -> QuerySet[Assignment]:
        membership = membership_of(self.request)
        agent = agent_for(membership, self.kwargs["reference"])
        return Assignment.objects.visible_to(membership).filter(agent=agent).select_related("corpus")

    @extend_schema(request=AssignSerializer, responses={201: AssignmentSerializer, **problems(409)})
    def post(self, request: Request, reference: str) -> Response:
        membership = membership_of(request)
        agent = agent_for(membership, reference)
        form = AssignSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        assignment = assignments.assign_corpus(agent, form.validated_data["corpus"], membership)
        return Response(AssignmentSerializer(assignment).data, status.HTTP_201_CREATED)


class AgentCorpus(APIView):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, reference: str, corpus_id: UUID) -> Response:
        membership = membership_of(request)
        assignments.unassign_corpus(agent_for(membership, reference), corpus_id, membership)
        return Response(status=status.HTTP_204_NO_CONTENT)
