"""The ASGI application: Django behind a limit on request bodies (RELIABILITY R11, fact 4).

Django writes a whole body to disk before it looks at the address; the limit therefore stands in front of it,
before authentication, and counts real bytes, whatever Content-Length says.
"""

import os
from typing import Any

import orjson
from django.core.asgi import get_asgi_application

from config.straight import App, HttpScope, Receive, Send, StraightToAsyncViews

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

MULTIPART_OVERHEAD = 1024 * 1024


class BodyTooLarge(Exception):
    """The client has sent more than it may."""


class BodyLimit:
    """Answers 413 as soon as a request body exceeds `limit` bytes; the rest is not read."""

    def __init__(self, app: App, limit: int) -> None:
        self.app, self.limit = app, limit

    async def __call__(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > self.limit:
            await refuse(send)
            return
        try:
            await self.app(scope, self.counted(receive), send)
        except BodyTooLarge:
            await refuse(send)

    def counted(self, receive: Receive) -> Receive:
        received = 0

        async def counting() -> Any:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.limit:
                raise BodyTooLarge
            return message

        return counting


async def refuse(send: Send) -> None:
    body = {
        "type": "urn:acervo:problem:file_too_large",
        "title": "File too large",
        "status": 413,
        "detail": "The request is larger than this server takes. Split the file, or ask for a higher limit.",
        "code": "file_too_large",
    }
    headers = [(b"content-type", b"application/problem+json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": orjson.dumps(body)})


def application_with_its_limits() -> App:
    handler = get_asgi_application()  # sets Django up; what follows needs it
    from django.conf import settings

    from config.metrics import serve_metrics

    serve_metrics()
    return BodyLimit(StraightToAsyncViews(handler), settings.MAX_UPLOAD_BYTES + MULTIPART_OVERHEAD)


application = application_with_its_limits()
