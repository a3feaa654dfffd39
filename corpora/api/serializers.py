"""What the API shows of corpora, documents and chunks, and what it takes (RELIABILITY R5)."""

from typing import Any

from rest_framework import serializers

from corpora.advice import failure_advice
from corpora.metadata.names import FREE_FIELD, METADATA_FIELDS
from corpora.models import Chunk, Corpus, Document
from corpora.uploads.inputs import MetadataSerializer, SourceField


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
    """`key` and `source` are those of a fact; `version` counts what readers have been shown."""

    corpus = serializers.UUIDField(source="corpus_id", read_only=True)
    key = serializers.CharField(source="fact_key", read_only=True)
    source = SourceField(source="source_reference", read_only=True)
    error = serializers.SerializerMethodField()
    content_type = serializers.ChoiceField(Document.ContentType.choices, allow_blank=True, read_only=True)
    difficulty = serializers.ChoiceField(Document.Difficulty.choices, allow_blank=True, read_only=True)

    class Meta:
        model = Document
        fields = (
            "id", "corpus", "filename", "title", "media_type", "size", "status", "stage", "progress", "error",
            "page_count", "chunk_count", "summary", *METADATA_FIELDS, FREE_FIELD, "source_date", "source", "key",
            "version", "created_at", "indexed_at",
        )  # fmt: skip
        read_only_fields = fields

    def get_error(self, document: Document) -> dict[str, str] | None:
        if not document.error_code:
            return None
        return {"code": document.error_code, "detail": failure_advice(document.error_code)}


_SHOWN = DocumentSerializer()  # made once: a serializer copies its fields for every document, 1.5 ms of each upload


def shown_document(document: Document) -> dict[str, Any]:
    return _SHOWN.to_representation(document)


class DescriptionSerializer(MetadataSerializer):
    """What `PATCH` changes of a document without processing it again."""

    summary = serializers.CharField(max_length=4000, required=False, allow_blank=True)
    source = SourceField(max_length=500, required=False, allow_blank=True, source="source_reference")


class UploadSerializer(MetadataSerializer):
    file = serializers.FileField(allow_empty_file=True, max_length=10_000)


class ChunkSerializer(serializers.ModelSerializer[Chunk]):
    class Meta:
        model = Chunk
        fields = (
            "id", "index", "granularity", "text", "token_count", "page_start", "page_end", "heading_path",
            "start", "end",
        )  # fmt: skip
