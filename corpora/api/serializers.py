"""What the API shows of corpora, documents and chunks, and what it takes (RELIABILITY R5)."""

from typing import Any

from rest_framework import serializers

from corpora import facts
from corpora.advice import advice_for
from corpora.models import METADATA_FIELDS, Chunk, Corpus, Document


class CorpusSerializer(serializers.ModelSerializer[Corpus]):
    document_count = serializers.IntegerField(read_only=True, default=0)
    chunk_count = serializers.IntegerField(read_only=True, default=0)
    corpus_type = serializers.ChoiceField(choices=Corpus.Type.choices, default=Corpus.Type.PERSONAL)

    class Meta:
        model = Corpus
        fields = (
            "id", "name", "description", "corpus_type", "is_active", "document_count", "chunk_count", "created_at",
        )  # fmt: skip
        read_only_fields = ("id", "created_at")

    def update(self, instance: Corpus, validated_data: dict[str, Any]) -> Corpus:
        validated_data.pop("corpus_type", None)
        return super().update(instance, validated_data)


class DocumentErrorSerializer(serializers.Serializer[Any]):
    code = serializers.CharField()
    detail = serializers.CharField()


# A serializer's own `source` is a text to the type checker; DRF takes declared fields out of the class body.
SourceField: Any = serializers.CharField


class DocumentSerializer(serializers.ModelSerializer[Document]):
    """`key` and `source` are those of a fact; `version` counts what readers have been shown."""

    corpus = serializers.UUIDField(source="corpus_id", read_only=True)
    key = serializers.CharField(source="fact_key", read_only=True)
    source = SourceField(source="source_reference", read_only=True)
    error = serializers.SerializerMethodField()

    class Meta:
        model = Document
        fields = (
            "id", "corpus", "filename", "title", "media_type", "size", "status", "stage", "progress", "error",
            "page_count", "chunk_count", "summary", *METADATA_FIELDS, "source_date", "source", "key", "version",
            "created_at", "indexed_at",
        )  # fmt: skip
        read_only_fields = fields

    def get_error(self, document: Document) -> dict[str, str] | None:
        if not document.error_code:
            return None
        return {"code": document.error_code, "detail": advice_for(document.error_code)}


class TagsField(serializers.ListField):
    """Tags as JSON list, as repeated form fields, or as one comma-separated field."""

    child = serializers.CharField(max_length=50)

    def to_internal_value(self, data: Any) -> list[str]:
        items = [data] if isinstance(data, str) else data
        if not isinstance(items, list):
            self.fail("not_a_list", input_type=type(data).__name__)
        words: list[Any] = []
        for item in items:
            words += item.split(",") if isinstance(item, str) else [item]
        parts = [word.strip() if isinstance(word, str) else word for word in words]
        return list(dict.fromkeys(super().to_internal_value([part for part in parts if part != ""])))


class SourceDateField(serializers.DateField):
    """A day, "2026-03-31"; an empty form field is no date."""

    def to_internal_value(self, data: Any) -> Any:
        return None if data == "" else super().to_internal_value(data)


class MetadataSerializer(serializers.Serializer[Any]):
    """Title, date of the source and the metadata of SPEC §4, each optional; empty means none."""

    title = serializers.CharField(max_length=255, required=False, allow_blank=True)
    content_type = serializers.ChoiceField(Document.ContentType.choices, required=False, allow_blank=True)
    unit = serializers.CharField(max_length=100, required=False, allow_blank=True)
    topic = serializers.CharField(max_length=100, required=False, allow_blank=True)
    difficulty = serializers.ChoiceField(Document.Difficulty.choices, required=False, allow_blank=True)
    language = serializers.RegexField(r"^[a-z]{2,3}$", required=False, allow_blank=True)
    course = serializers.CharField(max_length=50, required=False, allow_blank=True)
    tags = TagsField(required=False, max_length=20)
    source_date = SourceDateField(required=False, allow_null=True)


class DescriptionSerializer(MetadataSerializer):
    """What `PATCH` changes of a document without processing it again."""

    summary = serializers.CharField(max_length=4000, required=False, allow_blank=True)
    source = SourceField(max_length=500, required=False, allow_blank=True, source="source_reference")


class UploadSerializer(MetadataSerializer):
    file = serializers.FileField(allow_empty_file=True, max_length=10_000)


class FactSerializer(serializers.Serializer[Any]):
    """A statement; `key` (by default the title, which is by default the first line) names what it replaces."""

    text = serializers.CharField(max_length=facts.MAX_TEXT)
    title = serializers.CharField(max_length=facts.MAX_TITLE, required=False, allow_blank=True)
    tags = TagsField(required=False, max_length=20)
    key = serializers.CharField(max_length=facts.MAX_KEY, required=False, allow_blank=True)
    source = SourceField(max_length=facts.MAX_SOURCE, required=False, allow_blank=True)


class ChunkSerializer(serializers.ModelSerializer[Chunk]):
    class Meta:
        model = Chunk
        fields = (
            "id", "index", "granularity", "text", "token_count", "page_start", "page_end", "heading_path",
            "start", "end",
        )  # fmt: skip
