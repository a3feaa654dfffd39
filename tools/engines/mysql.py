"""MySQL and MariaDB, as a role that can only read: a read-only transaction, a deadline of the server's own, no database
to look unqualified names up in, and a session in which SQL means what it was rendered to mean.

The connection goes to the address that the parent looked up; the certificate is that of the name. The server is told
that no file can be asked for (LOCAL INFILE), and one that asks nevertheless gets nothing.
"""

import os
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from threading import Timer
from typing import Any

import certifi
from pymysql import converters, err
from pymysql.connections import Connection
from pymysql.constants import CR, ER, FIELD_TYPE
from pymysql.cursors import SSCursor

from tools.engines.cells import gather
from tools.engines.failures import QueryFailed, QueryTimeout, SourceFailed
from tools.engines.grants import is_powerful, roles_in

CONNECT_SECONDS, OPENING_SECONDS, LATER_SECONDS = 4, 6.0, 2.0  # of opening: all that comes before a statement
MOST_COLUMNS, MOST_ROLES = 20_000, 20
SYSTEM = ("information_schema", "mysql", "performance_schema", "sys")
# None of these sends the password in the open, and none is told by a server which program to run.
AUTHENTICATION = (b"mysql_native_password", b"caching_sha2_password", b"sha256_password")
# No other mode: those that change what a name, a text or an operator is (ANSI_QUOTES, PIPES_AS_CONCAT, ORACLE) are off.
# A date that there is not is null where it is computed with.
SQL_MODE = "ONLY_FULL_GROUP_BY,NO_UNSIGNED_SUBTRACTION,NO_ZERO_DATE,NO_ZERO_IN_DATE"
# MariaDB takes several statements in the place of one (BEGIN NOT ATOMIC …), which could end the transaction.
STARTS = ("SELECT ", "WITH ", "(")
DEADLINES = {"max_statement_time": 1, "max_execution_time": 1_000}  # MariaDB's in seconds, MySQL's in milliseconds
TIMED_OUT = (1317, 1907, 1969, 3024)
LOST = (CR.CR_SERVER_GONE_ERROR, CR.CR_SERVER_LOST)
COLUMNS = (
    "SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = %s "
    "ORDER BY 1, 2, ordinal_position LIMIT %s"
)
SCHEMA = "SELECT 1 FROM information_schema.schemata WHERE schema_name = %s"
TYPES = {
    FIELD_TYPE.DECIMAL: "decimal", FIELD_TYPE.NEWDECIMAL: "decimal", FIELD_TYPE.FLOAT: "float",
    FIELD_TYPE.DOUBLE: "double", FIELD_TYPE.DATE: "date", FIELD_TYPE.NEWDATE: "date", FIELD_TYPE.TIME: "time",
    FIELD_TYPE.DATETIME: "datetime", FIELD_TYPE.TIMESTAMP: "timestamp", FIELD_TYPE.JSON: "json",
    **dict.fromkeys(
        (FIELD_TYPE.TINY, FIELD_TYPE.SHORT, FIELD_TYPE.INT24, FIELD_TYPE.LONG, FIELD_TYPE.LONGLONG, FIELD_TYPE.YEAR,
         FIELD_TYPE.BIT), "int",
    ),
}  # fmt: skip
# A date that there is not (0000-00-00) stays as the server writes it, and so does every TIME: it may be of 838 hours.
VALUES = {
    **converters.conversions,
    FIELD_TYPE.DECIMAL: Decimal, FIELD_TYPE.NEWDECIMAL: Decimal, FIELD_TYPE.TIME: str,
    FIELD_TYPE.BIT: lambda digits: int.from_bytes(digits, "big"),
}  # fmt: skip


class Wire(Connection):  # type: ignore[misc]  # PyMySQL has no types
    @property
    def server_public_key(self) -> None:
        """No password is encrypted for a key that the server sends: it proves nothing, and whoever stands between the
        two sends one too. Where a password must go over as it is, the connection is to be encrypted."""

    @server_public_key.setter
    def server_public_key(self, key: bytes | None) -> None:
        if key:
            raise err.OperationalError(CR.CR_AUTH_PLUGIN_ERR, "the connection is not encrypted")

    def _process_auth(self, plugin_name: bytes, *more: Any) -> Any:
        if plugin_name not in AUTHENTICATION:
            raise err.OperationalError(CR.CR_AUTH_PLUGIN_CANNOT_LOAD, "not an authentication that is known here")
        return super()._process_auth(plugin_name, *more)


class Stream(SSCursor):  # type: ignore[misc]
    def close(self) -> None:
        """The driver would read what is left to its end, which there may not be."""
        if self._result is not None:
            self._result.unbuffered_active = False
        self.connection = None

    __del__ = close


class MySqlServer:
    def __init__(self, request: dict[str, Any]) -> None:
        self._database = request["place"]["database"]
        if self._database.lower() in SYSTEM:
            raise SourceFailed("no_database")
        self._connection = _opened(request)

    def query(self, request: dict[str, Any]) -> Any:
        if not all(map(self._is_ours, request["reading"])):
            raise QueryFailed("The tables that may be read are of another database.")
        if not request["sql"].startswith(STARTS):
            raise QueryFailed("A statement is one SELECT.")
        try:
            cursor = self._connection.cursor()
            cursor.execute(request["sql"])
            described = cursor.description or ()
            types = [TYPES.get(one[1], "") for one in described]
            rows = iter(cursor.fetchone, None) if described else iter(())
            return gather([one[0] for one in described], types, rows, request["most"])
        except err.MySQLError as error:
            raise _failure(error) from None

    def _is_ours(self, schema: str) -> bool:
        """Capitals matter, but on servers that fold the names of databases."""
        if schema == self._database:
            return True
        if schema.lower() != self._database.lower():
            return False
        with _refusals():
            ((folds,),) = _rows(self._connection, "SELECT @@lower_case_table_names")
        return str(folds) != "0"

    def tables(self, _request: dict[str, Any]) -> list[dict[str, Any]]:
        found: dict[tuple[str, str], list[dict[str, str]]] = {}
        with _refusals():
            for schema, table, column, kind in _rows(self._connection, COLUMNS, [self._database, MOST_COLUMNS]):
                found.setdefault((schema, table), []).append({"name": str(column), "type": str(kind)})
            if not found and not _rows(self._connection, SCHEMA, [self._database]):
                raise SourceFailed("no_database")
        return [{"schema": schema, "name": name, "columns": columns} for (schema, name), columns in found.items()]


def _failure(error: err.MySQLError) -> Exception:
    code, said = (*error.args, 0, "")[:2]
    if code in TIMED_OUT or (code in LOST and isinstance(error.__context__, TimeoutError)):
        return QueryTimeout()
    return SourceFailed("refused") if code in LOST else QueryFailed(str(said))


def _opened(request: dict[str, Any]) -> Connection:
    place = request["place"]
    connection = Wire(
        host=place["host"],
        port=place["port"],
        user=place["username"],
        password=place["password"].encode(),
        ssl=_security(place["sslmode"]),
        charset="utf8mb4",
        conv=VALUES,
        cursorclass=Stream,
        local_infile=False,
        autocommit=None,
        connect_timeout=CONNECT_SECONDS,
        read_timeout=max(CONNECT_SECONDS, request["seconds"] + LATER_SECONDS),
        write_timeout=CONNECT_SECONDS,
        program_name="acervo",
        defer_connect=True,
    )
    try:
        link = socket.create_connection((place["address"], place["port"]), CONNECT_SECONDS)
    except Exception:
        raise SourceFailed("unreachable") from None
    with _ended_after(OPENING_SECONDS, link):
        try:
            connection.connect(link)
        except Exception as error:  # whatever a server says that is none: the driver stumbles over it with its own
            raise SourceFailed("denied" if error.args[:1] == (ER.ACCESS_DENIED_ERROR,) else "unreachable") from None
        _prepare(connection, request["seconds"])
    return connection


@contextmanager
def _ended_after(seconds: float, link: socket.socket) -> Iterator[None]:
    """The driver's own limits are of a single byte. (A copy: encryption takes the socket itself over.)"""
    with link.dup() as same:
        timer = Timer(seconds, same.shutdown, [socket.SHUT_RDWR])
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()


def _prepare(connection: Connection, seconds: float) -> None:
    with _refusals():
        _rows(connection, f"SET SESSION sql_mode = '{SQL_MODE}'")  # by which names in grants are quoted, too
        _look_at_powers(connection)
        _restrain(connection, seconds)


@contextmanager
def _refusals() -> Iterator[None]:
    """What goes wrong before somebody's statement is the source's fault, whatever it is that was sent."""
    try:
        yield
    except (SourceFailed, MemoryError):
        raise
    except err.MySQLError as error:
        raise SourceFailed("unreachable" if error.args and error.args[0] in LOST else "refused") from None
    except Exception:
        raise SourceFailed("refused") from None


def _security(sslmode: str) -> ssl.SSLContext | None:
    """Whose certificates are believed where the server is to be proved: as for models, SSL_CERT_FILE or the web's.
    None: encrypted where the server can."""
    if sslmode == "prefer":
        return None
    if sslmode == "verify-full":
        context = ssl.create_default_context(cafile=os.environ.get("SSL_CERT_FILE") or certifi.where())
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # certificates that MySQL makes itself are older than it
        return context
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _rows(connection: Connection, sql: str, values: list[Any] | None = None) -> list[Any]:
    cursor = connection.cursor()
    cursor.execute(sql, values)
    return list(cursor)


def _look_at_powers(connection: Connection) -> None:
    """A role that reads the server's files, becomes another or may do anything else but read everywhere is refused,
    whoever set it up; and so is one that can take on such a role."""
    lines = _grants(connection, " FOR CURRENT_USER()")
    roles = [one for line in lines for one in roles_in(line)]
    if len(roles) > MOST_ROLES:
        raise SourceFailed("too_powerful")
    if "MariaDB" in connection.get_server_info():  # which tells nothing of a role that is not taken on
        ((own,),) = _rows(connection, "SELECT CURRENT_ROLE()")
        for role in (*roles, _quoted(own) if own else "NONE"):
            _rows(connection, f"SET ROLE {role}")
            lines += _grants(connection)
    elif roles:
        lines += _grants(connection, f" FOR CURRENT_USER() USING {', '.join(roles)}")
    if any(map(is_powerful, lines)):
        raise SourceFailed("too_powerful")


def _grants(connection: Connection, of: str = "") -> list[str]:
    return [str(line) for (line,) in _rows(connection, f"SHOW GRANTS{of}")]


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _restrain(connection: Connection, seconds: float) -> None:
    """In the one transaction that follows."""
    known = {
        str(name).lower()
        for name, _value in _rows(connection, "SHOW SESSION VARIABLES WHERE variable_name LIKE 'max%time'")
    }
    deadlines = [name for name in DEADLINES if name in known]
    if not deadlines:  # a server older than either
        raise SourceFailed("refused")
    for statement in (
        *(f"SET SESSION {name} = {_amount(seconds, DEADLINES[name])}" for name in deadlines),
        "SET SESSION lock_wait_timeout = 1",
        "SET SESSION TRANSACTION READ ONLY",
        "START TRANSACTION READ ONLY",
    ):
        _rows(connection, statement)


def _amount(seconds: float, factor: int) -> str:
    return f"{seconds * factor:.0f}" if factor > 1 else f"{seconds:.3f}"
