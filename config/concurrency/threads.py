"""The threads of requests, in pools that do not wait for each other.

    in_thread     short work with the database: who asks, what is stored, what is stopped
    in_search     the part of a search that computes and reads: fair between organizations
    waiting       clients of networks that block their thread: fair, and bounded for each organization

What can be awaited is awaited, on no thread at all. An open stream holds neither a thread nor a connection while the
model talks (RELIABILITY fact 3). A synchronous view has a thread to itself, which stays for the next one.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from contextvars import copy_context
from functools import cached_property
from typing import Any, ParamSpec, TypeVar

from asgiref.sync import ThreadSensitiveContext
from django.conf import settings
from django.db import close_old_connections
from django.utils.translation import get_language, override

from config.concurrency.loops import PerLoop
from config.concurrency.turns import Turns

P = ParamSpec("P")
T = TypeVar("T")

WAITING_THREADS = 64  # as many as a client of Qdrant opens connections; started when they are needed


_wanted: set[object] = set()  # changed at once by whichever thread has a loop


def wanted() -> int:
    """Pieces of work of this process that threads compute now, or that wait for a thread to do so."""
    return len(_wanted)


@contextmanager
def _counted() -> Iterator[None]:
    one = object()
    _wanted.add(one)
    try:
        yield
    finally:
        _wanted.remove(one)


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run short synchronous work in the pool with this task's context variables (language, request id)."""
    with _counted():
        return await _run_in(_short.executor, work, *args, **kwargs)


async def in_search(owner: Hashable, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run the part of a search that computes and reads when it is `owner`'s turn."""
    with _counted():
        return await _searching.run(owner, work, *args, **kwargs)


async def _run_in(executor: ThreadPoolExecutor, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """On one of its threads, which gives its database connection back."""
    language = get_language()  # Django keeps it where another thread does not look, whatever its context

    def releasing() -> T:
        close_old_connections()
        try:
            with override(language):
                return work(*args, **kwargs)
        finally:
            close_old_connections()

    return await change_thread(executor, releasing)


async def change_thread(executor: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    """With a copy of this task's context. Asgiref's way, which also carries changed context variables home and the
    event loop along, takes twice as much CPU."""
    return await asyncio.get_running_loop().run_in_executor(executor, copy_context().run, work)


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """The result. Whoever is cancelled meanwhile hears of it when the work has ended: a thread cannot be called back,
    and what it makes must be there before it is closed."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # has been looked at
        raise


class Lane:
    """A pool of threads. With `each`, no owner has more of them than that, and those who wait are served in turns."""

    def __init__(self, name: str, threads: Callable[[], int], each: Callable[[], int] | None = None) -> None:
        self._name, self._threads = name, threads
        self._turns = PerLoop(lambda: Turns(threads(), each() if each else threads()))

    @cached_property
    def executor(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads(), thread_name_prefix=self._name)

    async def run(self, owner: Hashable, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `work` on a thread when it is `owner`'s turn."""
        async with (await self._turns.get()).turn(owner):
            return await _run_in(self.executor, work, *args, **kwargs)


_short = Lane("request", lambda: settings.THREADS)
_searching = Lane("search", lambda: settings.SEARCH_THREADS)
waiting = Lane("waiting", lambda: WAITING_THREADS, lambda: settings.SEARCHES_PER_ORGANIZATION)


class KeptThreads:
    """One thread for each request at a time, kept when it is free: Django would start and end one for every request,
    and with it, on SQLite, a connection of its own. Of one event loop; more requests at once have more threads.
    """

    KEPT = 8

    def __init__(self) -> None:
        self._free: list[ThreadPoolExecutor] = []

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        """All synchronous work inside the block runs on the same thread."""
        executor = self._free.pop() if self._free else ThreadPoolExecutor(1, thread_name_prefix="page")
        try:
            async with ThreadSensitiveContext(executor=executor):
                yield
        finally:
            if len(self._free) < self.KEPT:
                self._free.append(executor)
            else:
                executor.shutdown(wait=False)
