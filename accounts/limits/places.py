"""How many of what is heavy a process does at once: whoever only reads keeps the rest of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from accounts.problems import Busy
from config.concurrency.pooled import give_back_connection


class Places:
    """`at_once` in a process; who comes then waits up to `patience` seconds."""

    def __init__(self, at_once: int, patience: float) -> None:
        self._free, self._patience = BoundedSemaphore(at_once), patience

    @contextmanager
    def taken(self) -> Iterator[None]:
        """One of them, waited for without a connection to the database. Raises Busy."""
        if not self._free.acquire(blocking=False):
            give_back_connection()
            if not self._free.acquire(timeout=self._patience):
                raise Busy
        try:
            yield
        finally:
            self._free.release()
