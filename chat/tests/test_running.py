"""The wait for a model ends by a stop or at the deadline, each once, and never in the middle of a sending."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from agents.llm.base import ModelTimeout
from chat.stream.running import Running


async def said(*pieces: str) -> AsyncGenerator[str, None]:
    """The pieces, and then nothing for a minute."""
    for piece in pieces:
        yield piece
    await asyncio.sleep(60)


def cancellations() -> int:
    task = asyncio.current_task()
    assert task is not None
    return task.cancelling()


async def test_the_deadline_ends_a_wait() -> None:
    running = Running()
    with pytest.raises(ModelTimeout):
        async for _ in running.until_stopped(said(), running.loop.time() + 0.05):
            pass
    assert cancellations() == 0


async def test_a_deadline_that_passes_while_a_piece_is_sent_waits_for_it() -> None:
    running, sent = Running(), []

    async def sending_slowly() -> None:
        async for piece in running.until_stopped(said("one", "two"), running.loop.time() + 0.05):
            await asyncio.sleep(0.1)
            sent.append(piece)

    with pytest.raises(ModelTimeout):
        await sending_slowly()
    assert sent == ["one"]
    assert cancellations() == 0


async def test_a_stop_at_the_moment_of_the_deadline_is_a_stop() -> None:
    running = Running()
    moment = running.loop.time() + 0.05
    running.loop.call_at(moment, running.stop)
    running.loop.call_at(moment, running.stop)
    pieces = [piece async for piece in running.until_stopped(said("one"), moment + 0.001)]
    assert pieces == ["one"]
    assert running.stopped
    assert cancellations() == 0


async def test_somebody_else_s_cancellation_is_theirs() -> None:
    running = Running()

    async def listening() -> None:
        async for _ in running.until_stopped(said(), running.loop.time() + 60):
            pass

    task = asyncio.create_task(listening())
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_ends_by_itself_leaves_no_timer() -> None:
    running = Running()

    async def short() -> AsyncGenerator[str, None]:
        yield "one"

    assert [piece async for piece in running.until_stopped(short(), running.loop.time() + 0.05)] == ["one"]
    await asyncio.sleep(0.1)
    assert cancellations() == 0
