"""PostgreSQL, as a role that can only read: a read-only transaction, a deadline of the server's own, no search path.

The address was looked up by the parent and is connected to as it was found (`hostaddr`): a name that leads elsewhere a
moment later is not asked again.
"""

import os
from typing import Any

import certifi
import psycopg
from psycopg import errors
from psycopg.adapt import Loader
from psycopg.types.datetime import (
    DateLoader,
    IntervalLoader,
    TimeLoader,
    TimestampLoader,
    TimestamptzLoader,
    TimetzLoader,
)

from tools.engines.cells import gather
from tools.engines.failures import QueryFailed, QueryTimeout, SourceFailed

CONNECT_SECONDS = 4
MOST_COLUMNS = 20_000
# A role that reads the server's files, runs its programs or is bound by nothing is refused, whoever set it up.
POWERS = (
    "SELECT EXISTS (SELECT FROM pg_roles AS power WHERE (power.rolsuper OR power.rolname IN ('pg_read_server_files', "
    "'pg_write_server_files', 'pg_execute_server_program')) AND pg_has_role(current_user, power.oid, 'member'))"
)
# Materialized views are PostgreSQL's own, and not of the standard's catalogue.
READABLE = (
    "SELECT table_schema::text, table_name::text, column_name::text, data_type::text, ordinal_position::int "
    "FROM information_schema.columns "
    "WHERE table_schema NOT IN ('information_schema', 'pg_catalog') AND table_schema NOT LIKE 'pg\\_%' "
    "UNION ALL SELECT nspname::text, relname::text, attname::text, format_type(atttypid, NULL), attnum::int "
    "FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace JOIN pg_attribute ON attrelid = pg_class.oid "
    "WHERE relkind = 'm' AND attnum > 0 AND NOT attisdropped AND has_column_privilege(pg_class.oid, attnum, 'SELECT') "
    "ORDER BY 1, 2, 5 LIMIT $1"
)
# Without a value psycopg sends a text in which PostgreSQL takes several statements, so also `COMMIT; DELETE …`.
ONE_STATEMENT = [0]
TIMES: dict[str, type[Loader]] = {
    "date": DateLoader, "time": TimeLoader, "timetz": TimetzLoader,
    "timestamp": TimestampLoader, "timestamptz": TimestamptzLoader, "interval": IntervalLoader,
}  # fmt: skip
Connection = psycopg.Connection[Any]


class PostgresServer:
    def __init__(self, request: dict[str, Any]) -> None:
        self._connection = _opened(request)

    def query(self, request: dict[str, Any]) -> Any:
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(request["sql"], request["values"] or ONE_STATEMENT)
                described = cursor.description or []
                types = [_type_name(self._connection, one.type_code) for one in described]
                return gather([one.name for one in described], types, cursor, request["most"])
        except errors.QueryCanceled:
            raise QueryTimeout from None
        except errors.Error as error:
            raise QueryFailed(error.diag.message_primary or "") from None

    def tables(self, _request: dict[str, Any]) -> list[dict[str, Any]]:
        found: dict[tuple[str, str], list[dict[str, str]]] = {}
        try:
            for schema, table, column, kind, _place in self._connection.execute(READABLE, [MOST_COLUMNS]):
                found.setdefault((schema, table), []).append({"name": column, "type": kind})
        except errors.Error:
            raise SourceFailed("refused") from None
        return [{"schema": schema, "name": name, "columns": columns} for (schema, name), columns in found.items()]


def _opened(request: dict[str, Any]) -> Connection:
    place = request["place"]
    try:
        connection = psycopg.connect(
            host=place["host"],
            hostaddr=place["address"],
            port=place["port"],
            dbname=place["database"],
            user=place["username"],
            password=place["password"],
            sslmode=place["sslmode"],
            sslrootcert=_roots(place["sslmode"]),
            connect_timeout=CONNECT_SECONDS,
            application_name="acervo",
            client_encoding="UTF8",
            passfile="/dev/null",
            gssencmode="disable",
            cursor_factory=psycopg.RawCursor,
            prepare_threshold=None,
        )
        for name, loader in TIMES.items():
            connection.adapters.register_loader(name, as_it_is_written(loader))
        _restrain(connection, request["seconds"])
    except errors.Error as error:
        raise SourceFailed("refused" if error.sqlstate else _word_for(error)) from None
    return connection


def _word_for(error: errors.Error) -> str:
    """A server that asked for the password is there; it says in its own language why it ended."""
    if error.pgconn and error.pgconn.used_password:
        return "denied"
    return "certificate" if "certificate" in str(error) else "unreachable"  # the library's own words


def as_it_is_written(loader: type[Loader]) -> type[Loader]:
    """What Python has no value for is told in the server's words: "infinity", years before the first, 24:00."""

    class Lenient(loader):  # type: ignore[misc, valid-type]
        def load(self, data: Any) -> Any:
            try:
                return super().load(data)
            except errors.DataError:
                return bytes(data).decode()

    return Lenient


def _roots(sslmode: str) -> str | None:
    """Whose certificates are believed where the server is to be proved: as for models, SSL_CERT_FILE or the web's."""
    return os.environ.get("SSL_CERT_FILE") or certifi.where() if sslmode == "verify-full" else None


def _restrain(connection: Connection, seconds: float) -> None:
    """In the one transaction that follows."""
    connection.read_only = True
    milliseconds = str(int(seconds * 1000))
    for name, value in (
        ("statement_timeout", milliseconds),
        ("lock_timeout", "1000"),
        ("idle_in_transaction_session_timeout", "30000"),
        ("search_path", "pg_catalog"),
        ("standard_conforming_strings", "on"),
        ("jit", "off"),
    ):
        connection.execute("SELECT set_config($1, $2, true)", [name, value])
    row = connection.execute(POWERS).fetchone()
    if row is None or row[0]:
        raise SourceFailed("too_powerful")


def _type_name(connection: Connection, oid: int) -> str:
    known = connection.adapters.types.get(oid)
    return known.name if known else ""
