"""How long a model may take, how much it may send, when it is asked again (RELIABILITY, table of faults)."""

import asyncio
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeVar

from agents.llm.base import ModelTimeout, ModelUnavailable, StreamEvent

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Seconds and bytes for one answer.

    `first_token` and `idle` count from the last sign of life; `total` spans all attempts. `longest_wait`
    bounds what a Retry-After may ask for: beyond it the question fails at once instead of hanging.
    """

    connect: float = 5.0
    first_token: float = 60.0
    idle: float = 30.0
    total: float = 300.0
    retries: int = 2
    backoff: float = 0.25
    longest_wait: float = 8.0
    line_bytes: int = 1_000_000
    response_bytes: int = 16_000_000


Attempt = Callable[[float], AsyncGenerator[StreamEvent, None]]


async def stream_with_retries(attempt: Attempt, limits: CallLimits) -> AsyncGenerator[StreamEvent, None]:
    """The events of `attempt(deadline)`, tried again while it is unavailable and has not said anything yet.

    `deadline` is in the event loop's time. Raises what the last attempt raised.
    """
    deadline = asyncio.get_running_loop().time() + limits.total
    for tried in range(limits.retries + 1):
        started = False
        try:
            async with aclosing(attempt(deadline)) as events:
                async for event in events:
                    started = True
                    yield event
            return
        except ModelUnavailable as error:
            pause = _pause(error, tried, limits)
            if started or tried == limits.retries or pause > limits.longest_wait or _passed(deadline - pause):
                raise
        await asyncio.sleep(pause)


def _pause(error: ModelUnavailable, tried: int, limits: CallLimits) -> float:
    """Full jitter on top of an exponential floor, so that many streams do not return in step."""
    if error.retry_after is not None:
        return error.retry_after
    jitter = 1 + random.random()  # noqa: S311 - no secret
    return float(limits.backoff * 2**tried * jitter)


def _passed(moment: float) -> bool:
    return asyncio.get_running_loop().time() >= moment


async def finish_before(moment: float, awaitable: Awaitable[T]) -> T:
    """The result, or `ModelTimeout` once the event loop's clock passes `moment`; the awaited is cancelled."""
    try:
        async with asyncio.timeout_at(moment):
            return await awaitable
    except TimeoutError as error:
        raise ModelTimeout from error
