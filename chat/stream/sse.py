"""Server-sent events: one event as bytes, and a stream of them that never falls silent (SPEC §5)."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any

import orjson

from chat.stream.events import Event, Token

KEEP_ALIVE = b": keep-alive\n\n"
BUFFERED_BYTES = 32_768  # how far the answer may run ahead of its reader
OPTIONAL = frozenset({"granularity", "evaluation", "degraded"})  # left out when None


def frame(event: Event) -> bytes:
    """One event as its line group. Tokens, nearly all frames, take the short way (≤ 100 bytes each)."""
    if type(event) is Token:
        return b'event: token\ndata: {"token":%b,"attempt":%d}\n\n' % (
            orjson.dumps(event.token),
            event.attempt,
        )
    body = orjson.dumps(_fields(event), default=dict)
    return b"event: %b\ndata: %b\n\n" % (event.event.encode(), body)


def _fields(event: Event) -> dict[str, Any]:
    fields = {name: getattr(event, name) for name in event.__slots__}
    return {name: value for name, value in fields.items() if value is not None or name not in OPTIONAL}


async def keep_alive(
    frames: AsyncGenerator[bytes, None], every: float = 15.0, stalled: float = 60.0
) -> AsyncGenerator[bytes, None]:
    """The frames of `frames`, with a comment whenever `every` seconds pass without one.

    A task of its own drains `frames` into a small buffer, so waiting never cancels it, its deadlines hold
    while the reader dawdles, and frames that pile up leave in one write. When the consumer stops, or has
    taken nothing from a full buffer for `stalled` seconds (RELIABILITY fact 7), `frames` is cancelled where
    it waits, and its `finally` has run before this returns. What `frames` raises, this raises after its last
    frame.
    """
    pipe = _Pipe()
    pump = asyncio.create_task(_pump(frames, pipe, stalled))
    try:
        while (block := await pipe.take(every)) is not None:
            yield block
        await pump
    finally:
        pump.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await pump


async def _pump(frames: AsyncGenerator[bytes, None], pipe: "_Pipe", stalled: float) -> None:
    try:
        async for block in frames:
            if pipe.put(block) > BUFFERED_BYTES:
                async with asyncio.timeout(stalled):
                    await pipe.room.wait()
    except TimeoutError:
        if pipe.room.is_set():  # not ours: the frames themselves timed out
            raise
    finally:
        await frames.aclose()
        pipe.end()


class _Pipe:
    """Frames on their way from the answer to its reader."""

    def __init__(self) -> None:
        self.room = asyncio.Event()
        self.room.set()
        self._blocks: list[bytes] = []
        self._size = 0
        self._ended = False
        self._reader: asyncio.Future[None] | None = None

    def put(self, block: bytes) -> int:
        """Append; the bytes that now wait. The caller must wait for `room` when that is too many."""
        self._blocks.append(block)
        self._size += len(block)
        if self._size > BUFFERED_BYTES:
            self.room.clear()
        self._wake()
        return self._size

    def end(self) -> None:
        self._ended = True
        self._wake()

    def _wake(self) -> None:
        if self._reader is not None and not self._reader.done():
            self._reader.set_result(None)

    async def take(self, every: float) -> bytes | None:
        """All that waits, a comment after `every` seconds of nothing, or None at the end."""
        if not self._blocks and not self._ended:
            await self._something(every)
        if not self._blocks:
            return None if self._ended else KEEP_ALIVE
        taken = b"".join(self._blocks)
        self._blocks.clear()
        self._size = 0
        self.room.set()
        return taken

    async def _something(self, every: float) -> None:
        loop = asyncio.get_running_loop()
        self._reader = loop.create_future()
        timer = loop.call_later(every, self._wake)
        try:
            await self._reader
        finally:
            timer.cancel()
            self._reader = None
