"""The trash as an API (API.md, "Trash"): what lies in it, restoring, erasing at once."""

from typing import Any
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param
from rest_framework.views import APIView

from accounts.http.openapi import problems
from accounts.http.rest import membership_of
from corpora.rows import trash


class TrashEntrySerializer(serializers.Serializer[Any]):
    """`documents` and `size` (bytes) of all that comes back with it; `erased_at`: until then it can be restored."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=("corpus", "document"))
    name = serializers.CharField()
    corpus = serializers.UUIDField()
    corpus_name = serializers.CharField()
    personal = serializers.BooleanField(source="is_personal")
    documents = serializers.IntegerField()
    size = serializers.IntegerField()
    waits_for_corpus = serializers.BooleanField()
    deleted_at = serializers.DateTimeField()
    erased_at = serializers.DateTimeField()


class TrashPageSerializer(serializers.Serializer[Any]):
    results = TrashEntrySerializer(many=True)
    next = serializers.URLField(allow_null=True)


class Trash(APIView):
    @extend_schema(
        parameters=[OpenApiParameter("cursor", str), OpenApiParameter("page_size", int)], responses=TrashPageSerializer
    )
    def get(self, request: Request) -> Response:
        """What the caller may restore: of personal corpora their own; of global ones, for admins."""
        limit = page_size(request)
        found = trash.trash_of(membership_of(request), request.query_params.get("cursor", ""), limit + 1)
        shown, following = found[:limit], None
        if len(found) > limit:
            following = replace_query_param(request.build_absolute_uri(), "cursor", shown[-1].cursor)
        return Response({"results": TrashEntrySerializer(shown, many=True).data, "next": following})

    @extend_schema(operation_id="api_trash_empty", responses={204: None})
    def delete(self, request: Request) -> Response:
        """Erase all of it."""
        trash.empty_trash(membership_of(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class TrashDetail(APIView):
    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: UUID) -> Response:
        """Erase it now."""
        membership = membership_of(request)
        trash.erase_now(trash.thing_in_trash(membership, pk), membership)
        return Response(status=status.HTTP_204_NO_CONTENT)


class TrashRestore(APIView):
    @extend_schema(request=None, responses={(204, OpenApiTypes.NONE): None, **problems(409)})
    def post(self, request: Request, pk: UUID) -> Response:
        membership = membership_of(request)
        trash.restore(trash.thing_in_trash(membership, pk), membership)
        return Response(status=status.HTTP_204_NO_CONTENT)


def page_size(request: Request) -> int:
    asked = request.query_params.get("page_size", "")
    return min(max(int(asked), 1), 100) if asked.isdecimal() and len(asked) < 4 else trash.PAGE
