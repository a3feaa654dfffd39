"""What of a request's body is read, and of whom (RELIABILITY R0, R11, fact 4).

Django writes a whole body to disk before it looks at the address; the limit therefore stands in front of it, and counts
real bytes, whatever Content-Length says. Only somebody who is known may send much, or a file.
"""

from io import BytesIO
from typing import Any, NamedTuple

from django.conf import settings

from accounts import keys
from accounts.http.principal import bearer_of
from accounts.problems import BodyTooLarge, FileTooLarge, Problem, Unauthenticated, problem_for, problem_response
from config.concurrency.threads import in_thread
from config.incoming.connections import is_multipart
from config.straight import App, HttpScope, Receive, Send, build_request

FORM_OVERHEAD = 1024 * 1024  # of a file's form: its other fields and its borders
READ_ANYWAY = 64 * 1024  # bytes that the server has received before it asks us
OF_THE_API = ("/api/", "/v1/")


class TooManyBytes(Exception):
    """The client has sent more than it may."""


class BodyBound(NamedTuple):
    size: int
    problem: type[Problem]


class BodyLimit:
    """Answers 401 to a stranger's body before it is read, and 413 as soon as a body exceeds its limit.

    A stranger's is read only where it is small: a sign-in form, or what the server has received anyway.
    """

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        length = expected_length(dict(scope["headers"]))
        try:
            limit = await limit_for(scope, length)
        except Exception as error:
            if (problem := problem_for(error)) is None:
                raise
            await refuse(send, problem)
            return
        if length is not None and length > limit.size:
            await refuse(send, limit.problem())
            return
        try:
            await self.app(scope, count_bytes(receive, limit.size), send)
        except TooManyBytes:
            await refuse(send, limit.problem())


def expected_length(headers: dict[bytes, bytes]) -> int | None:
    """As it is declared; None where it may have any."""
    declared = headers.get(b"content-length", b"")
    if declared.isdigit() and len(declared) < 20:
        return int(declared)
    return None if declared or b"transfer-encoding" in headers else 0


async def limit_for(scope: HttpScope, length: int | None) -> BodyBound:
    """Raises Unauthenticated for a body that nobody known sends to the API."""
    plain = BodyBound(settings.DATA_UPLOAD_MAX_MEMORY_SIZE or 0, BodyTooLarge)
    if length is not None and length <= READ_ANYWAY:
        return plain
    is_api = scope["path"].startswith(OF_THE_API)
    brings_file = is_multipart(dict(scope["headers"]).get(b"content-type", b""))
    if not is_api and not brings_file:
        return plain
    if await in_thread(comes_from_somebody, scope):
        return BodyBound(settings.MAX_UPLOAD_BYTES + FORM_OVERHEAD, FileTooLarge) if brings_file else plain
    if is_api:
        raise Unauthenticated
    return plain


def comes_from_somebody(scope: HttpScope) -> bool:
    """Whether there is a usable key or session. What its holder may do is for the view to say."""
    request = build_request(scope, BytesIO())
    if (secret := bearer_of(request)) is not None:
        return keys.membership_of_key(secret) is not None
    return request.user.is_authenticated and request.user.is_active


def count_bytes(receive: Receive, limit: int) -> Receive:
    received = 0

    async def counting() -> Any:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > limit:
            raise TooManyBytes
        return message

    return counting


async def refuse(send: Send, problem: Problem) -> None:
    """Whoever goes on sending is heard out to a point, and not listened to: hung up on, they would not see the answer
    (`BoundedProtocol`)."""
    response = problem_response(problem)
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in response.items()]
    headers += [(b"cache-control", b"no-store"), (b"x-content-type-options", b"nosniff")]
    await send({"type": "http.response.start", "status": problem.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})
