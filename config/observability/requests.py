"""The outermost part of the application: each request has an id, and its lines and spans belong together."""

from typing import TYPE_CHECKING, Any

from django.urls import Resolver404, resolve

from config.observability import tracing
from config.observability.correlation import REQUEST_ID, correlated, request_correlation

if TYPE_CHECKING:
    from config.straight import App, HttpScope, Receive, Send

ID_HEADER = REQUEST_ID.lower().encode()
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class CorrelatedRequests:
    """Takes `X-Request-ID` and `traceparent` from who asks, where they are sane, and answers with the id."""

    def __init__(self, app: "App") -> None:
        self.app = app

    async def __call__(self, scope: "HttpScope", receive: "Receive", send: "Send") -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        correlation = request_correlation(said_once(scope, ID_HEADER), said_once(scope, b"traceparent"))
        with correlated(correlation), tracing.beneath(correlation.traceparent), opened(scope) as here:
            await self.app(scope, receive, answering_with(correlation.request_id, send, here))


def said_once(scope: "HttpScope", name: bytes) -> str:
    """A header's value; nothing where it stands several times, or is no ASCII."""
    values = [value for header, value in scope["headers"] if header == name]
    return values[0].decode() if len(values) == 1 and values[0].isascii() else ""


def opened(scope: "HttpScope") -> Any:
    """The request's span, by the route: never an address, in which live links and words may stand."""
    if not tracing.is_tracing():
        return tracing.span("")
    method = scope["method"] if scope["method"] in METHODS else "_OTHER"
    try:
        route = "/" + resolve(scope["path"]).route
    except Resolver404:
        route = ""
    return tracing.span(f"{method} {route}".strip(), "SERVER", http__request__method=method, http__route=route)


def answering_with(request_id: str, send: "Send", here: tracing.NoSpan) -> "Send":
    header = (ID_HEADER, request_id.encode())

    async def told(message: Any) -> None:
        if message["type"] == "http.response.start":
            here.note(http__response__status_code=message["status"])
            message = {**message, "headers": [*message.get("headers", ()), header]}
        await send(message)

    return told
