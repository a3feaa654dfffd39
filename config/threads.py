"""The threads of requests. Asynchronous views do their database work in a small pool that gives connections back:
an open stream holds no connection and no thread while the model talks (RELIABILITY fact 3). A synchronous view has a
thread to itself, which stays for the next one.
"""

from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import ParamSpec, TypeVar

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.db import close_old_connections

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 4
_executor = ThreadPoolExecutor(THREADS, thread_name_prefix="request")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run synchronous work in the pool with this task's context variables (language, request id)."""

    def releasing() -> T:
        close_old_connections()
        try:
            return work(*args, **kwargs)
        finally:
            close_old_connections()

    return await sync_to_async(releasing, thread_sensitive=False, executor=_executor)()


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
