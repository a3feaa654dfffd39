"""Turns at something that is scarce, in a line for each owner: who asks much waits for himself."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

Line = deque[asyncio.Future[None]]


class Turns:
    """At most `places` at once in all, and at most `each` of one owner; of one event loop.

    A place that becomes free goes to the owner who has the fewest; of several to the one who was served longest ago.
    So a line of a thousand delays another owner by one turn, and not by a thousand.
    """

    def __init__(self, places: int, each: int) -> None:
        self._free, self._each = places, each
        self._held: Counter[Hashable] = Counter()
        self._lines: dict[Hashable, Line] = {}  # in the order in which their owners were served

    @asynccontextmanager
    async def turn(self, owner: Hashable) -> AsyncIterator[None]:
        """Wait until it is `owner`'s turn, and hold it while the block lasts."""
        await self._take(owner)
        try:
            yield
        finally:
            self._give_back(owner)

    async def _take(self, owner: Hashable) -> None:
        if self._free and self._held[owner] < self._each and owner not in self._lines:
            self._hold(owner)
            return
        called = asyncio.get_running_loop().create_future()
        self._lines.setdefault(owner, deque()).append(called)
        try:
            await called
        except asyncio.CancelledError:
            if called.done() and not called.cancelled():  # called in the very moment in which the owner left
                self._give_back(owner)
            else:
                self._leave(owner, called)
            raise

    def _hold(self, owner: Hashable) -> None:
        self._free -= 1
        self._held[owner] += 1

    def _give_back(self, owner: Hashable) -> None:
        self._free += 1
        self._held[owner] -= 1
        if not self._held[owner]:
            del self._held[owner]
        self._call_next()

    def _call_next(self) -> None:
        while self._free:
            waiting = [owner for owner in self._lines if self._held[owner] < self._each]
            if not waiting:
                return
            owner = min(waiting, key=lambda one: self._held[one])
            line = self._lines.pop(owner)
            called = line.popleft()
            if line:
                self._lines[owner] = line  # at the end: the others are served before
            if not called.done():  # else it was cancelled, and has not run since
                self._hold(owner)
                called.set_result(None)

    def _leave(self, owner: Hashable, called: asyncio.Future[None]) -> None:
        line = self._lines.get(owner, deque())
        if called in line:
            line.remove(called)
        if not line:
            self._lines.pop(owner, None)
