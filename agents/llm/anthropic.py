"""Answers from Anthropic's Messages API through its SDK, imported at first use (40 MB, 1 s)."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, cast

from agents.llm import failures
from agents.llm.base import (
    Completion,
    Finished,
    ModelError,
    ModelInterrupted,
    ModelRequest,
    ModelUnavailable,
    StreamEvent,
    TextDelta,
    Usage,
)
from agents.llm.limits import CallLimits, finish_before, stream_with_retries
from agents.llm.tooling.blocks import Blocks, messages_with_rounds, offered, wishes_in
from config.concurrency.loops import PerLoop, import_off_loop
from config.observability.tracing import carried

if TYPE_CHECKING:
    import anthropic
    from anthropic.types import RawMessageStreamEvent

DEFAULT_BASE_URL = "https://api.anthropic.com"
RETRIES = 2  # of whole answers; streams have our own (`limits`)
DEFAULT_MAX_TOKENS = 4096  # the API requires a cap
# The API's version that the SDK speaks since 2.0 (2026-10-21) refuses any temperature, even the default; the one before
# it takes it, of models that do.
TAKES_TEMPERATURE = "2023-06-01"
HOTTEST = 1.0  # OpenAI's reaches 2
REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}
REFUSED = frozenset(
    {
        "invalid_request_error",
        "authentication_error",
        "permission_error",
        "not_found_error",
        "request_too_large",
    }
)


def _open_client(api_key: str, base_url: str, connect: float) -> "anthropic.AsyncAnthropic":
    """Our retries and deadlines, not the SDK's; no redirects (R20); no prompts in logs or spans (R24)."""
    import anthropic
    import httpx2

    logging.getLogger("anthropic").setLevel(logging.INFO)  # at DEBUG it logs whole requests
    logging.getLogger("httpx2").setLevel(logging.WARNING)  # at INFO it logs every request's line
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=100)
    timeout = httpx2.Timeout(None, connect=connect)
    return anthropic.AsyncAnthropic(
        api_key=api_key,
        base_url=base_url,
        max_retries=0,
        timeout=timeout,
        open_telemetry=False,
        http_client=anthropic.DefaultAsyncHttpxClient(follow_redirects=False, limits=limits, timeout=timeout),
    )


async def _close_client(client: "anthropic.AsyncAnthropic") -> None:
    await client.close()


_CLIENTS = PerLoop(_open_client, _close_client)
_WITHOUT_TEMPERATURE: set[tuple[str, str]] = set()  # endpoint and model; both come from settings and admins


class AnthropicClient:
    """A `ModelClient` for one Claude model."""

    def __init__(self, model: str, api_key: str, base_url: str = "", limits: CallLimits | None = None) -> None:
        """Raises `ModelNotConfigured` for an endpoint that may not be called (R20)."""
        self.model = model
        self._api_key, self._base_url = api_key, failures.usable_endpoint(base_url or DEFAULT_BASE_URL)
        self._limits = limits or CallLimits()

    def stream(self, request: ModelRequest) -> AsyncGenerator[StreamEvent, None]:
        """See `ModelClient`."""

        def attempt(deadline: float) -> AsyncGenerator[StreamEvent, None]:
            return self._attempt(request, deadline)

        return stream_with_retries(attempt, self._limits)

    async def complete(self, request: ModelRequest) -> Completion:
        """See `ModelClient`."""
        client = (await self._client()).with_options(max_retries=RETRIES)
        import anthropic

        try:
            message: anthropic.types.Message = await self._ask(client, request)
        except (anthropic.AnthropicError, ValueError) as error:
            raise _failure(error, said=False) from error
        text = "".join(block.text for block in message.content if block.type == "text")
        usage = Usage(_read_tokens(message.usage), message.usage.output_tokens)
        return Completion(text, usage, wishes_in(message.content))

    async def _attempt(self, request: ModelRequest, deadline: float) -> AsyncGenerator[StreamEvent, None]:
        await import_off_loop("anthropic")
        import anthropic
        import httpx2

        answer = _Answer()
        try:
            async with aclosing(self._events(request, deadline)) as events:
                async for event in events:
                    if text := answer.read(event):
                        yield TextDelta(text)
        except (anthropic.AnthropicError, httpx2.HTTPError, ValueError) as error:
            # While it streams, the SDK lets the HTTP client's errors and broken JSON through unwrapped.
            raise _failure(error, answer.said) from error
        if not answer.complete:
            raise ModelInterrupted if answer.said else ModelUnavailable
        for wish in answer.blocks.made if request.tools else ():
            yield wish
        yield Usage(answer.prompt_tokens, answer.completion_tokens)
        yield Finished(answer.reason)

    async def _events(self, request: ModelRequest, deadline: float) -> "AsyncGenerator[RawMessageStreamEvent, None]":
        """The SDK's events, each within its time; closing this generator closes the connection."""
        now = asyncio.get_running_loop().time
        limit = min(deadline, now() + self._limits.first_token)
        stream = await finish_before(limit, self._create(request))
        events = aiter(stream)
        try:
            while (event := await finish_before(limit, anext(events, None))) is not None:
                yield event
                if event.type == "content_block_delta":
                    limit = min(deadline, now() + self._limits.idle)
        finally:
            await stream.close()

    async def _create(self, request: ModelRequest) -> "anthropic.AsyncStream[RawMessageStreamEvent]":
        stream = await self._ask(await self._client(), request, stream=True)
        return cast("anthropic.AsyncStream[RawMessageStreamEvent]", stream)

    async def _ask(self, client: "anthropic.AsyncAnthropic", request: ModelRequest, **how: Any) -> Any:
        """With its temperature; a model that takes none (since Claude 4.7) is asked once more, and remembered."""
        import anthropic

        try:
            return await client.messages.create(**self._parameters(request), **how)
        except anthropic.BadRequestError as error:
            if not self._sends_temperature(request) or "temperature" not in error.message:
                raise
        _WITHOUT_TEMPERATURE.add((self._base_url, self.model))
        return await client.messages.create(**self._parameters(request), **how)

    def _sends_temperature(self, request: ModelRequest) -> bool:
        return request.temperature is not None and (self._base_url, self.model) not in _WITHOUT_TEMPERATURE

    async def _client(self) -> "anthropic.AsyncAnthropic":
        await import_off_loop("anthropic")
        return await _CLIENTS.get(self._api_key, self._base_url, self._limits.connect)

    def _parameters(self, request: ModelRequest) -> dict[str, Any]:
        said: dict[str, Any] = {
            "model": self.model,
            "max_tokens": request.max_tokens or DEFAULT_MAX_TOKENS,
            "messages": messages_with_rounds(request),
            **offered(request),
        }
        if request.system:
            said["system"] = request.system
        headers = carried()
        if request.schema is not None:
            said["output_config"] = {"format": {"type": "json_schema", "schema": dict(request.schema)}}
        if request.temperature is not None and self._sends_temperature(request):
            said["extra_body"] = {"temperature": min(HOTTEST, max(0.0, request.temperature))}
            headers["anthropic-version"] = TAKES_TEMPERATURE
        if headers:
            said["extra_headers"] = headers
        return said


class _Answer:
    """What the events have said so far."""

    def __init__(self) -> None:
        self.said = self.complete = False
        self.prompt_tokens = self.completion_tokens = 0
        self.reason = "stop"
        self.blocks = Blocks()

    def read(self, event: "RawMessageStreamEvent") -> str:
        """Take one event in; the text it carries, if any (thoughts are left out)."""
        self.blocks.feed(event)
        if event.type == "content_block_delta":
            text = event.delta.text if event.delta.type == "text_delta" else ""
            self.said = self.said or bool(text)
            return text
        if event.type == "message_start":
            self.prompt_tokens = _read_tokens(event.message.usage)
        elif event.type == "message_delta":
            self.completion_tokens = event.usage.output_tokens
            reason = event.delta.stop_reason or ""
            self.reason = REASONS.get(reason, reason or "stop")
        elif event.type == "message_stop":
            self.complete = True
        return ""


def _read_tokens(usage: "anthropic.types.Usage") -> int:
    """Cached ones are read, too."""
    return usage.input_tokens + (usage.cache_creation_input_tokens or 0) + (usage.cache_read_input_tokens or 0)


def _failure(error: Exception, said: bool) -> ModelError:
    """Our error for one of the SDK's; an error event inside a stream has status 200 and a type."""
    import anthropic

    if said:
        return ModelInterrupted()
    if not isinstance(error, anthropic.APIStatusError):
        return ModelUnavailable()
    if error.status_code == 200:
        return failures.from_status(400 if error.type in REFUSED else 500, {})
    return failures.from_status(error.status_code, error.response.headers)
