"""Connections to the database of the index: kept between calls, each call with a deadline of its own.

No thread of their own, so they survive a fork (a child opens its own), and nothing is left set on one: what a call
needs is set for its transaction alone, as a pooler in transaction mode demands (ADR 0018).
"""

import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from psycopg import Connection, OperationalError
from psycopg.adapt import Dumper
from psycopg.pq import Format

CONNECT_SECONDS = 2  # the least that libpq knows


class HalfVector(bytes):
    """A `halfvec` in the binary form of the wire: as text, 1,536 numbers take a millisecond to write."""


class _HalfVectorDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: HalfVector) -> bytes:
        return bytes(obj)


class PatientConnection(Connection[Any]):
    """Waits for the server until `deadline` (monotonic seconds): one that is frozen never answers, nor times out."""

    deadline = float("inf")

    def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        if self.deadline != float("inf"):
            kwargs["timeout"] = max(0.001, self.deadline - time.monotonic())
        return super().wait(gen, *args, **kwargs)


class ConnectionPool:
    """At most `most` connections of this process to one database; the one that was used last goes out first."""

    def __init__(self, url: str, most: int) -> None:
        self._url, self._most = url, most
        self._begin()

    def _begin(self) -> None:
        """In this process, with none: after a fork those of the parent would be garbled by both."""
        self._free: deque[PatientConnection] = deque()
        self._places = threading.BoundedSemaphore(self._most)
        self._pid = os.getpid()

    @contextmanager
    def lent(self, seconds: float, *, fresh: bool = False) -> Iterator[PatientConnection]:
        """One for a call of at most `seconds`; `fresh`: no kept one, and the kept ones go. OperationalError."""
        if self._pid != os.getpid():
            self._begin()
        places = self._places
        if not places.acquire(timeout=seconds):
            raise OperationalError("every connection to the index's database is in use")
        try:
            connection = self._taken(fresh)
            connection.deadline = time.monotonic() + seconds
            try:
                yield connection
            except BaseException:
                connection.close()
                raise
            connection.deadline = float("inf")
            self._free.append(connection)
        finally:
            places.release()

    def _taken(self, fresh: bool) -> PatientConnection:
        if fresh:
            self.close()
        while self._free:
            connection = self._free.pop()
            if not connection.closed:
                return connection
        connection = PatientConnection.connect(
            self._url,
            autocommit=True,
            prepare_threshold=None,  # a pooler would send the statement to a connection that has not prepared it
            connect_timeout=CONNECT_SECONDS,
            application_name="acervo index",
        )
        connection.adapters.register_dumper(HalfVector, _HalfVectorDumper)
        return connection

    def close(self) -> None:
        """Close those that are not lent out; idempotent."""
        while self._free:
            self._free.pop().close()
