"""One connection pool per event loop, closed when that loop ends."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class PerLoop(Generic[T]):
    """Opens a resource on first use in an event loop and closes it when that loop shuts down.

    A pool cannot serve two loops (the server's, a command's `asyncio.run`, a test's). Its end is tied to the
    loop by a suspended async generator: `asyncio.Runner`, asgiref and uvicorn all run `shutdown_asyncgens`,
    so nobody has to remember to close it.
    """

    def __init__(self, opener: Callable[..., T], closer: Callable[[T], Awaitable[None]]) -> None:
        self._opener, self._closer = opener, closer
        self._held: dict[tuple[Hashable, ...], tuple[AsyncGenerator[T, None], T]] = {}

    async def get(self, *key: Hashable) -> T:
        """The resource `opener(*key)` of the running loop."""
        loop = asyncio.get_running_loop()
        if (found := self._held.get((loop, *key))) is not None:
            return found[1]
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
            await self._closer(value)

    def _forget_closed_loops(self) -> None:
        for key in list(self._held):
            if isinstance(loop := key[0], asyncio.AbstractEventLoop) and loop.is_closed():
                self._held.pop(key, None)
