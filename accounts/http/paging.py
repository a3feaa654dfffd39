"""The shape of lists: cursor pages (API.md, "Lists")."""

from datetime import UTC
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.dateparse import parse_datetime
from rest_framework.pagination import CursorPagination
from rest_framework.response import Response

from accounts.problems import NotFound


class Pages(CursorPagination):
    """Lists: {"results": [...], "next": url | null}; `?page_size=` up to 100."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 100
    offset_cutoff = 1_000_000_000  # DRF's 1000 would repeat one page forever where many rows share a position
    ordering = ("-created_at", "-pk")

    def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> list[Any] | None:
        """A page. A cursor whose position no row could have was never given out: NotFound."""
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValidationError, ValueError):
            if self.cursor is None:
                raise
            raise NotFound from None

    def decode_cursor(self, request: Any) -> Any:
        """Of the first and last years only some hours can be told in UTC, and no database is asked for the others."""
        cursor = super().decode_cursor(request)
        try:
            if cursor and cursor.position and (moment := parse_datetime(str(cursor.position))):
                moment.astimezone(UTC)
        except (ValueError, OverflowError):
            raise NotFound from None
        return cursor

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"results": data, "next": self.get_next_link()})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        following = {"type": "string", "format": "uri", "nullable": True}
        return {
            "type": "object",
            "required": ["results", "next"],
            "properties": {"results": schema, "next": following},
        }
