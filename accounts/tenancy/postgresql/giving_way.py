"""Tables are changed while people use them: a migration gives way before a request is given up because of it.

A request that waits behind a migration while the migration waits behind the request is a deadlock. PostgreSQL looks
for one when somebody has waited for `deadlock_timeout`, once, and gives up whoever looked: often the request, which is
a 503. So a transaction that changes tables waits for all its locks together for less than that: nobody who has come to
stand behind it looks while it still waits. If that was not enough it is taken back, everybody passes, and it begins
again.
"""

import random
import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Self, TypeVar

from django.core.management.base import CommandError
from django.db.backends.postgresql.schema import DatabaseSchemaEditor
from django.db.utils import OperationalError
from psycopg.errors import DeadlockDetected, LockNotAvailable

SHARE = 0.7  # of `deadlock_timeout`; the rest is for a machine that has other things to do
LONG = 3.0  # times `deadlock_timeout`: autovacuum yields to nobody who has waited for less than one
BRIEFLY_FOR, GIVES_UP_AFTER = 30.0, 300.0  # seconds of attempts
HELD = (
    "somebody has held a table for minutes (a backup? an open transaction?). Nothing of it is done: run it again later."
)

T = TypeVar("T")


class GivingWay(DatabaseSchemaEditor):
    """Django's editor, whose transaction holds locks briefly and waits for them briefly.

    Statements are gathered and sent together, before whatever else is asked of the connection and at the end: between
    two operations of a migration Django makes its models anew, which takes longer than the statements do.
    """

    connection: Any  # ours, which has `lock_patience`

    def __enter__(self) -> Self:
        super().__enter__()
        self._gathered: list[tuple[str, Any]] = []
        self._began = 0.0
        self._listening = ExitStack()
        self._listening.enter_context(self.connection.execute_wrapper(self._after_what_is_gathered))
        return self

    def execute(self, sql: Any, params: Any = ()) -> None:
        """At once outside a transaction: there is one statement with one lock, and nothing that it holds meanwhile."""
        if self.atomic_migration and not self.collect_sql:
            self._gathered.append((str(sql), params))
        else:
            super().execute(sql, params)

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        """What Django leaves to the end is sent here: it would not take the transaction back if that failed."""
        with self._listening:
            try:
                if kind is None:
                    for sql in self.deferred_sql:
                        self.execute(sql, None)
                    self.deferred_sql = []
                    self._send()
            except BaseException as failure:
                kind, error, traceback = type(failure), failure, failure.__traceback__
                raise
            finally:
                self._gathered = []
                super().__exit__(kind, error, traceback)

    def _after_what_is_gathered(self, execute: Any, *statement: Any) -> Any:
        self._send()
        return execute(*statement)

    def _send(self) -> None:
        gathered, self._gathered = self._gathered, []
        for sql, params in gathered:
            self._began = self._began or time.monotonic()
            left = self.connection.lock_patience - (time.monotonic() - self._began)
            with self.connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL lock_timeout = {max(1, round(1000 * left))}")  # 0 would be for ever
            super().execute(sql, params)


def until_it_passes(connection: Any, what: str, change: Callable[[], T]) -> T:
    """What the change returns, once it had its locks; CommandError when somebody holds one for minutes."""
    began, patience = time.monotonic(), deadlock_timeout(connection)
    while True:
        so_far = time.monotonic() - began
        connection.lock_patience = patience * (SHARE if so_far < BRIEFLY_FOR else LONG)
        try:
            return change()
        except OperationalError as error:
            if not isinstance(error.__cause__, LockNotAvailable | DeadlockDetected):
                raise
            if so_far > GIVES_UP_AFTER:
                raise CommandError(f"{what}: {HELD}") from error
        time.sleep(random.uniform(0.1, 0.5))  # noqa: S311 - so as not to meet the same request in the same place


def deadlock_timeout(connection: Any) -> float:
    """Seconds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT setting::integer FROM pg_settings WHERE name = 'deadlock_timeout'")
        return float(cursor.fetchone()[0]) / 1000
