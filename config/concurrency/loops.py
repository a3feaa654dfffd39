"""Event loops: what is kept for each of them, and one of our own for callers that have none."""

import asyncio
import importlib
import os
import sys
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class PerLoop(Generic[T]):
    """Opens something on first use in an event loop, and closes it when that loop shuts down.

    A pool of connections cannot serve two loops (the server's, a command's `asyncio.run`, a test's). Its end is tied
    to the loop by a suspended async generator: `asyncio.Runner`, asgiref and uvicorn all run `shutdown_asyncgens`,
    so nobody has to remember to close it.
    """

    def __init__(self, opener: Callable[..., T], closer: Callable[[T], Awaitable[None]] | None = None) -> None:
        self._opener, self._closer = opener, closer
        self._held: dict[tuple[Hashable, ...], tuple[AsyncGenerator[T, None], T]] = {}

    async def get(self, *key: Hashable) -> T:
        """`opener(*key)` of the running loop."""
        loop = asyncio.get_running_loop()
        if (held := self._held.get((loop, *key))) is not None:
            return held[1]
        self._forget_closed_loops()
        holder = self._hold(key)
        value = await anext(holder)  # never suspends, so two tasks cannot both open
        self._held[(loop, *key)] = (holder, value)
        return value

    async def _hold(self, key: tuple[Hashable, ...]) -> AsyncGenerator[T, None]:
        value = self._opener(*key)
        try:
            yield value
        finally:
            if self._closer is not None:
                await self._closer(value)

    def _forget_closed_loops(self) -> None:
        for key in list(self._held):
            if isinstance(loop := key[0], asyncio.AbstractEventLoop) and loop.is_closed():
                self._held.pop(key, None)


class _OwnLoop:
    """A loop on a thread of its own, started when somebody first needs it. A forked child starts another."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pid = 0

    def running(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None or self._pid != os.getpid():
                self._loop, self._pid = asyncio.new_event_loop(), os.getpid()
                threading.Thread(target=self._loop.run_forever, name="waiting", daemon=True).start()
            return self._loop


_own = _OwnLoop()


async def import_off_loop(name: str) -> None:
    """Import what takes long without holding up everybody on the loop."""
    if name not in sys.modules:
        await asyncio.to_thread(importlib.import_module, name)


def block_on(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine, for a thread that has no loop: a worker's, a command's, a synchronous view's.

    It runs on one loop that the whole process shares, so connections are kept from call to call.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run_coroutine_threadsafe(work, _own.running()).result()
    work.close()
    raise RuntimeError("on an event loop, await instead: this would stop everybody on it")
