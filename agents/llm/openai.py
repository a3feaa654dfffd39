"""Streams answers from any OpenAI-compatible `/chat/completions`: OpenAI, Ollama, vLLM, … (SPEC §5).

Our own reader instead of the SDK's iterator, because relaying tokens is what Acervo does most: measured, the
SDK costs 0.51 CPU seconds per 1,000 tokens and aiohttp with orjson 0.085 (PERFORMANCE). Whole answers go through the
SDK (`openai_whole`).
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

import aiohttp

from agents.llm import cadence, failures
from agents.llm.base import (
    Completion,
    Finished,
    ModelInterrupted,
    ModelRequest,
    ModelTimeout,
    ModelUnavailable,
    StreamEvent,
    TextDelta,
)
from agents.llm.chat_chunks import ChatChunks
from agents.llm.dialect import Dialect, dialect_of, remember, without_thinking
from agents.llm.limits import CallLimits, finish_before, stream_with_retries
from config.concurrency.loops import PerLoop
from config.observability.tracing import carried

DEFAULT_BASE_URL = "https://api.openai.com/v1"
AFTER_FINISH = 5.0  # seconds to wait for usage and [DONE] after the provider named a finish reason
DRAIN = 0.25  # seconds to wait for the end of the response, without which the connection cannot be reused


def _open_session() -> aiohttp.ClientSession:
    """Keep-alive without a cap: a stream holds a connection, and 2,000 must not wait for each other."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30, ttl_dns_cache=60),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": "acervo", "Accept": "text/event-stream", "Accept-Encoding": "identity"},
    )


_SESSIONS = PerLoop(_open_session, aiohttp.ClientSession.close)


class OpenAIClient:
    """A `ModelClient` for one model at one endpoint. An empty key sends none (a local server)."""

    def __init__(self, model: str, base_url: str = "", api_key: str = "", limits: CallLimits | None = None) -> None:
        """Raises `ModelNotConfigured` for an endpoint that may not be called (R20)."""
        self.model = model
        self._endpoint, self._api_key = failures.usable_endpoint(base_url or DEFAULT_BASE_URL), api_key
        self._url = self._endpoint + "/chat/completions"
        self._limits = limits or CallLimits()
        self._headers = {"Content-Type": "application/json"}
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"

    def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        """See `ModelClient`. Unavailable before the first text is tried twice more, nothing after it."""

        asked = without_thinking(self.model, request)

        def attempt(deadline: float) -> AsyncGenerator[StreamEvent, None]:
            return self._attempt(asked, deadline)

        return stream_with_retries(attempt, self._limits)

    async def complete(self, request: ModelRequest) -> Completion:
        """See `ModelClient`."""
        from agents.llm.openai_whole import complete_chat

        asked = without_thinking(self.model, request)
        return await complete_chat(self._endpoint, self._api_key, self.model, asked)

    async def _attempt(self, request: ModelRequest, deadline: float) -> AsyncGenerator[StreamEvent, None]:
        first = min(deadline, asyncio.get_running_loop().time() + self._limits.first_token)
        response = await self._ask(request, first)
        chunks = ChatChunks(request.max_tokens, self._limits.line_bytes, self._limits.response_bytes)
        try:
            with cadence.counted():
                async with aclosing(self._texts(response, chunks, first, deadline)) as texts:
                    async for text in texts:
                        yield TextDelta(text)
                        if not chunks.finish_reason:
                            await cadence.rest(response)
            for wish in chunks.wishes.made if request.tools else ():
                yield wish
            if chunks.usage is not None:
                yield chunks.usage
            yield Finished(chunks.finish_reason or "stop")
            await _drain(response)
        finally:
            response.close()  # at once, also when cancelled; one read to its end is already back in the pool

    async def _ask(self, request: ModelRequest, first: float) -> aiohttp.ClientResponse:
        """A response with status 200; after a 400, asked again without what the endpoint may not know."""
        dialect = dialect_of(self._endpoint, self.model)
        while True:
            response = await self._post(dialect.body(self.model, request), first)
            if response.status == 200:
                remember(self._endpoint, self.model, dialect, request)
                return response
            dialect = await self._simpler(response, dialect, request, first)

    async def _simpler(
        self, response: aiohttp.ClientResponse, dialect: Dialect, request: ModelRequest, first: float
    ) -> Dialect:
        """The dialect to ask again in; otherwise the status as our error. The body is read, never shown."""
        error = failures.from_status(response.status, response.headers)
        try:
            if response.status not in failures.REFUSALS:
                raise error
            simpler = dialect.simpler(await finish_before(first, response.content.read(65_536)), request)
        except aiohttp.ClientError as broken:
            raise error from broken
        finally:
            response.close()
        if simpler is None:
            raise error
        return simpler

    async def _post(self, body: bytes, first: float) -> aiohttp.ClientResponse:
        session = await _SESSIONS.get()
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=self._limits.connect)
        headers = {**self._headers, **carried()}
        call = session.post(self._url, data=body, headers=headers, timeout=timeout, allow_redirects=False)
        try:
            return await finish_before(first, call)
        except (aiohttp.ClientError, OSError) as error:
            raise ModelUnavailable from error

    async def _texts(
        self, response: aiohttp.ClientResponse, chunks: ChatChunks, first: float, deadline: float
    ) -> AsyncGenerator[str, None]:
        """The text of each read, until the answer is complete. `first` and `deadline` in the loop's time."""
        now = asyncio.get_running_loop().time
        limit, said, seen = first, False, 0
        while not chunks.done:
            if not (received := await self._read(response, chunks, limit, said)):
                break
            text = chunks.feed(received)
            del received  # some kilobytes where many rest, which are not read again
            if text:
                said = True
                yield text
            if chunks.failed:
                raise ModelInterrupted if said else ModelUnavailable
            if chunks.chunks > seen:  # comments are no sign of life, thoughts are
                seen = chunks.chunks
                limit = min(deadline, now() + (AFTER_FINISH if chunks.finish_reason else self._limits.idle))
        if text := chunks.finish():
            yield text
        if not (chunks.done or chunks.finish_reason):
            raise ModelInterrupted if said or text else ModelUnavailable

    @staticmethod
    async def _read(response: aiohttp.ClientResponse, chunks: ChatChunks, limit: float, said: bool) -> bytes:
        """What has arrived; empty at the end. Once the answer is complete, a broken or idle end is an end."""
        try:
            return await finish_before(limit, response.content.readany())
        except (aiohttp.ClientError, OSError) as error:
            if chunks.finish_reason:
                return b""
            raise ModelInterrupted if said else ModelUnavailable from error
        except ModelTimeout:
            if chunks.finish_reason:
                return b""
            raise


async def _drain(response: aiohttp.ClientResponse) -> None:
    """Read past [DONE] to the end, so that the next question needs no new connection and handshake."""
    with suppress(aiohttp.ClientError, OSError, TimeoutError):
        async with asyncio.timeout(DRAIN):
            while await response.content.readany():
                pass
