"""The API of corpora and documents (API.md, "Corpora and documents")."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.http import FileResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import generics, status
from rest_framework.parsers import MultiPartParser
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from accounts import audit
from accounts.http import idempotency
from accounts.http.openapi import problems
from accounts.http.rest import membership_of
from accounts.limits import stock
from accounts.problems import AdminRequired, NotFound
from corpora import removal
from corpora.api.pagination import ChunkPages
from corpora.api.serializers import (
    ChunkSerializer,
    CorpusSerializer,
    DescriptionSerializer,
    DocumentSerializer,
    UploadSerializer,
    shown_document,
)
from corpora.descriptions import describe
from corpora.lookup import readable_document, writable_corpus, writable_document
from corpora.media_types import EXTENSIONS
from corpora.models import Chunk, Corpus, Document
from corpora.uploads import facts, intake
from corpora.uploads.inputs import FactSerializer

ERASE = OpenApiParameter("erase", str, enum=["now"], description="Erase at once, past the trash.")


def is_at_once(request: Request) -> bool:
    return request.query_params.get("erase") == "now"


class CorpusList(generics.ListCreateAPIView[Corpus]):
    serializer_class = CorpusSerializer

    def get_queryset(self) -> QuerySet[Corpus]:
        return Corpus.objects.readable_by(membership_of(self.request)).with_counts()

    def perform_create(self, serializer: BaseSerializer[Corpus]) -> None:
        membership = membership_of(self.request)
        personal = serializer.validated_data["corpus_type"] == Corpus.Type.PERSONAL
        if not personal and not membership.is_admin:
            raise AdminRequired
        owner = membership.user if personal else None
        with transaction.atomic():
            stock.make_room(membership, corpora=1)
            corpus = serializer.save(organization=membership.organization, owner=owner)
            audit.record(membership, "created", corpus, corpus_type=corpus.corpus_type)


class CorpusDetail(generics.RetrieveUpdateDestroyAPIView[Corpus]):
    serializer_class = CorpusSerializer
    http_method_names = ("get", "patch", "delete", "head", "options")

    def get_object(self) -> Corpus:
        if self.request.method in SAFE_METHODS:
            corpus = self.get_queryset().filter(pk=self.kwargs["pk"]).first()
            if corpus is None:
                raise NotFound
            return corpus
        writable_corpus(membership_of(self.request), self.kwargs["pk"])
        return self.get_queryset().get(pk=self.kwargs["pk"])

    def get_queryset(self) -> QuerySet[Corpus]:
        return Corpus.objects.readable_by(membership_of(self.request)).with_counts()

    def perform_update(self, serializer: BaseSerializer[Corpus]) -> None:
        corpus = serializer.save()
        audit.record(membership_of(self.request), "changed", corpus, is_active=corpus.is_active)

    @extend_schema(parameters=[ERASE], responses={204: None})
    def delete(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Into the trash, with all its documents."""
        return super().delete(request, *args, **kwargs)

    def perform_destroy(self, instance: Corpus) -> None:
        removal.remove_corpus(instance, membership_of(self.request), at_once=is_at_once(self.request))


class CorpusDocuments(generics.ListAPIView[Document]):
    """Documents of a corpus; POST takes a file in."""

    serializer_class = DocumentSerializer
    parser_classes = (MultiPartParser,)

    def get_queryset(self) -> QuerySet[Document]:
        membership = membership_of(self.request)
        if not Corpus.objects.readable_by(membership).filter(pk=self.kwargs["pk"]).exists():
            raise NotFound
        return Document.objects.readable_by(membership).filter(corpus_id=self.kwargs["pk"])

    @extend_schema(
        request=UploadSerializer,
        parameters=[OpenApiParameter(idempotency.HEADER, str, OpenApiParameter.HEADER)],
        responses={202: DocumentSerializer, **problems(409, 422, 507)},
    )
    def post(self, request: Request, pk: UUID) -> Response:
        corpus = writable_corpus(membership_of(request), pk)
        form = UploadSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        fields = dict(form.validated_data)
        upload: intake.UploadedFile = fields.pop("file")
        sha256 = intake.content_hash(upload)

        def act() -> tuple[int, Any]:
            with intake.uploading.taken():
                document = intake.accept_upload(corpus, upload, membership_of(request), sha256, **fields)
            return status.HTTP_202_ACCEPTED, shown_document(document)

        same = idempotency.fingerprint(str(pk), upload.name or "", sha256, repr(sorted(fields.items())))
        key = request.headers.get(idempotency.HEADER)
        code, body = idempotency.once(membership_of(request), key, same, act)
        return Response(body, code)


class CorpusFacts(APIView):
    """Upsert one piece of knowledge without a file (information-layer.es.md, `upsert_knowledge`), or delete one."""

    @extend_schema(request=FactSerializer, responses={202: DocumentSerializer, **problems(409, 422, 507)})
    def post(self, request: Request, pk: UUID) -> Response:
        corpus = writable_corpus(membership_of(request), pk)
        form = FactSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        document = facts.keep_knowledge(corpus, membership_of(request), **form.validated_data)
        return Response(shown_document(document), status.HTTP_202_ACCEPTED)

    @extend_schema(parameters=[OpenApiParameter("key", str, required=True)], responses={204: None})
    def delete(self, request: Request, pk: UUID) -> Response:
        corpus = writable_corpus(membership_of(request), pk)
        facts.remove_fact(corpus, membership_of(request), request.query_params.get("key", ""))
        return Response(status=status.HTTP_204_NO_CONTENT)


class DocumentDetail(APIView):
    @extend_schema(responses=DocumentSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        return Response(shown_document(readable_document(membership_of(request), pk)))

    @extend_schema(request=DescriptionSerializer, responses=DocumentSerializer)
    def patch(self, request: Request, pk: UUID) -> Response:
        document = writable_document(membership_of(request), pk)
        form = DescriptionSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        describe(document, membership_of(request), **form.validated_data)
        return Response(shown_document(document))

    @extend_schema(parameters=[ERASE], responses={204: None})
    def delete(self, request: Request, pk: UUID) -> Response:
        """Into the trash."""
        document = writable_document(membership_of(request), pk)
        removal.remove_document(document, membership_of(request), at_once=is_at_once(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class DocumentReprocess(APIView):
    @extend_schema(request=None, responses={202: DocumentSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        document = writable_document(membership_of(request), pk)
        intake.reprocess(document, membership_of(request))
        return Response(shown_document(document), status.HTTP_202_ACCEPTED)


class DocumentContent(APIView):
    """The original, always as a download of a fixed type (RELIABILITY R16)."""

    @extend_schema(responses={(200, kind): OpenApiTypes.BINARY for kind in EXTENSIONS})
    def get(self, request: Request, pk: UUID) -> FileResponse:
        document = readable_document(membership_of(request), pk)
        try:
            original = document.file.open("rb")
        except FileNotFoundError:
            raise NotFound from None
        response = FileResponse(
            original, as_attachment=True, filename=document.filename, content_type=document.media_type
        )
        response["Cache-Control"] = "no-store"
        response["X-Content-Type-Options"] = "nosniff"
        return response


class DocumentChunks(generics.ListAPIView[Chunk]):
    serializer_class = ChunkSerializer
    pagination_class = ChunkPages

    @extend_schema(parameters=[OpenApiParameter("granularity", int)])
    def get(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return super().get(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Chunk]:
        document = readable_document(membership_of(self.request), self.kwargs["pk"])
        chunks = Chunk.objects.readable_by(membership_of(self.request)).filter(document=document)
        wanted = self.request.query_params.get("granularity", "")
        return chunks.filter(granularity=int(wanted)) if wanted.isdecimal() and len(wanted) < 6 else chunks
