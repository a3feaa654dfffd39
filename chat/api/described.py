"""What the asynchronous views of the chat take and answer, for the OpenAPI schema (tests/contract)."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer, extend_schema_field
from rest_framework import serializers

from accounts.http.idempotency import HEADER
from accounts.http.openapi import Refusal

EVENT_STREAM = (200, "text/event-stream")
WHOLE = (200, "application/json")
IDEMPOTENCY_KEY = OpenApiParameter(HEADER, OpenApiTypes.STR, OpenApiParameter.HEADER)
LAST_EVENT_ID = OpenApiParameter("Last-Event-ID", OpenApiTypes.INT, OpenApiParameter.HEADER)


EVENT: dict[str, Any] = {
    "type": "object",
    "description": "one event; `data` is JSON, as the README tells of it",
    "properties": {"id": {"type": "string"}, "event": {"type": "string"}, "data": {"type": "string"}},
    "required": ["data"],
}


class SourceSerializer(serializers.Serializer[Any]):
    """A passage that the answer may cite as `[n]`."""

    n = serializers.IntegerField()
    chunk = serializers.UUIDField()
    document = serializers.UUIDField(allow_null=True)
    title = serializers.CharField()
    corpus = serializers.UUIDField()
    corpus_type = serializers.CharField()
    page = serializers.IntegerField(allow_null=True)
    page_end = serializers.IntegerField(allow_null=True)
    heading_path = serializers.ListField(child=serializers.CharField())
    snippet = serializers.CharField()
    relevance = serializers.FloatField()


class TableSourceSerializer(serializers.Serializer[Any]):
    """Rows that the model has fetched with a tool, which the answer may cite as `[n]`: the first of `row_count`."""

    kind = serializers.CharField(help_text="table; foreign: lines that another service said")
    n = serializers.IntegerField()
    title = serializers.CharField()
    tool = serializers.CharField()
    source = serializers.UUIDField(allow_null=True)  # type: ignore[assignment]  # a field of this name
    tables = serializers.ListField(child=serializers.CharField())
    columns = serializers.ListField(child=serializers.DictField())
    rows = serializers.ListField(child=serializers.ListField(child=serializers.JSONField(allow_null=True)))
    row_count = serializers.IntegerField()
    truncated = serializers.BooleanField()
    statement = serializers.CharField()
    params = serializers.DictField(child=serializers.JSONField(allow_null=True))
    snippet = serializers.CharField()
    numbers = serializers.DictField(
        child=serializers.JSONField(allow_null=True), allow_null=True, help_text="what was computed of all rows"
    )


ANY_SOURCES = PolymorphicProxySerializer(
    component_name="AnySource",
    serializers=[SourceSerializer, TableSourceSerializer],
    resource_type_field_name=None,
    many=True,
)


@extend_schema_field(ANY_SOURCES)
class AnySourceField(serializers.ListField):
    """Passages, then tables."""


class SupportSerializer(serializers.Serializer[Any]):
    """What stands behind one `[n]` of an answer."""

    n = serializers.IntegerField()
    text = serializers.CharField(allow_null=True)
    page = serializers.IntegerField(allow_null=True)
    start = serializers.IntegerField(allow_null=True)
    end = serializers.IntegerField(allow_null=True)
    page_label = serializers.CharField(
        required=False, help_text='what is printed on the page ("xii"), only where that is not `page`'
    )


class WholeAnswerSerializer(serializers.Serializer[Any]):
    """An answer that is not streamed."""

    message = serializers.UUIDField()
    conversation = serializers.UUIDField()
    content = serializers.CharField()
    sources = AnySourceField()
    citations = SupportSerializer(many=True)
    state = serializers.CharField()
    confidence = serializers.CharField()
    sufficient = serializers.BooleanField()
    usage = serializers.DictField(child=serializers.IntegerField())
    evaluation = serializers.JSONField(required=False)


class ModelSerializer(serializers.Serializer[Any]):
    """An agent, as OpenAI's clients see it."""

    id = serializers.CharField()
    object = serializers.CharField()
    created = serializers.IntegerField()
    owned_by = serializers.CharField()


class ModelListSerializer(serializers.Serializer[Any]):
    object = serializers.CharField()
    data = ModelSerializer(many=True)  # type: ignore[assignment]  # DRF takes fields out of the class body


class CompletionMessageSerializer(serializers.Serializer[Any]):
    role = serializers.CharField()
    content = serializers.JSONField(help_text="a text, or a list of parts with texts")


class StreamOptionsSerializer(serializers.Serializer[Any]):
    include_usage = serializers.BooleanField(required=False)


class CompletionRequestSerializer(serializers.Serializer[Any]):
    """What is taken of OpenAI's request; the rest is ignored. `model` is an agent's slug; at most 200 messages.

    `project` is ours (`extra_body` of OpenAI's clients).
    """

    model = serializers.CharField()
    messages = CompletionMessageSerializer(many=True)
    stream = serializers.BooleanField(required=False)
    stream_options = StreamOptionsSerializer(required=False)
    project = serializers.UUIDField(
        required=False,
        allow_null=True,
        help_text="A project of the caller's own: its corpora are all that is read of the personal ones.",
    )


class ChoiceSerializer(serializers.Serializer[Any]):
    index = serializers.IntegerField()
    message = CompletionMessageSerializer()
    sources = AnySourceField()
    finish_reason = serializers.CharField()


class CompletionSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    created = serializers.IntegerField()
    model = serializers.CharField()
    object = serializers.CharField()
    choices = ChoiceSerializer(many=True)
    usage = serializers.DictField(child=serializers.IntegerField())


class OpenAIErrorBodySerializer(serializers.Serializer[Any]):
    message = serializers.CharField()
    type = serializers.CharField()
    code = serializers.CharField()
    param = serializers.CharField(allow_null=True)


class OpenAIErrorSerializer(serializers.Serializer[Any]):
    """A problem in OpenAI's shape, with our codes."""

    error = OpenAIErrorBodySerializer()


OPENAI_ERROR: Refusal = ("application/json", OpenAIErrorSerializer)
