"""The API of conversations, messages and projects (API.md, "Chat")."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Prefetch, QuerySet, prefetch_related_objects
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from accounts.http.paging import Pages
from accounts.http.rest import membership_of
from accounts.limits import stock
from accounts.models import Membership
from accounts.problems import NotFound
from chat.answering.state import READ_OF_A_TRACE
from chat.api.serializers import (
    ConversationDetailSerializer,
    ConversationSerializer,
    FeedbackSerializer,
    ProjectSerializer,
    StoppedSerializer,
)
from chat.models import Citation, Conversation, Message, MessageQuerySet, Project, Trace
from chat.stream import live
from chat.usage.rating import rate_answer


def owned_message(request: Request, pk: UUID) -> Message:
    message = Message.objects.owned_by(membership_of(request)).filter(pk=pk, role=Message.Role.ASSISTANT).first()
    if message is None:
        raise NotFound
    return message


class MessageStop(APIView):
    """Stop a running answer; what it said is kept. Stopping one that has ended does nothing."""

    @extend_schema(request=None, responses={202: StoppedSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        message = owned_message(request, pk)
        running_answer = Message.objects.filter(pk=message.pk, status=Message.Status.STREAMING)
        running_answer.update(stop_requested_at=timezone.now())
        live.stop(message.pk)
        return Response({"message": str(message.pk)}, status.HTTP_202_ACCEPTED)


class MessageFeedback(APIView):
    @extend_schema(request=FeedbackSerializer, responses={200: FeedbackSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        message = owned_message(request, pk)
        form = FeedbackSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        rate_answer(message, form.validated_data["rating"], form.validated_data["comment"])
        return Response(form.validated_data)


class ConversationPages(Pages):
    ordering = ("-updated_at", "-pk")


class ConversationList(generics.ListAPIView[Conversation]):
    serializer_class = ConversationSerializer
    pagination_class = ConversationPages

    @extend_schema(parameters=[OpenApiParameter("project", UUID)])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Conversation]:
        membership = membership_of(self.request)
        mine = Conversation.objects.owned_by(membership)
        wanted = self.request.query_params.get("project")
        return mine.filter(project=owned_project(membership, wanted)) if wanted else mine


class ConversationDetail(generics.RetrieveUpdateDestroyAPIView[Conversation]):
    """With its latest MESSAGES messages, or those before one of them; a `Link` header leads to the earlier ones."""

    MESSAGES = 100
    BEFORE = "before"

    serializer_class = ConversationDetailSerializer
    http_method_names = ("get", "patch", "delete", "head", "options")

    @extend_schema(parameters=[OpenApiParameter(BEFORE, UUID, description="only messages before this one")])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        response = super().get(request, *args, **kwargs)
        if len(shown := response.data["messages"]) == self.MESSAGES:
            earlier = request.build_absolute_uri(f"{request.path}?{self.BEFORE}={shown[0]['id']}")
            response["Link"] = f'<{earlier}>; rel="prev"'
        return response

    def patch(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """As DRF's, which would forget the messages in hand and read them all again one by one."""
        form = self.get_serializer(self.get_object(), data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        form.save()
        return Response(form.data)

    def get_object(self) -> Conversation:
        found = Conversation.objects.owned_by(membership_of(self.request)).filter(pk=self.kwargs["pk"]).first()
        if found is None:
            raise NotFound
        latest = self.wanted(found).order_by("-created_at", "-pk").values_list("pk", flat=True)[: self.MESSAGES]
        traces = Trace.objects.only("message", *READ_OF_A_TRACE)
        shown = Message.objects.owned_by(membership_of(self.request)).dated().filter(pk__in=[*latest])
        prefetch_related_objects(
            [found],
            Prefetch(
                "messages",
                shown.prefetch_related(
                    Prefetch("citations", Citation.objects.select_related("document__corpus")),
                    Prefetch("trace", traces),
                    "tables",
                ),
            ),
        )
        return found

    def wanted(self, conversation: Conversation) -> MessageQuerySet:
        if not (before := self.request.query_params.get(self.BEFORE)):
            return conversation.messages.shown()
        try:
            return conversation.messages.shown().before(conversation.messages.get(pk=UUID(before)))
        except (ValueError, Message.DoesNotExist):
            raise NotFound from None


def owned_project(membership: Membership, pk: str) -> Project:
    try:
        found = Project.objects.owned_by(membership).filter(pk=UUID(pk)).first()
    except ValueError:
        found = None
    if found is None:
        raise NotFound
    return found


class ProjectList(generics.ListCreateAPIView[Project]):
    serializer_class = ProjectSerializer

    def get_queryset(self) -> QuerySet[Project]:
        return Project.objects.owned_by(membership_of(self.request)).prefetch_related("corpora")

    def perform_create(self, serializer: BaseSerializer[Project]) -> None:
        membership = membership_of(self.request)
        with transaction.atomic():
            stock.make_room(membership, projects=1)
            serializer.save(organization=membership.organization, owner=membership.user)


class ProjectDetail(generics.RetrieveUpdateDestroyAPIView[Project]):
    serializer_class = ProjectSerializer
    http_method_names = ("get", "patch", "delete", "head", "options")

    def get_object(self) -> Project:
        return owned_project(membership_of(self.request), str(self.kwargs["pk"]))
