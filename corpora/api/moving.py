"""Moving documents to another corpus by the API (ADR 0019)."""

from typing import Any
from uuid import UUID

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.http.fields import CountedListField
from accounts.http.openapi import problems
from accounts.http.rest import membership_of
from corpora.lookup import writable_corpus
from corpora.models import Document
from corpora.rows.moving import move_documents

AT_ONCE = 200  # documents of one call


class MoveSerializer(serializers.Serializer[Any]):
    documents = CountedListField(child=serializers.UUIDField(), min_length=1, max_length=AT_ONCE)
    to = serializers.UUIDField()


class MovedSerializer(serializers.Serializer[Any]):
    """`taken`: stayed, for the other corpus has the same file under its name, or a fact of its key. `follow_folder`:
    stayed, for a watched folder would bring them again. What is not in the corpus (any more) is counted nowhere."""

    moved = serializers.IntegerField()
    taken = serializers.IntegerField()
    follow_folder = serializers.IntegerField()
    moment = serializers.DateTimeField()


class DocumentsMove(APIView):
    """Documents of this corpus to another one. Repeated, it moves nothing twice; moved from there, they are back."""

    @extend_schema(request=MoveSerializer, responses={200: MovedSerializer, **problems(429)})
    def post(self, request: Request, pk: UUID) -> Response:
        by = membership_of(request)
        here = writable_corpus(by, pk)
        form = MoveSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        there = writable_corpus(by, form.validated_data["to"])
        if there == here:
            raise ValidationError({"to": [_("They are in this corpus already.")]})
        named = Document.objects.writable_by(by).filter(corpus=here, pk__in=form.validated_data["documents"])
        return Response(MovedSerializer(move_documents(list(named), there, by)).data)
