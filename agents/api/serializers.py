"""What the API shows of agents and assignments, and what it takes (RELIABILITY R5)."""

from math import isfinite
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext as _
from rest_framework import serializers

from agents.models import Agent, Assignment
from corpora.metadata.conditions import checked_conditions
from corpora.metadata.names import CORPUS, DOCUMENT

MAX_QUERY = 8_000  # characters
MAX_TOP_K = 50
MAX_ROLE = 150  # characters
MIN_BUDGET, MAX_BUDGET = 50, 100_000  # tokens


class FiltersField(serializers.DictField):
    """Metadata as requirement or preference: one value or a list of values by metadata field."""

    def to_internal_value(self, data: Any) -> dict[str, list[str]]:
        try:
            return checked_conditions(data)
        except ValidationError as error:
            raise serializers.ValidationError(error.messages) from None


class AgentFiltersField(FiltersField):
    """What holds for an agent: which documents it reads, its corpora say."""

    def to_internal_value(self, data: Any) -> dict[str, list[str]]:
        checked = super().to_internal_value(data)
        if checked.keys() & {DOCUMENT, CORPUS}:
            raise serializers.ValidationError(_("An agent reads its corpora: assign it one with these documents."))
        return checked


class FiniteField(serializers.FloatField):
    """A number that every database keeps and that limits hold: the text "nan" is none, though Python reads it."""

    def to_internal_value(self, data: Any) -> float:
        number = super().to_internal_value(data)
        if not isfinite(number):
            self.fail("invalid")
        return number


class AgentSerializer(serializers.ModelSerializer[Agent]):
    class Meta:
        model = Agent
        fields = (
            "id", "slug", "name", "description", "allows_personal_corpus", "uses_rag", "grounding", "adaptive",
            "model",
        )  # fmt: skip


class AgentEditSerializer(serializers.ModelSerializer[Agent]):
    """What admins may set. The slug is made from the name when it is left out."""

    slug = serializers.SlugField(max_length=80, required=False)
    filters = AgentFiltersField(required=False)
    preferences = AgentFiltersField(required=False)
    serializer_field_mapping = serializers.ModelSerializer.serializer_field_mapping | {models.FloatField: FiniteField}

    class Meta:
        model = Agent
        fields = (
            "slug", "name", "description", "is_active", "system_prompt", "instructions", "context_template", "model",
            "temperature", "max_tokens", "allows_personal_corpus", "uses_rag", "grounding", "adaptive", "top_k",
            "candidates", "min_relevance", "context_tokens", "min_confidence", "filters", "preferences", "condense",
            "expand_queries", "diversity", "recency_half_life_days", "rerank", "compress", "evaluator_model",
        )  # fmt: skip

    def validate_context_template(self, value: str) -> str:
        if value and "{documents}" not in value:
            raise serializers.ValidationError("The template must contain {documents}.")
        return value


class AssignmentSerializer(serializers.ModelSerializer[Assignment]):
    corpus = serializers.UUIDField(source="corpus_id")
    name = serializers.CharField(source="corpus.name", read_only=True)
    corpus_type = serializers.CharField(source="corpus.corpus_type", read_only=True)
    is_active = serializers.BooleanField(source="corpus.is_active", read_only=True)

    class Meta:
        model = Assignment
        fields = ("corpus", "name", "corpus_type", "is_active", "created_at")


class AssignSerializer(serializers.Serializer[Any]):
    corpus = serializers.UUIDField()


class RetrieveSerializer(serializers.Serializer[Any]):
    query = serializers.CharField(max_length=MAX_QUERY)
    top_k = serializers.IntegerField(
        min_value=1,
        max_value=MAX_TOP_K,
        required=False,
        help_text="So many chunks, each by itself, if there are as many candidates; neither `threshold` nor "
        "`budget_tokens` cuts any of them unless it is sent too. Without it: the agent's, neighbours united.",
    )
    threshold = FiniteField(
        min_value=0.0,
        max_value=1.0,
        required=False,
        help_text="The lowest relevance of a passage. Without it: the agent's, or none where `top_k` is sent.",
    )
    budget_tokens = serializers.IntegerField(
        min_value=MIN_BUDGET,
        max_value=MAX_BUDGET,
        required=False,
        help_text="How long all passages may be together, in tokens. Without it: the agent's, or without end where "
        "`top_k` is sent.",
    )
    granularity = serializers.ChoiceField(choices=(256, 512, 800, 1024), required=False)
    filters = FiltersField(required=False)
    preferences = FiltersField(required=False)
    project = serializers.UUIDField(
        required=False,
        allow_null=True,
        help_text="A project of the caller's own: its corpora are all that is read of the personal ones.",
    )
    agent_role = serializers.CharField(
        max_length=MAX_ROLE,
        required=False,
        help_text="In whose role it is asked: the agent's slug or name. Where the path names an agent, the same one.",
    )


class PassageSerializer(serializers.Serializer[Any]):
    """As `agents.api.retrieval` tells of one; for the OpenAPI schema."""

    chunk = serializers.UUIDField()
    document = serializers.UUIDField()
    title = serializers.CharField()
    corpus = serializers.UUIDField()
    corpus_type = serializers.CharField()
    page = serializers.IntegerField(allow_null=True)
    heading_path = serializers.ListField(child=serializers.CharField())
    text = serializers.CharField()
    relevance = serializers.FloatField()
    dense = serializers.FloatField(allow_null=True)
    bm25 = serializers.FloatField(allow_null=True)


class RetrievalSerializer(serializers.Serializer[Any]):
    confidence = serializers.CharField()
    score = serializers.FloatField()
    sufficient = serializers.BooleanField()
    gate = serializers.CharField()
    degraded = serializers.CharField(allow_null=True)
    granularity = serializers.IntegerField()
    chunks = PassageSerializer(many=True)
    timings = serializers.DictField(child=serializers.FloatField())
