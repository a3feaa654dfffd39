"""What the API shows of projects, conversations and messages, and what it takes."""

from typing import Any, ClassVar
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from accounts.models import Membership
from accounts.problems import NotFound
from agents.api.serializers import FiltersField
from chat.answering.sources import citations_of
from chat.answering.state import state_kept
from chat.api.described import ANY_SOURCES, SupportSerializer
from chat.api.questions import StudentSerializer
from chat.models import AnswerTable, Citation, Conversation, Message, Project
from chat.stream.events import FOREIGN, TABLE
from chat.understanding.course import PARTS as STUDENT_PARTS
from corpora.models import Corpus


class OwnedField(serializers.PrimaryKeyRelatedField[Any]):
    """An id in a body that names a row of the caller's own; anything else does not exist (RELIABILITY R2)."""

    def membership(self) -> Membership:
        membership = self.context["request"].auth
        assert isinstance(membership, Membership)
        return membership

    def get_queryset(self) -> QuerySet[Any]:
        raise NotImplementedError

    def to_internal_value(self, data: Any) -> Any:
        try:
            found = self.get_queryset().filter(pk=data).first()
        except (ValidationError, TypeError, ValueError):
            found = None
        if found is None:
            raise NotFound
        return found

    @classmethod
    def many_init(cls, *args: Any, **kwargs: Any) -> "OwnedRows":
        required = kwargs.pop("required", True)
        return OwnedRows(child_relation=cls(*args, **kwargs), required=required)


class OwnedRows(serializers.ManyRelatedField):
    """Several such ids, looked up at once."""

    MOST = 200

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list) or len(data) > self.MOST:
            raise serializers.ValidationError(_("A list of at most %(most)d ids.") % {"most": self.MOST})
        try:
            ids = {UUID(str(one)) for one in data}
        except ValueError:
            raise NotFound from None
        owned: Any = self.child_relation.get_queryset()
        found = list(owned.filter(pk__in=ids))
        if len(found) != len(ids):
            raise NotFound
        return found


class OwnCorpusField(OwnedField):
    def get_queryset(self) -> QuerySet[Corpus]:
        return Corpus.objects.readable_by(self.membership()).personal()


class OwnProjectField(OwnedField):
    def get_queryset(self) -> QuerySet[Project]:
        return Project.objects.owned_by(self.membership())


class ProjectSerializer(serializers.ModelSerializer[Project]):
    """`corpora`: the caller's own personal corpora that the project narrows retrieval to."""

    corpora = OwnCorpusField(many=True, required=False, queryset=Corpus.objects.none())

    class Meta:
        model = Project
        fields = ("id", "name", "corpora", "created_at")
        read_only_fields = ("id", "created_at")

    def create(self, validated_data: dict[str, Any]) -> Project:
        corpora = validated_data.pop("corpora", ())
        project = super().create(validated_data)
        project.narrow_to(corpora)
        return project

    def update(self, instance: Project, validated_data: dict[str, Any]) -> Project:
        corpora = validated_data.pop("corpora", None)
        project = super().update(instance, validated_data)
        if corpora is not None:
            project.narrow_to(corpora)
        return project


class CitationSerializer(serializers.ModelSerializer[Citation]):
    chunk = serializers.UUIDField(source="chunk_id")
    document = serializers.UUIDField(source="document_id", allow_null=True)
    corpus = serializers.UUIDField(source="corpus_id")

    class Meta:
        model = Citation
        fields = (
            "n", "chunk", "document", "title", "corpus", "corpus_type", "page", "page_end", "heading_path", "snippet",
            "relevance", "cited",
        )  # fmt: skip

    def to_representation(self, instance: Citation) -> dict[str, Any]:
        return super().to_representation(instance.veil())


class AnswerTableSerializer(serializers.ModelSerializer[AnswerTable]):
    """Rows that an answer's model has fetched: a source of the kind `table`, or `foreign` of another service's."""

    kind = serializers.SerializerMethodField()
    source = serializers.UUIDField(source="source_id", allow_null=True)  # type: ignore[assignment]  # of this name
    tables = serializers.JSONField(source="table_names")
    truncated = serializers.BooleanField(source="is_cut")

    class Meta:
        model = AnswerTable
        fields = (
            "kind", "n", "title", "tool", "source", "tables", "columns", "rows", "row_count", "truncated", "statement",
            "params", "snippet", "numbers", "cited",
        )  # fmt: skip

    def get_kind(self, row: AnswerTable) -> str:
        return FOREIGN if row.is_foreign else TABLE


class MessageSerializer(serializers.ModelSerializer[Message]):
    """An answer whose writer died is told as the broken off one that it is."""

    status = serializers.CharField(source="present_status", read_only=True)
    error_code = serializers.CharField(source="present_error_code", read_only=True)
    state = serializers.SerializerMethodField()
    sources = serializers.SerializerMethodField()
    citations = serializers.SerializerMethodField()

    class Meta:
        model = Message
        fields = (
            "id", "role", "content", "status", "error_code", "confidence", "sufficient", "state", "sources",
            "citations", "usage", "rating", "comment", "created_at",
        )  # fmt: skip

    def get_state(self, row: Message) -> str:
        return state_kept(row)

    @extend_schema_field(ANY_SOURCES)
    def get_sources(self, row: Message) -> list[dict[str, Any]]:
        passages = CitationSerializer(row.citations.all(), many=True).data
        return [*passages, *AnswerTableSerializer(row.tables.all(), many=True).data]

    @extend_schema_field(SupportSerializer(many=True))
    def get_citations(self, row: Message) -> list[dict[str, Any]]:
        sources: list[Citation | AnswerTable] = [*(source.veil() for source in row.citations.all()), *row.tables.all()]
        return [one.told for one in citations_of(row.content, sources)]


class ConversationSerializer(serializers.ModelSerializer[Conversation]):
    agent = serializers.UUIDField(source="agent_id", read_only=True)
    project = OwnProjectField(required=False, allow_null=True, queryset=Project.objects.none())

    class Meta:
        model = Conversation
        fields: ClassVar[tuple[str, ...]] = ("id", "title", "agent", "project", "created_at", "updated_at")
        read_only_fields = ("id", "agent", "created_at", "updated_at")

    def update(self, instance: Conversation, validated_data: dict[str, Any]) -> Conversation:
        """What is asked for alone: the row may have become personal since it was read."""
        for name, value in validated_data.items():
            setattr(instance, name, value)
        instance.save(update_fields=[*validated_data])
        return instance


class ContextField(serializers.DictField):
    """What holds for every question of a conversation: {"filters": …, "preferences": …}, and of a student {"unit": …,
    "difficulty": …, "state": …}; replaced as a whole."""

    PARTS = ("filters", "preferences")

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict):
            self.fail("not_a_dict", input_type=type(data).__name__)
        if unknown := next((name for name in data if name not in (*self.PARTS, *STUDENT_PARTS)), None):
            raise serializers.ValidationError(f"Unknown: {unknown[:100]}; known: {', '.join(self.PARTS)}.")
        checked: dict[str, Any] = {
            name: FiltersField().run_validation(data[name]) for name in self.PARTS if name in data
        }
        checked |= StudentSerializer().run_validation({name: data[name] for name in STUDENT_PARTS if name in data})
        return {name: part for name, part in checked.items() if part}


class ConversationDetailSerializer(ConversationSerializer):
    context = ContextField(required=False)  # type: ignore[assignment]  # DRF takes fields out of the class body
    messages = MessageSerializer(many=True, read_only=True)

    class Meta(ConversationSerializer.Meta):
        fields: ClassVar[tuple[str, ...]] = (*ConversationSerializer.Meta.fields, "context", "messages")


class FeedbackSerializer(serializers.Serializer[Any]):
    rating = serializers.ChoiceField(choices=(1, -1))
    comment = serializers.CharField(max_length=2000, required=False, allow_blank=True, default="")


class StoppedSerializer(serializers.Serializer[Any]):
    message = serializers.UUIDField()
