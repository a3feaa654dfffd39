"""Each source is asked in a child: what never ends or fills the memory ends the child, and says so."""

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from tools.engines import running
from tools.engines.cells import LONGEST_CELL, gather, visible
from tools.engines.child import first_line_said
from tools.engines.failures import ColumnsGone, QueryFailed, QueryTimeout, QueryTooLarge, SourceFailed
from tools.tests.reading import MOST, READING, csv_files, duck_request, sqlite_file, sqlite_request

SQL = "SELECT id, region FROM main.customers ORDER BY id"


def asked(request: dict[str, Any], **more: Any) -> Any:
    return running.ask_child({**request, "seconds": 6.0, **more})


def test_a_sqlite_file_is_read_in_a_child(tmp_path: Path) -> None:
    found = asked(sqlite_request(sqlite_file(tmp_path), sql=SQL))
    assert found["columns"] == [{"name": "id", "type": "integer"}, {"name": "region", "type": "text"}]
    assert (found["rows"], found["truncated"]) == ([[1, "north"], [2, "south"]], False)


def test_csv_files_are_read_in_a_child(tmp_path: Path) -> None:
    found = asked(
        duck_request(csv_files(tmp_path), sql="SELECT id, total, placed FROM main.orders ORDER BY id LIMIT 1")
    )
    assert [one["type"] for one in found["columns"]] == ["integer", "number", "date"]
    assert found["rows"] == [[1, 10.5, "2025-01-03"]]


def test_the_tables_of_a_source_are_told_with_their_columns(tmp_path: Path) -> None:
    lite = asked(sqlite_request(sqlite_file(tmp_path), asked="tables"))
    duck = asked(duck_request(csv_files(tmp_path), asked="tables", reading=None))
    for found in (lite, duck):
        assert {one["name"] for one in found} == {"customers", "orders", "secret"}
        assert [one["name"] for one in found[0]["columns"]] == ["id", "region", "email", "password"]


def test_a_parquet_file_is_read_too(tmp_path: Path) -> None:
    import duckdb

    place = tmp_path / "customers.parquet"
    duckdb.sql(f"COPY (SELECT 7 AS id, 'west' AS region) TO '{place}' (FORMAT parquet)")
    files = [{"table": "customers", "path": str(place), "format": "parquet"}]
    assert asked(duck_request(files, sql=SQL))["rows"] == [[7, "west"]]


@pytest.mark.parametrize(
    ("sql", "failures"),
    [
        ("SELECT count(*) FROM range(100000000000)", (QueryTimeout,)),
        ("SELECT repeat('x', 2000000000)", (QueryTooLarge,)),
        ("SELECT list(repeat(a.range::text, 50)) FROM range(100000000) a", (QueryTooLarge, QueryTimeout)),
    ],
)
def test_what_never_ends_or_fills_the_memory_ends_the_child(
    sql: str, failures: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "CPU_SECONDS", 2)
    with pytest.raises(failures):
        asked(duck_request(csv_files(tmp_path), sql=sql))


def test_sqlite_ends_what_takes_too_long_by_itself(tmp_path: Path) -> None:
    crossed = ", ".join(f"(SELECT id FROM main.orders) o{n}" for n in range(40))
    with pytest.raises(QueryTimeout):
        asked(sqlite_request(sqlite_file(tmp_path), sql=f"SELECT sum(o1.id) FROM {crossed}"), seconds=0.5)


def test_a_view_reads_what_it_is_made_of_and_a_part_of_with_of_its_name_does_not(tmp_path: Path) -> None:
    place = sqlite_file(tmp_path)
    with sqlite3.connect(place) as connection:
        connection.execute("CREATE VIEW northern AS SELECT id, upper(region) AS region FROM customers WHERE id = 1")
    connection.close()
    reading = {"main": {"northern": ["id", "region"]}}
    found = asked(sqlite_request(place, sql='SELECT "id", "region" FROM main.northern', reading=reading))
    assert found["rows"] == [[1, "NORTH"]]
    for sql in (
        "SELECT region FROM main.customers",
        "WITH northern AS (SELECT password AS p FROM customers) SELECT p FROM northern",
        "WITH northern AS (SELECT word FROM secret) SELECT word FROM northern",
    ):
        with pytest.raises(QueryFailed):
            asked(sqlite_request(place, sql=sql, reading=reading))


def test_a_view_that_cannot_be_read_hides_no_other_table(tmp_path: Path) -> None:
    """A program's own database may have views over functions that only the program has."""
    place = sqlite_file(tmp_path)
    with sqlite3.connect(place) as connection:
        connection.execute("CREATE VIEW a_view AS SELECT own_function(id) AS x FROM customers")
        connection.execute("CREATE VIEW b_view AS SELECT gone FROM customers")
    connection.close()
    assert {one["name"] for one in asked(sqlite_request(place, asked="tables"))} == {"customers", "orders", "secret"}


def test_a_child_has_no_network_no_files_and_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As seen by the engine that would have most of each: DuckDB, told to read what it may not."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-in-the-environment")
    request = duck_request(csv_files(tmp_path))
    for path in ("/proc/self/environ", "/etc/passwd", "http://127.0.0.1:9/x.csv"):
        with pytest.raises(QueryFailed):
            asked(request, sql=f"SELECT * FROM read_csv('{path}')")


def test_what_an_engine_cannot_tell_is_a_statement_that_failed_and_no_source_that_did(tmp_path: Path) -> None:
    """Otherwise whoever may ask could have the source rest for everybody."""
    for sql in ("SELECT INTERVAL '100000000 years'", "SELECT 'a\ud800'"):
        with pytest.raises(QueryFailed):
            asked(duck_request(csv_files(tmp_path), sql=sql))


def test_a_file_that_is_no_database_says_so(tmp_path: Path) -> None:
    place = tmp_path / "shop.sqlite"
    place.write_bytes(b"SQLite format 3\0" + b"\xff" * 5_000)
    with pytest.raises(SourceFailed, match="not_a_database"):
        asked(sqlite_request(place, asked="tables"))


def test_a_file_that_is_no_table_says_so(tmp_path: Path) -> None:
    place = tmp_path / "customers.parquet"
    place.write_bytes(b"PAR1" + b"\xff" * 500 + b"PAR1")
    with pytest.raises(SourceFailed, match="unreadable_file"):
        asked(duck_request([{"table": "customers", "path": str(place), "format": "parquet"}], sql=SQL))


def test_a_column_that_is_not_in_the_reading_is_not_even_loaded(tmp_path: Path) -> None:
    with pytest.raises(QueryFailed):
        asked(duck_request(csv_files(tmp_path), sql="SELECT email FROM main.customers"))


def test_a_table_that_is_not_in_the_reading_is_not_read_whatever_the_statement_says(tmp_path: Path) -> None:
    """And nothing is, of a reading of no table."""
    place, files = sqlite_file(tmp_path), csv_files(tmp_path)
    for reading in ({"main": {"orders": ["id"]}}, {"main": {}}, {}):
        for request in (sqlite_request(place, reading=reading), duck_request(files, reading=reading)):
            assert asked(request, sql="SELECT 7 AS n")["rows"] == [[7]]
            with pytest.raises(QueryFailed):
                asked(request, sql=SQL)


def test_columns_that_a_file_no_longer_has_are_named_and_no_others(tmp_path: Path) -> None:
    reading = {"main": {"customers": ["id", "región", "tamaño"]}}
    with pytest.raises(ColumnsGone) as failed:
        asked(duck_request(csv_files(tmp_path), sql="SELECT id FROM main.customers", reading=reading))
    assert failed.value.said == "customers: región, tamaño"
    reading = {"main": {"customers": ["ID", "Region"]}}
    assert asked(duck_request(csv_files(tmp_path), sql=SQL, reading=reading))["rows"] == [[1, "north"], [2, "south"]]


MOMENTS = "id,seen\n1,2025-01-01T10:00:00Z\n2,2025-01-31T23:30:00-05:00\n"


SPANISH = "id;total;otro;en;nombre\n1;0,5;1.234,50;7;a\n2;-1234,50;12;8;b,c\n3;;;9;\n"


def told_of_file(folder: Path, text: str, column: str) -> tuple[str, list[Any]]:
    """A column's type as the tables of the source are told, and its values as they are read."""
    place = folder / "t.csv"
    place.write_text(text)
    files = [{"table": "t", "path": str(place), "format": "csv"}]
    (table,) = asked(duck_request(files, asked="tables", reading=None))
    (kind,) = [one["type"] for one in table["columns"] if one["name"] == column]
    reading = {"main": {"t": [column]}}
    found = asked(duck_request(files, sql=f'SELECT "{column}" FROM main.t', reading=reading))
    return kind, [one[0] for one in found["rows"]]


def test_numbers_with_a_decimal_comma_are_numbers(tmp_path: Path) -> None:
    for text in (SPANISH, SPANISH.replace(";", "\t")):
        assert told_of_file(tmp_path, text, "total") == ("double", [0.5, -1234.5, None])
        assert told_of_file(tmp_path, text, "en") == ("bigint", [7, 8, 9])
        assert told_of_file(tmp_path, text, "otro") == ("varchar", ["1.234,50", "12", None])


@pytest.mark.parametrize(
    ("text", "total"),
    [
        ("id;total;x\n1;0,5;1.5\n2;7,25;2.5\n", ["0,5", "7,25"]),
        ('id,total\n1,"1,234"\n2,"5,000"\n', ["1,234", "5,000"]),
        ("id\ttotal\n1\t1,234\n2\t12,500\n3\t999\n", ["1,234", "12,500", "999"]),
        ("id;total\n" + "1;0,5\n" * 30_000 + "2;n/a\n", ["0,5"]),
    ],
    ids=["another column would be no number", "thousands", "thousands between tabs", "a text further down"],
)
def test_a_comma_that_may_mean_something_else_stays_in_a_text(text: str, total: list[str], tmp_path: Path) -> None:
    kind, found = told_of_file(tmp_path, text, "total")
    assert (kind, found[: len(total)]) == ("varchar", total)


def test_a_file_of_nothing_but_decimal_commas_is_parted_by_what_its_first_line_has(tmp_path: Path) -> None:
    for sign in ";\t":
        text = f"lat{sign}lon\n41,38{sign}2,17\n40,41{sign}-3,7\n"
        assert told_of_file(tmp_path, text, "lon") == ("double", [2.17, -3.7])


def test_a_moment_without_a_zone_is_of_utc_whatever_the_machines_zone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    text = "id;seen\n1;2024-01-01 23:30:00-05:00\n2;2024-01-02 10:00:00\n"
    kind, found = told_of_file(tmp_path, text, "seen")
    assert kind == "timestamp with time zone"
    assert [one[:16] for one in found] == ["2024-01-02T04:30", "2024-01-02T10:00"]


def test_columns_that_are_gone_are_named_of_a_file_with_decimal_commas_too(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(SPANISH)
    files = [{"table": "t", "path": str(tmp_path / "t.csv"), "format": "csv"}]
    with pytest.raises(ColumnsGone, match="t: gone"):
        asked(duck_request(files, sql="SELECT 1", reading={"main": {"t": ["gone", "total"]}}))


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("zone", ["", "America/Lima"])
def test_times_with_a_zone_are_told_in_utc(
    suffix: str, zone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the machine's own zone is."""
    import duckdb

    monkeypatch.setenv("TZ", zone)
    place = tmp_path / "seen.csv"
    place.write_text(MOMENTS)
    if suffix == "parquet":
        duckdb.sql(f"COPY (SELECT * FROM '{place}') TO '{tmp_path / 'seen.parquet'}' (FORMAT parquet)")
    files = [{"table": "seen", "path": str(tmp_path / f"seen.{suffix}"), "format": suffix}]

    def found(sql: str) -> Any:
        answer = asked(duck_request(files, sql=f"{sql} FROM main.seen", reading={"main": {"seen": ["id", "seen"]}}))
        assert {one["type"] for one in answer["columns"]} <= {"integer", "datetime", "date"}
        return answer["rows"]

    assert found("SELECT *") == [[1, "2025-01-01T10:00:00+00:00"], [2, "2025-02-01T04:30:00+00:00"]]
    assert found("SELECT max(seen)") == [["2025-02-01T04:30:00+00:00"]]
    months = "SELECT DISTINCT CAST(date_trunc('month', CAST(seen AS TIMESTAMP)) AS DATE)"
    assert sorted(found(months)) == [["2025-01-01"], ["2025-02-01"]]
    assert found("SELECT date_trunc('month', max(seen))") == [["2025-02-01T00:00:00+00:00"]]


def test_of_an_engines_sentence_the_first_line_is_told_and_no_path_of_this_machine(tmp_path: Path) -> None:
    with pytest.raises(QueryFailed) as failed:
        asked(duck_request(csv_files(tmp_path), sql="SELECT\nnope FROM main.customers"))
    assert failed.value.said == 'Binder Error: Referenced column "nope" not found in FROM clause!'
    path = f"'{tmp_path}/customers.csv'"
    assert (
        first_line_said(f"\nIO Error: Cannot open {path}: it is gone\nTraceback")
        == "IO Error: Cannot open … it is gone"
    )
    assert first_line_said("no 2025/01/02 and/or 'a/b', 1 / 2") == "no 2025/01/02 and/or 'a/b', 1 / 2"


def test_a_child_that_says_nonsense_is_a_source_that_failed() -> None:
    for answer, status in ((b"", 1), (b"{", 0), (json.dumps({"error": "made up"}).encode(), 0)):
        with pytest.raises(SourceFailed):
            running._found(answer, status)


def test_a_child_that_says_too_much_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_BOOTSTRAP", "import sys; sys.stdin.read(); print('x' * 20_000_000)")
    with pytest.raises(QueryTooLarge):
        running.ask_child({})


def test_a_child_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_BOOTSTRAP", "import time; time.sleep(60)")
    monkeypatch.setattr(running, "SECONDS", 0.1)
    monkeypatch.setattr(running, "STARTING_SECONDS", 0.1)
    with pytest.raises(QueryTimeout):
        running.ask_child({})


def test_a_machine_without_room_for_a_child_is_a_source_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(SourceFailed):
        running.ask_child({})


def test_rows_are_cut_by_number_and_by_size() -> None:
    rows = [[n, "x" * 100] for n in range(50)]
    by_number = gather(["n", "x"], ["", ""], iter(rows), {"rows": 10, "bytes": 100_000})
    by_size = gather(["n", "x"], ["", ""], iter(rows), {"rows": 100, "bytes": 1_000})
    assert (len(by_number.rows), by_number.truncated) == (10, True)
    assert (len(by_size.rows), by_size.truncated) == (9, True)
    whole = gather(["n", "x"], ["", ""], iter(rows), {"rows": 50, "bytes": 100_000})
    assert (len(whole.rows), whole.truncated) == (50, False)


def test_a_long_cell_is_cut_and_an_odd_value_told_as_text() -> None:
    values = ["y" * 10_000, b"\0\1", float("nan"), 2**80, [1, {"a": None}]]
    found = gather(list("abcde"), [""] * 5, iter([values]), MOST)
    assert found.rows == [["y" * LONGEST_CELL, "(2 bytes)", "nan", str(2**80), '[1, {"a": null}]']]
    assert found.truncated


def test_what_cannot_be_seen_is_left_out() -> None:
    assert visible("a\x1b[31mb\u202ec\u200bd\0e\nf\U000e0041") == "a[31mbcde\nf"
    assert visible("ñandú – 100 €") == "ñandú – 100 €"


def test_the_reading_of_the_tests_has_no_masked_column() -> None:
    assert "email" not in repr(READING)
