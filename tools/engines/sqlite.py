"""A SQLite file, which may itself be hostile: opened read-only and as it is, and asked for nothing but allowed columns.

SQLite asks before it compiles each step of a statement: which table, which column, which function. What is not on the
list is refused by the engine, whatever got past the reading of the statement.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tools.engines.cells import gather
from tools.engines.failures import QueryFailed, QueryTimeout, SourceFailed

CHECKED_EVERY = 5_000  # steps of SQLite's machine
MOST_TABLES = 500
PART_OF_WITH = "acervo_"  # as the reading of a statement calls each (tools.sql.readings)
LIMITS = {
    sqlite3.SQLITE_LIMIT_LENGTH: 4 * 1024 * 1024, sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1024 * 1024,
    sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 200, sqlite3.SQLITE_LIMIT_COMPOUND_SELECT: 50,
    sqlite3.SQLITE_LIMIT_VDBE_OP: 100_000, sqlite3.SQLITE_LIMIT_FUNCTION_ARG: 32, sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH: 1_000, sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER: 200,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 1, sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}  # fmt: skip
FUNCTION_NAMES = """
count sum total avg min max abs round ceil ceiling floor sqrt pow power ln log log10 log2 exp sign mod coalesce ifnull
nullif iif lower upper length trim ltrim rtrim substr substring concat concat_ws instr like left right replace
date time datetime julianday strftime unixepoch current_date current_timestamp
row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value
"""
FUNCTIONS = frozenset(FUNCTION_NAMES.split())

Authorizer = Callable[[int, str | None, str | None, str | None, str | None], int]
Read = tuple[str, str, str]  # table, column, and the view that reads them


class SqliteFile:
    def __init__(self, request: dict[str, Any]) -> None:
        (file,) = request["files"]
        self._connection = _opened(file)

    def query(self, request: dict[str, Any]) -> Any:
        values = {f"p{n}": value for n, value in enumerate(request["values"], 1)}
        deadline = time.monotonic() + request["seconds"]
        self._connection.set_progress_handler(lambda: int(time.monotonic() > deadline), CHECKED_EVERY)
        try:
            self._connection.set_authorizer(
                _only(request["reading"], _read_by_views(self._connection, request["reading"]))
            )
            cursor = self._connection.execute(request["sql"], values)
            names = [one[0] for one in cursor.description or ()]
            return gather(names, [""] * len(names), cursor, request["most"])
        except sqlite3.Error as error:
            if time.monotonic() > deadline:
                raise QueryTimeout from None
            raise QueryFailed(str(error)) from None

    def tables(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        deadline = time.monotonic() + request["seconds"]
        self._connection.set_progress_handler(lambda: int(time.monotonic() > deadline), CHECKED_EVERY)
        try:
            found = list(_tables(self._connection))
        except sqlite3.Error:
            raise SourceFailed("not_a_database") from None
        if time.monotonic() > deadline:
            raise QueryTimeout
        return found


def _opened(file: dict[str, str]) -> sqlite3.Connection:
    try:
        # "immutable": no journal, no lock, no second file is looked for
        connection = sqlite3.connect(
            f"{Path(file['path']).as_uri()}?mode=ro&immutable=1", uri=True, cached_statements=0
        )
        for limit, most in LIMITS.items():
            connection.setlimit(limit, most)
        for pragma in ("trusted_schema=OFF", "query_only=ON", "cell_size_check=ON", "temp_store=MEMORY"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error:
        raise SourceFailed("not_a_database") from None
    return connection


def _read_by_views(connection: sqlite3.Connection, reading: dict[str, dict[str, list[str]]]) -> set[Read]:
    """What the views among the allowed tables read themselves, as SQLite tells it of a statement that is not run.

    That a part of a statement has the name of a view, or of a table, is not enough: a part of WITH can be called so.
    """
    found: set[Read] = set()

    def note(action: int, table: str | None, column: str | None, _schema: str | None, within: str | None) -> int:
        if action == sqlite3.SQLITE_READ and within:
            found.add(((table or "").lower(), (column or "").lower(), within.lower()))
        return sqlite3.SQLITE_OK

    views = connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall()
    allowed = {name.lower() for name in _main(reading)}
    connection.set_authorizer(note)
    for (name,) in views:
        if name.lower() in allowed:
            quoted = name.replace('"', '""')
            connection.execute(f'EXPLAIN SELECT * FROM main."{quoted}"')  # noqa: S608 - a quoted name
    return found


def _only(reading: dict[str, dict[str, list[str]]], by_views: set[Read]) -> Authorizer:
    """Allowed: to select, to read these columns of these tables (a view: what it reads), to call these functions."""
    tables = {name.lower(): {one.lower() for one in columns} for name, columns in _main(reading).items()}

    def authorize(action: int, first: str | None, second: str | None, _schema: str | None, within: str | None) -> int:
        if action == sqlite3.SQLITE_SELECT:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            return sqlite3.SQLITE_OK if (second or "").lower() in FUNCTIONS else sqlite3.SQLITE_DENY
        if action == sqlite3.SQLITE_READ:
            table = (first or "").lower()
            columns = tables.get(table)
            is_allowed = columns is not None and (not second or second.lower() in columns)
            is_part_of_with = not second and table.startswith(PART_OF_WITH)  # whose rows are counted
            is_in_view = (table, (second or "").lower(), (within or "").lower()) in by_views
            return sqlite3.SQLITE_OK if is_allowed or is_part_of_with or is_in_view else sqlite3.SQLITE_DENY
        return sqlite3.SQLITE_DENY

    return authorize


def _main(reading: dict[str, dict[str, list[str]]]) -> dict[str, list[str]]:
    """Nothing, of a statement that reads no table."""
    return reading.get("main", {})


def _tables(connection: sqlite3.Connection) -> Iterator[dict[str, Any]]:
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%' AND "
        "(sql IS NULL OR sql NOT LIKE 'CREATE VIRTUAL%') ORDER BY name LIMIT ?",
        [MOST_TABLES],
    ).fetchall()
    for (name,) in found:
        try:
            columns = connection.execute("SELECT name, type FROM pragma_table_info(?)", [name]).fetchall()
        except sqlite3.Error:  # a view over what is not there, or over functions of another program
            continue
        yield {"schema": "main", "name": name, "columns": [{"name": one, "type": kind} for one, kind in columns]}
