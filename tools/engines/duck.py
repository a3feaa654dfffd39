"""DuckDB over files: they are read into memory, the allowed columns alone; then nothing can be opened any more.

What a statement could reach for (files, extensions, other databases, settings) is switched off before it runs, and that
it is cannot be changed: `enable_external_access` and `lock_configuration` are one-way.
"""

from contextlib import suppress
from typing import Any

import duckdb

from tools.engines.cells import gather
from tools.engines.failures import ColumnsGone, QueryFailed, QueryTooLarge, SourceFailed

READERS = {
    "csv": "read_csv($1, sample_size=20000, max_line_size=1000000%s)",
    "parquet": "read_parquet($1)%s",
}
WITH_COMMAS = ", decimal_separator=','"
LOOKED_AT = 20_000  # rows of a CSV file, by which the types of its columns are told
NO_THOUSANDS = ",([0-9]{1,2}|[0-9]{4,})$"
LONGEST_HEAD = 64 * 1024  # bytes of a first line
SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "memory_limit": "512MB", "threads": 1, "temp_directory": "", "max_temp_directory_size": "0GB",
    "autoinstall_known_extensions": False, "autoload_known_extensions": False, "allow_community_extensions": False,
    "enable_object_cache": False,
}  # fmt: skip
TEXT = "VARCHAR"
ZONE = "UTC"  # of the days of a moment: the same on every machine
LAST = ("SET enable_external_access = false", "SET lock_configuration = true")
Connection = duckdb.DuckDBPyConnection


class DuckFiles:
    def __init__(self, request: dict[str, Any]) -> None:
        self._connection = _opened(request)

    def query(self, request: dict[str, Any]) -> Any:
        try:
            cursor = self._connection.execute(request["sql"], request["values"])
            described = cursor.description or []
            rows = iter(cursor.fetchone, None)
            return gather([one[0] for one in described], [str(one[1]) for one in described], rows, request["most"])
        except duckdb.OutOfMemoryException:
            raise QueryTooLarge from None
        except duckdb.Error as error:
            raise QueryFailed(str(error)) from None

    def tables(self, _request: dict[str, Any]) -> list[dict[str, Any]]:
        found: dict[str, list[dict[str, str]]] = {}
        columns = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal"
        for table, column, kind in self._connection.execute(f"{columns} ORDER BY 1, column_index").fetchall():
            found.setdefault(table, []).append({"name": column, "type": kind.lower()})
        return [{"schema": "main", "name": name, "columns": columns} for name, columns in found.items()]


def _opened(request: dict[str, Any]) -> Connection:
    """With each file of the request's reading as a table of its columns there; where no reading is said, all of each.
    Raises ColumnsGone where a file has not all of these."""
    connection = duckdb.connect(":memory:", config=SETTINGS)
    reading = request.get("reading")
    try:
        connection.execute(f"SET TimeZone = '{ZONE}'")
        for file in request["files"]:
            wanted = reading.get("main", {}).get(file["table"]) if reading is not None else None
            if reading is None or wanted is not None:
                _load(connection, file, wanted)
        for statement in LAST:
            connection.execute(statement)
        _prepare_zone(connection)
    except duckdb.OutOfMemoryException:
        raise QueryTooLarge from None
    except duckdb.Error:
        raise SourceFailed("unreadable_file") from None
    return connection


def _prepare_zone(connection: Connection) -> None:
    """Have what a moment is told with, which lies in files, at hand before no file can be opened any more."""
    with suppress(duckdb.Error):  # a machine without zones: moments cannot be told, and all else can
        connection.execute("SELECT now()").fetchone()


def _load(connection: Connection, file: dict[str, str], wanted: list[str] | None) -> None:
    delimiter = _delimiter(file["path"]) if file["format"] == "csv" else ""
    reader = READERS[file["format"]] % (f", delim='{delimiter}'" if delimiter else "")
    try:
        if delimiter and _has_decimal_commas(connection, reader, file):
            with suppress(duckdb.ConversionException, duckdb.InvalidInputException):  # further down stands another text
                return _make(connection, _with_commas(reader), file, wanted)
        return _make(connection, reader, file, wanted)
    except duckdb.BinderException:
        names = {_folded(one) for one in _columns(connection, reader, file)}
        if gone := [one for one in wanted or () if _folded(one) not in names]:
            raise ColumnsGone(f"{file['table']}: {', '.join(gone)}") from None
        raise


def _delimiter(path: str) -> str:
    """A semicolon or a tab, where the first line has it and no comma: commas further down are then within cells. ""
    where DuckDB is to find out."""
    with open(path, "rb") as content:
        head = content.readline(LONGEST_HEAD).decode(errors="replace")
    return "" if "," in head else next((sign for sign in ";\t" if sign in head), "")


def _with_commas(reader: str) -> str:
    return f"{reader[:-1]}{WITH_COMMAS})"


def _make(connection: Connection, reader: str, file: dict[str, str], wanted: list[str] | None) -> None:
    columns = ", ".join(map(_quoted, wanted)) if wanted else "*" if wanted is None else "1"
    rows = f"SELECT {columns} FROM {reader}"  # noqa: S608 - quoted names and our own words
    connection.execute(f"CREATE TABLE main.{_quoted(file['table'])} AS {rows}", [file["path"]])


def _columns(connection: Connection, reader: str, file: dict[str, str]) -> dict[str, str]:
    """The file's columns with their types, by its first rows."""
    described = f"DESCRIBE SELECT * FROM {reader}"  # noqa: S608 - our own words
    return {one[0]: one[1] for one in connection.execute(described, [file["path"]]).fetchall()}


def _has_decimal_commas(connection: Connection, reader: str, file: dict[str, str]) -> bool:
    """Whether texts of a file whose columns are parted otherwise are numbers as `0,5` writes them, and nothing else is
    less than it was. `1,234` alone may be a thousand."""
    there, read = _columns(connection, reader, file), _columns(connection, _with_commas(reader), file)
    changed = [name for name, kind in there.items() if read.get(name) != kind]
    if list(read) != list(there) or not changed or any(there[one] != TEXT for one in changed):
        return False
    written = ", ".join(f"bool_or(regexp_matches({_quoted(one)}, '{NO_THOUSANDS}'))" for one in changed)
    rows = f"SELECT {written} FROM (SELECT * FROM {reader} LIMIT {LOOKED_AT})"  # noqa: S608 - quoted names, our words
    found = connection.execute(rows, [file["path"]]).fetchone()
    return bool(found) and all(found or ())


def _folded(name: str) -> bytes:
    """As DuckDB compares names."""
    return name.encode().lower()


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
