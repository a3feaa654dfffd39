"""One message of the protocol and its answer, between a request of Django's and the official SDK, which speaks ASGI."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from accounts.models import Membership
from chat.api.mcp.asking import MEMBERSHIP
from chat.api.mcp.server import SERVER

BOTH = "application/json, text/event-stream"  # what clients accept who do not say; the answer is JSON
HOP_BY_HOP = {"content-length", "content-type"}


async def exchange(request: HttpRequest, body: bytes, membership: Membership) -> HttpResponse:
    """The SDK's answer. No Origin needs a look: sessions need the CSRF token, and no browser adds a key by itself."""
    manager = StreamableHTTPSessionManager(SERVER, json_response=True, stateless=True)
    answer = _Answer()
    async with manager.run():
        await manager.handle_request(_scope_of(request, membership), _receiving(body), answer.send)
    return answer.response()


def _scope_of(request: HttpRequest, membership: Membership) -> dict[str, Any]:
    headers = {name.lower(): value for name, value in request.headers.items() if name.lower() != "authorization"}
    headers.setdefault("accept", BOTH)
    return {
        "type": "http",
        "method": request.method,
        "path": request.path,
        "query_string": b"",
        "headers": [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in headers.items()],
        MEMBERSHIP: membership,
    }


def _receiving(body: bytes) -> Any:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


class _Answer:
    """What the SDK sends, until it is whole."""

    def __init__(self) -> None:
        self.status, self.body = 500, b""
        self.headers: dict[str, str] = {}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in message["headers"]}
        else:
            self.body += message.get("body", b"")

    def response(self) -> HttpResponse:
        kind = self.headers.get("content-type")
        kept = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
        response = HttpResponse(self.body, status=self.status, content_type=kind, headers=kept)
        if kind is None:  # what has no body is of no type
            del response["Content-Type"]
        return response
