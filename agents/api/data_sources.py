"""Which tables of data sources an agent reads: all see them, admins choose them; and the tool `query` over them."""

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any
from uuid import UUID

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.http.fields import CountedListField
from accounts.http.rest import admin_of, membership_of
from accounts.limits import reserving
from accounts.models import Membership
from agents.granting import grant_tables, query_with_agent, reachable_tables
from agents.lookup import agent_for
from tools.models import SourceTable
from tools.sql.gate import MOST_CHARACTERS

MOST_GRANTED = 100


class GrantSerializer(serializers.Serializer[Any]):
    tables = CountedListField(child=serializers.UUIDField(), max_length=MOST_GRANTED)


class QuerySerializer(serializers.Serializer[Any]):
    """`params` are the values of the statement's `:names`."""

    agent = serializers.CharField(max_length=100)
    source = serializers.CharField(max_length=150)  # type: ignore[assignment]  # a field of this name
    sql = serializers.CharField(max_length=MOST_CHARACTERS)
    params = serializers.DictField(required=False, default=dict)


class AgentSources(APIView):
    @extend_schema(responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, reference: str) -> Response:
        """The sources that the agent reads, with tables and columns in words: what a statement is written from."""
        return Response({"sources": told_sources(reachable_tables(agent_for(membership_of(request), reference)))})


class AgentSource(APIView):
    @extend_schema(request=GrantSerializer, responses=OpenApiTypes.OBJECT)
    def put(self, request: Request, reference: str, source_id: UUID) -> Response:
        """The tables of this source that the agent reads, as a whole; none takes the source away."""
        agent = agent_for(membership_of(request), reference)
        admin = admin_of(request)
        form = GrantSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        granted = grant_tables(agent, source_id, form.validated_data["tables"], admin)
        return Response({"sources": told_sources(granted)})


def told_sources(tables: Iterable[SourceTable]) -> list[dict[str, Any]]:
    return [
        {
            "id": str(source.pk),
            "name": source.name,
            "kind": source.kind,
            "tables": [told_table(one) for one in of_source],
        }
        for source, of_source in groupby(tables, key=lambda one: one.source)
    ]


def told_table(table: SourceTable) -> dict[str, Any]:
    columns = [
        {"name": one.name, "type": one.type, "description": one.description, "masked": one.is_masked}
        for one in table.columns.all()
    ]
    told = {"id": str(table.pk), "schema": table.schema, "name": table.name, "description": table.description}
    return {**told, "columns": columns}


def query_source(by: Membership, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The tool `query`, counted before it is looked at, also if it is wrong."""
    reserving.reserve(by, searches=1)
    form = QuerySerializer(data=arguments)
    form.is_valid(raise_exception=True)
    asked = form.validated_data
    answer = query_with_agent(agent_for(by, asked["agent"]), asked["source"], asked["sql"], asked["params"], by)
    return {
        "columns": answer.columns,
        "rows": answer.rows,
        "row_count": len(answer.rows),
        "truncated": answer.truncated,
    }
