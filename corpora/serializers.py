"""What the API shows of corpora, documents and chunks, and what it takes (RELIABILITY R5)."""

from typing import Any

from rest_framework import serializers

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


class DocumentSerializer(serializers.ModelSerializer[Document]):
    corpus = serializers.UUIDField(source="corpus_id", read_only=True)
    error = serializers.SerializerMethodField()

    class Meta:
        model = Document
        fields = (
            "id", "corpus", "filename", "title", "media_type", "size", "status", "stage", "progress", "error",
            "page_count", "chunk_count", *METADATA_FIELDS, "created_at", "indexed_at",
        )  # fmt: skip
        read_only_fields = fields

    def get_error(self, document: Document) -> dict[str, str] | None:
        if not document.error_code:
            return None
        return {"code": document.error_code, "detail": document.error_detail}


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


class MetadataSerializer(serializers.Serializer[Any]):
    """The metadata of SPEC §4, each optional."""

    title = serializers.CharField(max_length=255, required=False)
    content_type = serializers.ChoiceField(choices=Document.ContentType.choices, required=False)
    unit = serializers.CharField(max_length=100, required=False)
    topic = serializers.CharField(max_length=100, required=False)
    difficulty = serializers.ChoiceField(choices=Document.Difficulty.choices, required=False)
    language = serializers.RegexField(r"^[a-z]{2,3}$", required=False)
    course = serializers.CharField(max_length=50, required=False)
    tags = TagsField(required=False, max_length=20)


class UploadSerializer(MetadataSerializer):
    file = serializers.FileField(allow_empty_file=True, max_length=10_000)


class FactSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(max_length=20_000)
    title = serializers.CharField(max_length=200, required=False)
    tags = TagsField(required=False, max_length=20)


class ChunkSerializer(serializers.ModelSerializer[Chunk]):
    class Meta:
        model = Chunk
        fields = (
            "id", "index", "granularity", "text", "token_count", "page_start", "page_end", "heading_path",
            "start", "end",
        )  # fmt: skip
