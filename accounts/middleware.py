"""Headers of every response: content security policy and no caching of what is authenticated (R17, R23)."""

from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.http import HttpRequest
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

Response = HttpResponseBase | Awaitable[HttpResponseBase]


class ResponseHeaders:
    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], Response]) -> None:
        self.get_response = get_response
        self.is_async = iscoroutinefunction(get_response)
        if self.is_async:
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> Response:
        if self.is_async:
            return self.answer(request)
        response = self.get_response(request)
        assert isinstance(response, HttpResponseBase)
        return with_headers(request, response)

    async def answer(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        assert isinstance(response, Awaitable)
        return with_headers(request, await response)


def with_headers(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    loose = request.path.startswith(LOOSE_PATHS)
    response.headers.setdefault("Content-Security-Policy", LOOSE_POLICY if loose else POLICY)
    if not request.path.startswith("/static/"):
        response.headers.setdefault("Cache-Control", "no-store")
    return response
