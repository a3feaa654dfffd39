"""What a command notices of its terminal's end while a server carries it out: as Ctrl+C would, it stops.

A thread cannot be stopped from outside, so long work asks (`stop_if_hung_up`) wherever it tells of its progress.
Where a command runs in a process of its own, nothing here does anything.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")


class HungUp(KeyboardInterrupt):
    """Who typed the command is gone."""


class CommandLine:
    """The connection of one relayed command. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_cut = False
        self._then: list[Callable[[], Any]] = []

    @property
    def is_cut(self) -> bool:
        return self._is_cut

    def cut(self) -> None:
        """The other end is gone; idempotent."""
        with self._lock:
            self._is_cut, waiting = True, self._then
            self._then = []
        for act in waiting:
            act()

    def when_cut(self, act: Callable[[], Any]) -> None:
        """Once, from another thread; at once where it is cut already."""
        with self._lock:
            if not self._is_cut:
                self._then.append(act)
                return
        act()


_line: ContextVar[CommandLine | None] = ContextVar("line", default=None)


@contextmanager
def on_line(line: CommandLine) -> Iterator[None]:
    """What runs inside belongs to this connection."""
    token = _line.set(line)
    try:
        yield
    finally:
        _line.reset(token)


def stop_if_hung_up() -> None:
    """Raises HungUp in a relayed command whose terminal is gone."""
    if (line := _line.get()) is not None and line.is_cut:
        raise HungUp


def run_while_connected(work: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run`, cancelled when the terminal goes. Raises HungUp then."""
    line = _line.get()
    if line is None:
        return asyncio.run(work)
    try:
        return asyncio.run(_cancelled_with(line, work))
    except asyncio.CancelledError:
        raise HungUp from None


async def _cancelled_with(line: CommandLine, work: Coroutine[Any, Any, T]) -> T:
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)

    def cancel() -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(task.cancel)

    line.when_cut(cancel)
    return await task
