"""The API of data sources: an organization's admins keep them (docs/tools.md, "Data sources")."""

from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import generics, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.http.openapi import problems
from accounts.http.rest import admin_of, membership_of
from accounts.limits import reserving
from accounts.models import Membership
from tools import sources
from tools.api.serializers import (
    ChosenTablesSerializer,
    DataSourceSerializer,
    SourceEditSerializer,
    SourceFileSerializer,
    SourceFileUploadSerializer,
)
from tools.files import keeping
from tools.models import DataSource


class SourceList(generics.ListAPIView[DataSource]):
    serializer_class = DataSourceSerializer

    def get_queryset(self) -> QuerySet[DataSource]:
        return DataSource.objects.in_organization_of(admin_of(self.request))

    @extend_schema(request=SourceEditSerializer, responses={201: DataSourceSerializer, **problems(409)})
    def post(self, request: Request) -> Response:
        admin = admin_of(request)
        form = SourceEditSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        made = sources.save_source(admin, DataSource(organization=admin.organization), **form.validated_data)
        return Response(DataSourceSerializer(made).data, status.HTTP_201_CREATED)


class SourceView(APIView):
    """A data source of the caller's organization; of another's there is none, also not for its admins."""

    def kept(self, request: Request, source_id: UUID) -> tuple[Membership, DataSource]:
        source = sources.source_for(membership_of(request), source_id)
        return admin_of(request), source


class SourceDetail(SourceView):
    @extend_schema(responses=DataSourceSerializer)
    def get(self, request: Request, source_id: UUID) -> Response:
        _admin, source = self.kept(request, source_id)
        return Response(DataSourceSerializer(source).data)

    @extend_schema(request=SourceEditSerializer, responses={200: DataSourceSerializer, **problems(409)})
    def patch(self, request: Request, source_id: UUID) -> Response:
        admin, source = self.kept(request, source_id)
        form = SourceEditSerializer(source, data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        return Response(DataSourceSerializer(sources.save_source(admin, source, **form.validated_data)).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, source_id: UUID) -> Response:
        sources.delete_source(*self.kept(request, source_id))
        return Response(status=status.HTTP_204_NO_CONTENT)


class SourceCheck(SourceView):
    @extend_schema(request=None, responses={200: OpenApiTypes.OBJECT, **problems(409)})
    def post(self, request: Request, source_id: UUID) -> Response:
        """Connect, and say how many tables there are; of a bucket, how many files that can be tables."""
        admin, source = self.kept(request, source_id)
        reserving.reserve(admin, searches=1)
        return Response({"status": "ok", "tables": sources.check_source(admin, source)})


class SourceSchema(SourceView):
    @extend_schema(responses={200: OpenApiTypes.OBJECT, **problems(409, 429)})
    def get(self, request: Request, source_id: UUID) -> Response:
        """Every table of the source with its columns and their types."""
        admin, source = self.kept(request, source_id)
        reserving.reserve(admin, searches=1)
        return Response({"tables": sources.described_tables(source)})


class SourceFiles(SourceView):
    @extend_schema(responses=SourceFileSerializer(many=True))
    def get(self, request: Request, source_id: UUID) -> Response:
        _admin, source = self.kept(request, source_id)
        files = source.files.defer("content")
        return Response(SourceFileSerializer(files, many=True).data)

    @extend_schema(
        request={"multipart/form-data": SourceFileUploadSerializer},
        responses={201: SourceFileSerializer, **problems(409, 413, 422)},
    )
    def post(self, request: Request, source_id: UUID) -> Response:
        """A workbook becomes a table for each of its sheets: of several, the answer is the first."""
        admin, source = self.kept(request, source_id)
        form = SourceFileUploadSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        reserving.reserve(admin, writes=1)
        files = keeping.add_file(admin, source, form.validated_data["table"], form.validated_data["file"])
        return Response(SourceFileSerializer(files[0]).data, status.HTTP_201_CREATED)


class SourceFileDetail(SourceView):
    @extend_schema(responses={204: None, **problems(422)})
    def delete(self, request: Request, source_id: UUID, file_id: UUID) -> Response:
        admin, source = self.kept(request, source_id)
        keeping.remove_file(admin, source, file_id)
        return Response(status=status.HTTP_204_NO_CONTENT)


class SourceTables(SourceView):
    @extend_schema(responses=ChosenTablesSerializer)
    def get(self, request: Request, source_id: UUID) -> Response:
        _admin, source = self.kept(request, source_id)
        return Response(ChosenTablesSerializer({"tables": sources.chosen_tables(source)}).data)

    @extend_schema(request=ChosenTablesSerializer, responses=ChosenTablesSerializer)
    def put(self, request: Request, source_id: UUID) -> Response:
        """The tables and columns that agents may be given, as a whole."""
        admin, source = self.kept(request, source_id)
        form = ChosenTablesSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        chosen = sources.choose_tables(admin, source, form.validated_data["tables"])
        return Response(ChosenTablesSerializer({"tables": chosen}).data)
