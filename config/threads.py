"""Where asynchronous views do their database work: a small pool of threads that give their connections back.

An open stream holds no connection and no thread while the model talks (RELIABILITY fact 3).
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async
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
