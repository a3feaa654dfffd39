"""What every request and response has: a scope, an address that can be looked up, and headers."""

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import markcoroutinefunction
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase

from accounts.tenancy.scope import become_system, request_scope

# One policy for every page, the admin and the API's documentation included: scripts and styles are files of ours, and
# nothing is written inline, so there is no nonce either, which could be given away. What unfold and Swagger have inline
# stands in static/acervo/admin/ and templates/drf_spectacular/; the admin's Alpine is its build without eval.
POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)

SCOPED = "acervo.scoped"  # in an ASGI scope: whoever serves the request has opened its scope, to its body's last byte

GetResponse = Callable[[HttpRequest], Awaitable[HttpResponseBase]]


class ScopedRequests:
    """The request is nobody's until `accounts.http.principal` knows whose. The pages of the sign-in look people up by
    their addresses, before anybody is known or for one who asks for a new password: they are the system's."""

    sync_capable = False
    async_capable = True

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        markcoroutinefunction(self)

    async def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if SCOPED in getattr(request, "scope", {}):
            return await self.get_response(request)
        with request_scope():
            return await self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> None:
        if any(one.__module__.startswith("allauth.") for one in (view, *getattr(view, "view_class", object).__mro__)):
            become_system()


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
    response.headers.setdefault("Content-Security-Policy", POLICY)
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    if not request.path.startswith("/static/"):
        response.headers.setdefault("Cache-Control", "no-store")
    return response
