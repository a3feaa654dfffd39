"""The database engine: each statement that reads or writes rows is sent with whom it runs for.

`SET LOCAL acervo.scope = '…'; SELECT …` is one message of the simple protocol. Outside a transaction the server takes
both as one, so the setting ends with the statement: what a pooler (pgbouncer in transaction mode, psycopg's pool) gives
to the next client has nothing left of it. Inside one it is sent with every statement as well: a savepoint that is
rolled back, or a scope that changes on the way, leaves nothing to keep track of. It costs some 10 µs (ADR 0016).

What is not known to read or write rows (DDL, savepoints, COPY) is sent as it is. Should it read rows after all, it is
in nobody's name and sees none.
"""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Self

from django.db.backends.postgresql import base
from psycopg.pq import TransactionStatus

from accounts.tenancy.scope import current_party

if TYPE_CHECKING:  # for the type checker Django's class is that of another driver
    from psycopg import ClientCursor

    DjangosCursor = ClientCursor[Any]
else:
    DjangosCursor = base.Cursor

_OF_ROWS = re.compile(r"[\s(]*(?:SELECT|INSERT|UPDATE|DELETE|WITH|MERGE|VALUES|TABLE|EXPLAIN|DECLARE)\b", re.IGNORECASE)


def scope_statement() -> str:
    return f"SET LOCAL acervo.scope = '{current_party()}'"  # made of UUIDs and our own words


class ScopedCursor(DjangosCursor):
    """Psycopg's cursor that binds on the client, as Django's; only so may a message have two statements."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Self:
        if not _OF_ROWS.match(query if isinstance(query, str) else self.mogrify(query)):
            super().execute(query, params, **options)
            return self
        super().execute(f"{scope_statement()}; {self.mogrify(query, params)}", **options)
        self.nextset()  # what SET said
        return self

    def executemany(self, query: Any, params_seq: Iterable[Any], *, returning: bool = False) -> None:
        """In a transaction: its statements go out together, in a protocol that takes one in a message."""
        if self.connection.info.transaction_status != TransactionStatus.IDLE or not self.connection.autocommit:
            super().execute(scope_statement())
            super().executemany(query, params_seq, returning=returning)
            return
        with self.connection.transaction():
            super().execute(scope_statement())
            super().executemany(query, params_seq, returning=returning)


class DatabaseWrapper(base.DatabaseWrapper):
    def get_connection_params(self) -> dict[str, Any]:
        return {**super().get_connection_params(), "cursor_factory": ScopedCursor}

    def chunked_cursor(self) -> Any:
        """An ordinary one: a cursor of the server would outlive the statement that says whom it is for, and with it
        the connection that a pooler lends."""
        return self.cursor()
