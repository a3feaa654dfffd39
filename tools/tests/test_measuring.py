"""Questions on metrics as statements: each is let through by the gate, in every dialect, and counts what it says."""

import sqlite3
from datetime import date
from typing import Any

import pytest

from tools.sql.gate import read_sql
from tools.sql.measuring import PERIODS, Measure, Split, columns_of_expression, write_measure
from tools.sql.statements import ReadableColumn, ReadableTable, SqlRefused

DIALECTS = ("postgres", "mysql", "sqlite", "duckdb")
COLUMNS = ("placed", "Region", "amount", "acervo_1", "order", 'a"b')
TABLE = ReadableTable("sales", tuple(ReadableColumn(one) for one in COLUMNS))
ROWS = [
    ("2024-12-29", "n", 1),  # a Sunday
    ("2024-12-30 23:59:59", "n", 2),
    ("2025-01-05T12:00:00", None, 4),
    ("2025-01-06", "s", 8),
    ("2025-06-30", "s", 16),
    ("nonsense", "s", 32),
    (None, "s", 64),
]


def measure(aggregate: str = "sum", **more: Any) -> Measure:
    return Measure("main", "sales", aggregate, **{"column": "amount", "time_column": "placed"} | more)


def read(dialect: str, asked: Measure, split: Split) -> Any:
    sql, values = write_measure(dialect, asked, split, 1_000)
    return read_sql(sql, dialect, [TABLE], values)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("period", ["", *PERIODS])
@pytest.mark.parametrize("aggregate", ["count", "count_distinct", "sum", "average", "minimum", "maximum", "median"])
def test_the_gate_lets_each_question_through(aggregate: str, period: str, dialect: str) -> None:
    split = Split(
        columns=("Region", "order", 'a"b'),
        conditions=(("Region", ("n'; --", None)), ("amount", (1, 2.5, True))),
        since=date(2025, 1, 1),
        until=date(2025, 12, 31),
        period=period,
        types={"Region": "text"},
    )
    if aggregate == "median" and dialect in ("sqlite", "mysql"):
        with pytest.raises(SqlRefused):
            read(dialect, measure(aggregate), split)
        return
    statement = read(dialect, measure(aggregate), split)
    assert "--" not in statement.sql
    assert len(statement.values) == 6


def counted(split: Split, rows: Any = ROWS, **more: Any) -> list[Any]:
    statement = read("sqlite", measure(**more), split)
    with sqlite3.connect(":memory:") as connection:
        connection.execute('CREATE TABLE sales (placed, Region, amount, acervo_1, "order", "a""b")')
        connection.executemany("INSERT INTO sales (placed, Region, amount) VALUES (?, ?, ?)", rows)
        values = {f"p{n}": value for n, value in enumerate(statement.values, 1)}
        return connection.execute(statement.sql, values).fetchall()


@pytest.mark.parametrize(
    ("split", "rows"),
    [
        (Split(), [(127,)]),
        (Split(columns=("Region",)), [("s", 120), (None, 4), ("n", 3)]),
        (Split(since=date(2025, 1, 5), until=date(2025, 1, 6)), [(12,)]),
        (Split(until=date(2024, 12, 30)), [(3,)]),
        (Split(conditions=(("Region", ("n", None)),)), [(7,)]),
        (Split(conditions=(("Region", (None,)),)), [(4,)]),
        (Split(period="day", until=date(2024, 12, 31)), [("2024-12-29", 1), ("2024-12-30", 2)]),
        (Split(period="week"), [("2024-12-23", 1), ("2024-12-30", 6), ("2025-01-06", 8), ("2025-06-30", 16)]),
        (Split(period="month"), [("2024-12-01", 3), ("2025-01-01", 12), ("2025-06-01", 16)]),
        (Split(period="quarter"), [("2024-10-01", 3), ("2025-01-01", 12), ("2025-04-01", 16)]),
        (Split(period="year"), [("2024-01-01", 3), ("2025-01-01", 28)]),
    ],
)
def test_sqlite_counts_what_is_asked(split: Split, rows: Any) -> None:
    assert counted(split) == rows


@pytest.mark.parametrize("asked", ["madrid", "MADRID", "Madrid", "ávila", "ÁVILA", "Ávila", "peñíscola", "PEÑÍSCOLA"])
def test_capitals_of_a_text_do_not_matter(asked: str) -> None:
    """Neither where SQLite knows no small letter of them."""
    towns = ("Madrid", "MADRID", "Ávila", "ÁVILA", "Peñíscola", "PEÑÍSCOLA")
    rows = [(None, town, 1) for town in towns]
    assert counted(Split(conditions=(("Region", (asked,)),)), rows) == [(2,)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_of_a_column_that_has_no_texts_a_text_is_looked_for_as_it_is_written(dialect: str) -> None:
    """A moment has a T in it, and is another text where the source makes one of it."""
    split = Split(conditions=(("placed", ("2025-01-05T12:00:00",)),), types={"placed": "timestamp"})
    assert ("LOWER" in read(dialect, measure(), split).sql) == (dialect == "sqlite")
    number = Split(conditions=(("amount", ("3", 4)),), types={"amount": "text"})
    assert "LOWER" not in read(dialect, measure(), number).sql


def test_a_column_of_which_nothing_is_known_is_asked_in_both_ways() -> None:
    statement = read("postgres", measure(), Split(conditions=(("Region", ("Sur",)),)))
    assert statement.values == ("Sur", "sur")


def test_an_expression_is_computed_row_by_row() -> None:
    assert counted(Split(), column="", expression="amount * 2 - 1") == [(247,)]
    assert counted(Split(), column="", expression="CASE WHEN Region = 's' THEN amount END") == [(120,)]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "text",
    [
        "", "*", "amount", "amount x", "amount, 1", "1 FROM sales", "(SELECT 1)", "sum(amount)", "count(*)", ":a", "$1",
        "sales.amount", "row_number() over ()", "amount; SELECT 1", "DISTINCT amount", "pg_sleep(9)",
        "read_csv('/etc/passwd')", "load_extension('x')", "x" * 501, "(" * 400, "1 UNION SELECT 2", "amount LIMIT 1",
    ],
)  # fmt: skip
def test_what_is_no_expression_of_a_row_is_refused(text: str, dialect: str) -> None:
    with pytest.raises(SqlRefused):
        read(dialect, measure(column="", expression=text), Split())


def test_the_columns_of_an_expression_are_known() -> None:
    assert columns_of_expression('coalesce(amount, 0) - "order"', "postgres") == {"amount", "order"}
