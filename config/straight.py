"""The short way in: Django's asynchronous views, served without the middleware chain.

The chain's middlewares are synchronous. Under ASGI each one changes threads on the way in and out, and the request
keeps a thread of its own until its last byte: 2 to 3 ms of the time to the first token, and a thread for every open
stream. The asynchronous views (chat, retrieval, the OpenAI-compatible face) authenticate, check CSRF and answer with
problems themselves (`accounts.http.principal`), so all they need is a request with its session within reach.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from importlib import import_module
from typing import IO, Any

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.core.exceptions import DisallowedHost, RequestAborted
from django.core.handlers.asgi import ASGIHandler, ASGIRequest
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.urls import Resolver404, ResolverMatch, resolve
from django.utils import translation
from django.utils.functional import SimpleLazyObject

from accounts.http.frames import FramedResponse
from accounts.http.middleware import SCOPED, with_headers
from accounts.http.principal import user_of
from accounts.problems import HttpsRequired, InternalError, problem_response
from accounts.tenancy.scope import request_scope
from config.concurrency.threads import KeptThreads
from config.faults import describe_error

logger = logging.getLogger(__name__)

HttpScope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
App = Callable[[HttpScope, Receive, Send], Awaitable[None]]


class StraightToAsyncViews:
    """Serves asynchronous views itself and hands everything else to Django's own handler."""

    def __init__(self, handler: ASGIHandler) -> None:
        self.handler = handler
        self.threads = KeptThreads()

    async def __call__(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        with request_scope():  # also while the body of an answer is sent, after every middleware
            await self.serve({**scope, SCOPED: True}, receive, send)

    async def serve(self, scope: HttpScope, receive: Receive, send: Send) -> None:
        match = asynchronous_view(scope) if scope["type"] == "http" else None
        if match is None:
            async with self.threads.one():
                await self.handler(scope, receive, send)
            return
        with suppress(RequestAborted):
            body = await self.handler.read_body(receive)
            await self.until_disconnect(receive, self.answer(scope, body, match, send))

    async def answer(self, scope: HttpScope, body: IO[bytes], match: ResolverMatch, send: Send) -> None:
        response = await response_to(scope, body, match)
        if not isinstance(response, FramedResponse):
            await self.handler.send_response(response, send)
            return
        frames = response.frames
        await send(start_message(response))
        del response
        await self.send_frames(frames, send)

    async def send_frames(self, frames: AsyncGenerator[bytes, None], send: Send) -> None:
        """In Django's chunks: the server waits for a reader before the next one, and only so is noticed who stalls."""
        async with aclosing(frames):
            async for frame in frames:
                for chunk, _is_last in self.handler.chunk_bytes(frame):
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
        await send({"type": "http.response.body"})

    async def until_disconnect(self, receive: Receive, answering: Awaitable[None]) -> None:
        """Run the answer; cancel it when the client goes away, and wait until it has cleaned up."""
        answer = asyncio.ensure_future(answering)
        listener = asyncio.ensure_future(receive())
        try:
            await asyncio.wait([answer, listener], return_when=asyncio.FIRST_COMPLETED)
        finally:
            listener.cancel()
            if not answer.done():
                answer.cancel()
            with suppress(asyncio.CancelledError):
                await answer


class OnOneThread(ASGIHandler):
    """Django's handler with the view and the middlewares around it on one thread.

    Its own makes the innermost part asynchronous, and with it every middleware that can be: some twenty changes of
    threads a request. Here only those at the top are asynchronous that cannot be otherwise.
    """

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    def adapt_method_mode(
        self, is_async: bool, method: Any, method_is_async: bool | None = None, debug: bool = False, name: Any = None
    ) -> Any:
        """As Django does, but what is asynchronous stays so: the chain is awaited from its top."""
        if not is_async and method_is_async:
            return method
        return super().adapt_method_mode(is_async, method, method_is_async, debug, name)


def start_message(response: HttpResponseBase) -> dict[str, Any]:
    headers = [(name.encode("ascii"), value.encode("latin-1")) for name, value in response.items()]
    return {"type": "http.response.start", "status": response.status_code, "headers": headers}


def asynchronous_view(scope: HttpScope) -> ResolverMatch | None:
    try:
        match = resolve(scope["path"])
    except Resolver404:
        return None
    match.tried = None  # a list for each pattern before it, which only Django's page about unknown addresses shows
    return match if iscoroutinefunction(match.func) else None


def build_request(scope: HttpScope, body: IO[bytes]) -> ASGIRequest:
    """The request with what the session and authentication middlewares would have put on it, loaded on demand."""
    request = ASGIRequest(scope, body)
    sessions = import_module(settings.SESSION_ENGINE)
    request.session = sessions.SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    request.user = SimpleLazyObject(lambda: user_of(request))  # type: ignore[assignment]
    return request


async def response_to(scope: HttpScope, body: IO[bytes], match: ResolverMatch) -> HttpResponseBase:
    """Nothing of the request is kept by then: the answer may be sent for minutes, beside hundreds of others."""
    request = build_request(scope, body)
    request.resolver_match = match
    translation.activate(translation.get_language_from_request(request))  # of this task's context only
    try:
        return with_headers(request, await respond(request, match))
    finally:
        body.close()
        del request.user  # who is looked up refers to the request: both would wait for the garbage collector


async def respond(request: ASGIRequest, match: ResolverMatch) -> HttpResponseBase:
    try:
        request.get_host()
    except DisallowedHost:
        return HttpResponse(status=400)
    if settings.HTTPS and not request.is_secure():
        return problem_response(HttpsRequired())
    try:
        response: HttpResponseBase = await match.func(request, *match.args, **match.kwargs)
    except Exception as error:
        logger.error("%s failed: %s", match.view_name or match.route, describe_error(error))
        return problem_response(InternalError())
    return response
