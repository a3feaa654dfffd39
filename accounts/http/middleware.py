"""What every request and response has: an address that can be looked up, and headers."""

from collections.abc import Awaitable, Callable

from asgiref.sync import markcoroutinefunction
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
# Unfold's Alpine.js and Swagger's start script need inline scripts and eval; both only serve signed-in admins' pages.
LOOSE_POLICY = (
    "default-src 'self'; img-src 'self' data:; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
LOOSE_PATHS = ("/admin/", "/api/docs/")

GetResponse = Callable[[HttpRequest], Awaitable[HttpResponseBase]]


class ResponseHeaders:
    """Puts `with_headers` on everything that comes through the middleware chain."""

    sync_capable = False
    async_capable = True

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        markcoroutinefunction(self)

    async def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return with_headers(request, await self.get_response(request))


class AddressesThatCanBe:
    """Nothing has a NUL in its name, and PostgreSQL refuses to look for one: 404 in a path, 400 in a query."""

    sync_capable = False
    async_capable = True

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        markcoroutinefunction(self)

    async def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path:
            raise Http404
        if "%00" in request.META["QUERY_STRING"]:
            raise BadRequest
        return await self.get_response(request)


def with_headers(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Content security policy, and no caching of what may be somebody's (RELIABILITY R17, R23)."""
    loose = request.path.startswith(LOOSE_PATHS)
    response.headers.setdefault("Content-Security-Policy", LOOSE_POLICY if loose else POLICY)
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    if not request.path.startswith("/static/"):
        response.headers.setdefault("Cache-Control", "no-store")
    return response
