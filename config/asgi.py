"""The ASGI application: Django behind a limit on request bodies (RELIABILITY R11, fact 4).

Django writes a whole body to disk before it looks at the address; the limit therefore stands in front of it,
before authentication, and counts real bytes, whatever Content-Length says.
"""

import gc
import os
from typing import Any

import django
import orjson
from django.urls import resolve

from config.straight import App, HttpScope, OnOneThread, Receive, Send, StraightToAsyncViews

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

MULTIPART_OVERHEAD = 1024 * 1024
COLLECT_AFTER = 10_000  # new objects; 700 are fewer than one question makes


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
    django.setup(set_prefix=False)  # what follows needs it
    from django.conf import settings

    from config.metrics import serve_metrics

    serve_metrics()
    return BodyLimit(StraightToAsyncViews(OnOneThread()), settings.MAX_UPLOAD_BYTES + MULTIPART_OVERHEAD)


def load_and_freeze() -> None:
    """Load what every request goes through, and take it out of the garbage collector's rounds.

    It has some 300,000 objects, none of which is ever garbage; a full round over them stops every thread and the loop,
    measured on two busy cores, for half a second, and two hundred users cause one every few seconds.
    """
    resolve("/")  # imports the URLs with all their views
    gc.collect()
    gc.freeze()
    gc.set_threshold(COLLECT_AFTER, 20, 50)


application = application_with_its_limits()
load_and_freeze()
