"""What the tests of statements may read, and the same as files: a SQLite database and a folder of CSV files."""

import sqlite3
from pathlib import Path
from typing import Any

from tools.sql.statements import ReadableColumn, ReadableTable
from tools.tests.hostile import EMAIL, WORD

CUSTOMERS = ReadableTable(
    "customers", (ReadableColumn("id"), ReadableColumn("region"), ReadableColumn("email", is_masked=True))
)
ORDERS = ReadableTable("orders", tuple(map(ReadableColumn, ("id", "customer_id", "total", "placed"))))
TABLES = (CUSTOMERS, ORDERS)
READING = {"main": {"customers": ["id", "region"], "orders": ["id", "customer_id", "total", "placed"]}}
ROWS = {
    "customers": [("id", "region", "email", "password"), (1, "north", EMAIL, WORD), (2, "south", EMAIL, WORD)],
    "orders": [
        ("id", "customer_id", "total", "placed"),
        (1, 1, 10.5, "2025-01-03"), (2, 1, 20, "2025-02-04"), (3, 2, 5, "2025-02-05"),
    ],
    "secret": [("word",), (WORD,)],
}  # fmt: skip
MOST = {"rows": 100, "bytes": 100_000}


def sqlite_file(folder: Path) -> Path:
    place = folder / "shop.sqlite"
    with sqlite3.connect(place) as connection:
        for table, (head, *rows) in ROWS.items():
            connection.execute(f"CREATE TABLE {table} ({', '.join(head)})")
            connection.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(head))})", rows)
    connection.close()
    return place


def csv_files(folder: Path) -> list[dict[str, str]]:
    files = []
    for table, rows in ROWS.items():
        place = folder / f"{table}.csv"
        place.write_text("\n".join(",".join(map(str, row)) for row in rows))
        files.append({"table": table, "path": str(place), "format": "csv"})
    return files


def sqlite_request(place: Path, **asked: Any) -> dict[str, Any]:
    return {"kind": "sqlite", "files": [{"path": str(place)}], "reading": READING, **_common(), **asked}


def duck_request(files: list[dict[str, str]], **asked: Any) -> dict[str, Any]:
    return {"kind": "duckdb", "files": files, "reading": READING, **_common(), **asked}


def _common() -> dict[str, Any]:
    return {"asked": "query", "values": [], "most": MOST, "seconds": 0.5}
