"""The database engine: each statement that reads or writes rows is sent with whom it runs for.

`SET LOCAL acervo.scope = '…'; SELECT …` is one message of the simple protocol. Outside a transaction the server takes
both as one, so the setting ends with the statement: what a pooler (pgbouncer in transaction mode, psycopg's pool) gives
to the next client has nothing left of it. Inside one it is sent with every statement as well: a savepoint that is
rolled back, or a scope that changes on the way, leaves nothing to keep track of. It costs some 10 µs (ADR 0016).

What is not known to read or write rows (DDL, savepoints, COPY) is sent as it is. Should it read rows after all, it is
in nobody's name and sees none.

A transaction's statements also say for how long its next one may be waited for: a machine that vanishes within it would
keep its locks, and everybody who waits for them, until TCP misses it. They travel with the statement for the same
reason: a pooler takes no settings of a connection.
"""

import re
import threading
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

from django.db import DEFAULT_DB_ALIAS
from django.db.backends.postgresql import base
from psycopg import OperationalError
from psycopg.pq import TransactionStatus
from psycopg_pool import PoolTimeout

from accounts.tenancy.postgresql.giving_way import GivingWay
from accounts.tenancy.postgresql.silence import NoConnection, WatchedConnection, silence
from accounts.tenancy.scope import current_party

if TYPE_CHECKING:  # for the type checker Django's class is that of another driver
    from psycopg import ClientCursor

    DjangosCursor = ClientCursor[Any]
else:
    DjangosCursor = base.Cursor

_OF_ROWS = re.compile(r"[\s(]*(?:SELECT|INSERT|UPDATE|DELETE|WITH|MERGE|VALUES|TABLE|EXPLAIN|DECLARE)\b", re.IGNORECASE)
LEFT_ALONE_SECONDS = 15.0  # a transaction whose next statement is later than this is rolled back by the server


def scope_statement() -> str:
    return f"SET LOCAL acervo.scope = '{current_party()}'"  # made of UUIDs and our own words


def patience_statement() -> str:
    return f"SET LOCAL idle_in_transaction_session_timeout = {round(LEFT_ALONE_SECONDS * 1000)}"


class ScopedCursor(DjangosCursor):
    """Psycopg's cursor that binds on the client, as Django's; only so may a message have two statements."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Self:
        if not _OF_ROWS.match(query if isinstance(query, str) else self.mogrify(query)):
            super().execute(query, params, **options)
            return self
        before = self._told_before()
        super().execute("; ".join([*before, self.mogrify(query, params)]), **options)
        for _ in before:
            self.nextset()  # what SET said
        return self

    def executemany(self, query: Any, params_seq: Iterable[Any], *, returning: bool = False) -> None:
        """In a transaction: its statements go out together, in a protocol that takes one in a message."""
        if self.connection.info.transaction_status != TransactionStatus.IDLE or not self.connection.autocommit:
            super().execute("; ".join(self._told_before()))
            super().executemany(query, params_seq, returning=returning)
            return
        with self.connection.transaction():
            super().execute(scope_statement())
            super().executemany(query, params_seq, returning=returning)

    def _told_before(self) -> list[str]:
        return [scope_statement()] if self.connection.autocommit else [scope_statement(), patience_statement()]


class PoolExhausted(OperationalError):
    """All connections of the pool are lent out, and none came back in time: the database itself is well."""

    is_exhausted = True


class _Lent:
    """How many connections of the process's pool are in somebody's hands. The pool's own numbers also count those
    that it tries to open to a server that is away."""

    def __init__(self) -> None:
        self._counting, self.count = threading.Lock(), 0

    def add(self, n: int) -> None:
        with self._counting:
            self.count += n


lent = _Lent()


class DatabaseWrapper(base.DatabaseWrapper):
    SchemaEditorClass = GivingWay
    lock_patience = (
        0.7  # seconds that a transaction of the editor waits for its locks (`until_it_passes` says how long)
    )

    def __init__(self, settings_dict: dict[str, Any], alias: str = DEFAULT_DB_ALIAS) -> None:
        super().__init__(settings_dict, alias)
        if pool := settings_dict["OPTIONS"].get("pool"):
            settings_dict["OPTIONS"]["pool"] = {**pool, "connection_class": WatchedConnection}

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if self.pool and silence.lasts():
            raise NoConnection(self._setting)
        try:
            connection = super().get_new_connection(conn_params)
        except PoolTimeout as error:
            if lent.count >= self.settings_dict["OPTIONS"]["pool"]["max_size"]:
                raise PoolExhausted("every connection is lent out") from error
            if lent.count:
                raise
            silence.note()  # nobody has one, and none can be had
            raise NoConnection(self._setting) from error
        if self.pool:
            lent.add(1)
        return connection

    @property
    def _setting(self) -> str:
        """Where its address comes from (`accounts.tenancy.owner`)."""
        return "DATABASE_OWNER_URL" if self.settings_dict.get("SERVES") else "DATABASE_URL"

    def close_pool(self) -> None:
        """Its address may be changed then."""
        super().close_pool()
        silence.forget()

    def _close(self) -> None:
        if self.pool and self.connection is not None:
            lent.add(-1)
        super()._close()  # type: ignore[misc]

    def get_connection_params(self) -> dict[str, Any]:
        return {**super().get_connection_params(), "cursor_factory": ScopedCursor}

    def chunked_cursor(self) -> Any:
        """An ordinary one: a cursor of the server would outlive the statement that says whom it is for, and with it
        the connection that a pooler lends."""
        return self.cursor()
