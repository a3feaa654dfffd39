"""From a request to the membership that asks, for every kind of view; and the shape of lists."""

from typing import Any

import orjson
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.middleware.csrf import CsrfViewMiddleware
from rest_framework.pagination import CursorPagination
from rest_framework.response import Response

from accounts import keys
from accounts.models import Membership, User
from accounts.problems import NotFound, Problem, Unauthenticated

SESSION_ORGANIZATION = "organization_id"


def membership_of_session(request: HttpRequest) -> Membership | None:
    """The signed-in user's active membership: the organization chosen in the session, else the oldest one."""
    user = request.user
    if not isinstance(user, User) or not user.is_active:
        return None
    if not hasattr(request, "_membership"):
        mine = user.memberships.select_related("user", "organization")
        chosen = request.session.get(SESSION_ORGANIZATION)
        request._membership = (  # type: ignore[attr-defined]  # a per-request memo, as Django does for users
            mine.filter(organization_id=chosen).first() if chosen else None
        ) or mine.first()
    return request._membership  # type: ignore[attr-defined, no-any-return]


def bearer_of(request: HttpRequest) -> str | None:
    """The API key of the request, or None. A request with a key never looks at cookies (R22)."""
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else None


class _CsrfCheck(CsrfViewMiddleware):
    def _reject(self, request: HttpRequest, reason: str) -> Any:
        return reason


def enforce_csrf(request: HttpRequest) -> None:
    """Raise a 403 problem when a session request lacks a valid CSRF token."""

    def unused(_request: HttpRequest) -> Any:
        return None

    check = _CsrfCheck(unused)
    check.process_request(request)
    if reason := check.process_view(request, unused, (), {}):
        raise CsrfFailed(str(reason))


class CsrfFailed(Problem):
    status_code = 403
    code = "csrf_failed"


def principal_of(request: HttpRequest) -> Membership:
    """The membership that asks, by key or by session, for views outside DRF. Raises a 401 or 403 problem."""
    if (secret := bearer_of(request)) is not None:
        membership = keys.membership_of(secret)
    else:
        membership = membership_of_session(request)
        if membership and request.method not in ("GET", "HEAD", "OPTIONS"):
            enforce_csrf(request)
    if membership is None:
        raise Unauthenticated
    return membership


def json_body(request: HttpRequest) -> Any:
    """The request's JSON; a 400 problem when it is none."""
    try:
        return orjson.loads(request.body)
    except orjson.JSONDecodeError:
        raise Problem("The body is not JSON.") from None


def membership_context(request: HttpRequest) -> dict[str, Any]:
    """Template context: the active membership, and the others that the user may switch to."""
    membership = membership_of_session(request) if hasattr(request, "user") else None
    return {"membership": membership}


class Pages(CursorPagination):
    """Lists: {"results": [...], "next": url | null}; `?page_size=` up to 100."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 100
    offset_cutoff = None  # type: ignore[assignment]  # DRF's 1000 would repeat one page forever where many rows share a position
    ordering = ("-created_at", "-pk")

    def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> list[Any] | None:
        """A page. A cursor whose position no row could have was never given out: NotFound."""
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValidationError, ValueError):
            if self.cursor is None:
                raise
            raise NotFound from None

    def get_paginated_response(self, data: Any) -> Response:
        return Response({"results": data, "next": self.get_next_link()})

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        following = {"type": "string", "format": "uri", "nullable": True}
        return {
            "type": "object",
            "required": ["results", "next"],
            "properties": {"results": schema, "next": following},
        }
