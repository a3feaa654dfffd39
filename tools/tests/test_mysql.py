"""A real MariaDB as a data source: it can only be read, whatever is asked."""

import time
from collections.abc import Iterator
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

import pymysql
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tools.engines import running
from tools.engines.cells import LONGEST_CELL, visible
from tools.engines.failures import QueryFailed, QueryTimeout, SourceFailed
from tools.engines.mysql import MySqlServer
from tools.sql.gate import read_sql
from tools.sql.measuring import PERIODS, Measure, Split, write_measure
from tools.sql.statements import ReadableColumn, ReadableTable
from tools.tests.hostile import EMAIL, GROUPS, STATEMENTS, WORD
from tools.tests.mariadb import DATABASE, TABLES, Shop, running_shop
from tools.tests.reading import ROWS
from tools.tests.test_sql_gate import ALLOWED, MASKED

pytestmark = pytest.mark.xdist_group("mariadb")  # one worker starts the server


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with running_shop() as server:
        yield server


def asked(shop: Shop, statement: str, values: dict[str, Any] | None = None, **more: Any) -> Any:
    return running.ask_child(shop.request(read_sql(statement, "mysql", TABLES, values).sql, **more))


def in_this_process(shop: Shop, sql: str, **more: Any) -> Any:
    """Without the half second of a child."""
    asked = shop.request(sql, **more)
    engine = MySqlServer(asked)
    try:
        return engine.query(asked)
    finally:
        engine._connection.close()


def past_the_engine(shop: Shop, sql: str, **more: Any) -> list[Any]:
    """Over the engine's own connection."""
    engine = MySqlServer(shop.request(sql, **more))
    try:
        cursor = engine._connection.cursor()
        cursor.execute(sql)
        return list(cursor)
    finally:
        engine._connection.close()


@pytest.mark.parametrize("role", ["reader", "careful"])
def test_rows_are_read_with_values_in_their_places(role: str, shop: Shop) -> None:
    """Also by a role that was granted the open columns alone."""
    statement = "SELECT id, region, email FROM customers WHERE region = :r OR id = :n ORDER BY id"
    found = asked(shop, statement, {"r": "south", "n": 1}, place={"username": role})
    assert found["rows"] == [["1", "north", "•••"], ["2", "south", "•••"]]
    assert [one["type"] for one in found["columns"]] == ["text", "text", "text"]


@pytest.mark.parametrize("statement", ALLOWED)
def test_what_is_let_through_is_run(statement: str, shop: Shop) -> None:
    read = read_sql(statement.replace("main.", f"{DATABASE}."), "mysql", TABLES)
    assert in_this_process(shop, read.sql).rows or "EXCEPT" in statement


@pytest.mark.parametrize("statement", MASKED)
def test_nothing_of_a_masked_column_can_be_told_by_asking(statement: str, shop: Shop) -> None:
    answers = []
    for email in ("zebra@elsewhere.example", EMAIL):
        shop.told(f"UPDATE {DATABASE}.customers SET email = %s", [email])
        found = in_this_process(shop, read_sql(statement, "mysql", TABLES).sql)
        answers.append(sorted(map(str, found.rows)))
    assert answers[0] == answers[1]
    assert EMAIL not in repr(answers)


# In MySQL's own words; the server answers each as it stands and as it is rendered.
EXPRESSIONS = r"""
placed + INTERVAL 1 DAY
DATE_ADD(placed, INTERVAL 1 MONTH)
DATE_SUB(placed, INTERVAL 3 WEEK)
DATEDIFF('2025-06-01', placed)
TIMESTAMPDIFF(MONTH, placed, '2025-06-01')
YEAR(placed)
QUARTER(placed)
WEEK(placed, 3)
WEEK(placed)
DAYOFWEEK(placed)
EXTRACT(YEAR FROM placed)
EXTRACT(YEAR_MONTH FROM placed)
DATE(placed)
CAST(placed AS CHAR)
CAST('12' AS SIGNED)
CAST(total AS UNSIGNED)
CAST('2025-01-01' AS DATETIME)
1/0
7 DIV 2
7 % 3
7 MOD 3
-id
NOT id
id <=> NULL
TRIM('  a ')
TRIM(LEADING 'a' FROM 'aab')
SUBSTRING('abc', 2)
SUBSTRING('abc' FROM 2 FOR 1)
LEFT('abc',1)
RIGHT('abc',1)
LOCATE('b','abc')
LOCATE('b','abcb',3)
INSTR('abc','c')
POSITION('b' IN 'abc')
CHAR_LENGTH('ñ')
LENGTH('ñ')
UPPER('ñ')
ROUND(1.25,1)
ROUND(125,-1)
CEIL(1.2)
CEILING(1.2)
FLOOR(1.7)
GREATEST(1,2)
LEAST(1,2)
LN(2)
LOG(2,8)
LOG(2)
POWER(2,3)
POW(2,3)
SQRT(4)
SIGN(-1)
ABS(-2)
EXP(1)
IF(1,2,3)
IFNULL(NULL,1)
NULLIF(1,1)
COALESCE(NULL,2)
CONCAT('a','b',1)
CONCAT('a',NULL)
'a' LIKE 'A'
'a\\b' LIKE 'a\\\\b'
'50%' LIKE '50\\%'
'x' LIKE 'x!%' ESCAPE '!'
DATE_FORMAT(placed,'%Y-%m-%d %H:%i:%s %W %M %j %u %x-%v %T %p')
DATE_FORMAT(placed, '%e %c %h %k %l %y %a %b %D %f')
STDDEV(total) OVER ()
STDDEV_SAMP(total) OVER ()
VAR_SAMP(total) OVER ()
VARIANCE(total) OVER ()
RANK() OVER (ORDER BY total DESC)
LAG(total) OVER (ORDER BY id)
FIRST_VALUE(total) OVER (ORDER BY id)
NTILE(2) OVER (ORDER BY id)
SUM(total) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
1 = 1 AND 2 > 1 OR FALSE
5 BETWEEN 1 AND 6
id IN (1,2)
id NOT IN (1,2)
placed IS NULL
1e3
1.50
TRUE
HOUR('10:11:12')
DAY(placed)
MONTH(placed)
CASE id WHEN 1 THEN 'a' ELSE 'b' END
LOWER('Ñ')
SUBSTR('abcdef',-3,2)
CONVERT(total, SIGNED)
CONVERT(total, CHAR)
2 - 3 - 4
2 - (3 - 4)
8 / 4 / 2
8 / (4 / 2)
- 2 + 3
NOT 1 = 2
NOT (1 = 2)
1 < 2 = 1
(SELECT max(total) FROM shop.orders)
placed > '2025-01-15'
DATE '2025-01-01'
TIMESTAMP '2025-01-01 00:00:00'
total * 2 + 1
""".strip().split("\n")


def test_what_is_rendered_means_what_was_written(shop: Shop) -> None:
    connection = MySqlServer(shop.request())._connection

    def answer(sql: str) -> list[Any]:
        cursor = connection.cursor()
        cursor.execute(sql)
        return list(cursor)

    for expression in EXPRESSIONS:
        written = f"SELECT id, {expression} AS v FROM {DATABASE}.orders ORDER BY id"
        assert answer(read_sql(written, "mysql", TABLES).sql) == answer(written), expression
    connection.close()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.text(max_size=80).filter(lambda text: "\0" not in text and text.isprintable()))
def test_a_text_means_the_same_to_the_server_as_it_was_read(value: str, shop: Shop) -> None:
    """As a value, between both kinds of quotes, and as what a row has."""
    text = value.replace("\\", "\\\\").replace("'", "''")
    also = value.replace("\\", "\\\\").replace('"', '\\"')
    sql = f"SELECT :v AS a, '{text}' AS b, \"{also}\" AS c, :v = '{text}' AS d"
    found = in_this_process(shop, read_sql(sql, "mysql", TABLES, {"v": value}).sql)
    assert found.rows == [[visible(value)] * 3 + [1]]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, None), (True, 1), (False, 0), (2**63 - 1, 2**63 - 1), (-(2**63), -(2**63)), (1e300, 1e300),
        (1.5, "1.5"), (-1e-7, -1e-7), ("\\'; --", "\\'; --"), ("😀\n\t", "😀\n\t"),
    ],
)  # fmt: skip
def test_a_value_comes_as_it_was_sent(value: Any, told: Any, shop: Shop) -> None:
    found = in_this_process(shop, read_sql("SELECT :v AS v", "mysql", TABLES, {"v": value}).sql)
    assert found.rows == [[told]]


TYPED = (
    ("BIGINT UNSIGNED", "18446744073709551615", 2**64 - 1, "integer"),
    ("TINYINT(1)", "1", 1, "integer"),
    ("DECIMAL(20,4)", "12345678901234.5678", "12345678901234.5678", "decimal"),
    ("FLOAT", "1.5", 1.5, "number"),
    ("DOUBLE", "1e300", 1e300, "number"),
    ("DATE", "2025-03-01", "2025-03-01", "date"),
    ("DATE", "0000-00-00", "0000-00-00", "date"),
    ("DATE", "2025-00-00", "2025-00-00", "date"),
    ("DATETIME", "2025-03-01 10:11:12", "2025-03-01T10:11:12", "datetime"),
    ("DATETIME(6)", "2025-03-01 10:11:12.5", "2025-03-01T10:11:12.500000", "datetime"),
    ("DATETIME", "0000-00-00 00:00:00", "0000-00-00 00:00:00", "datetime"),
    ("TIMESTAMP NULL", "2025-03-01 10:11:12", "2025-03-01T10:11:12", "datetime"),
    ("TIME", "-838:59:59", "-838:59:59", "time"),
    ("TIME(2)", "10:11:12.25", "10:11:12.25", "time"),
    ("YEAR", "2025", 2025, "integer"),
    ("YEAR", "0000", 0, "integer"),
    ("BIT(12)", "b'101'", 5, "integer"),
    ("VARCHAR(20) CHARACTER SET latin1", "ñandú €", "ñandú €", "text"),
    ("VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin", "😀\u202e", "😀", "text"),
    ("LONGTEXT", "x" * 5_000, "x" * LONGEST_CELL, "text"),
    ("JSON", '{"a": "ñ"}', '{"a": "ñ"}', "text"),  # a LONGTEXT to MariaDB
    ("ENUM('a','b')", "b", "b", "text"),
    ("SET('a','b')", "a,b", "a,b", "text"),
    ("BLOB", "abc", "(3 bytes)", "bytes"),
    ("BINARY(4)", "abcd", "(4 bytes)", "bytes"),
    ("UUID", "123e4567-e89b-12d3-a456-426655440000", "123e4567-e89b-12d3-a456-426655440000", "text"),
    ("INET6", "::1", "::1", "text"),
    ("POINT", "", None, "text"),
)


@pytest.mark.parametrize(("kind", "written", "told", "type"), TYPED)
def test_each_type_is_told_as_what_it_is(kind: str, written: str, told: Any, type: str, shop: Shop) -> None:
    shop.told(f"CREATE OR REPLACE TABLE {DATABASE}.typed (v {kind})")
    literal = "NULL" if not written else written if written.startswith("b'") else f"'{written}'"
    shop.told(f"SET STATEMENT sql_mode = '' FOR INSERT INTO {DATABASE}.typed VALUES ({literal})")
    tables = [*TABLES, ReadableTable("typed", (ReadableColumn("v"),), DATABASE)]
    try:
        found = in_this_process(shop, read_sql("SELECT v FROM typed", "mysql", tables).sql)
    finally:
        shop.told(f"DROP TABLE {DATABASE}.typed")
    assert (found.rows, found.columns) == ([[told]], [{"name": "v", "type": type}])


def test_its_tables_are_told_and_those_of_no_other_database(shop: Shop) -> None:
    found = running.ask_child(shop.request(asked="tables"))
    assert {(one["schema"], one["name"]) for one in found} == {(DATABASE, name) for name in ROWS}
    assert [one["name"] for one in found[0]["columns"]] == ["id", "region", "email", "password"]
    careful = running.ask_child(shop.request(asked="tables", place={"username": "careful"}))
    assert {one["name"]: len(one["columns"]) for one in careful} == {"customers": 2, "orders": 4}


@pytest.mark.parametrize(
    "database", ["nowhere", "elsewhere", "mysql", "information_schema", "Performance_Schema", "sys"]
)
def test_a_database_that_is_not_there_or_not_for_the_role_says_so(database: str, shop: Shop) -> None:
    with pytest.raises(SourceFailed, match="no_database"):
        running.ask_child(shop.request(asked="tables", place={"database": database}))


def test_tables_that_were_chosen_of_another_database_are_not_read(shop: Shop) -> None:
    with pytest.raises(QueryFailed):
        in_this_process(shop, "SELECT word FROM elsewhere.secret", reading={"elsewhere": {"secret": ["word"]}})


def test_a_database_whose_name_differs_in_its_capitals_is_another(shop: Shop) -> None:
    shop.told("CREATE DATABASE SHOP")
    shop.told("CREATE TABLE SHOP.secret (word TEXT)")
    shop.told("GRANT SELECT ON SHOP.* TO reader")
    try:
        with pytest.raises(QueryFailed, match="of another database"):
            in_this_process(shop, "SELECT word FROM SHOP.secret", reading={"SHOP": {"secret": ["word"]}})
    finally:
        shop.told("DROP DATABASE SHOP")


@pytest.mark.parametrize("mode", ["ANSI_QUOTES", "ORACLE", "NO_BACKSLASH_ESCAPES"])
def test_a_powerful_role_is_known_whatever_the_server_quotes_names_by(mode: str, shop: Shop) -> None:
    shop.told(f"SET GLOBAL sql_mode = '{mode}'")
    try:
        with pytest.raises(SourceFailed, match="too_powerful"):
            in_this_process(shop, "SELECT 1", place={"username": "heir"})
        assert in_this_process(shop, "SELECT 1", place={"username": "tame"}).rows == [[1]]
    finally:
        shop.told("SET GLOBAL sql_mode = DEFAULT")


@pytest.mark.parametrize(
    "sql",
    [
        f"DELETE FROM {DATABASE}.customers",
        f"UPDATE {DATABASE}.customers SET id = 9",
        f"INSERT INTO {DATABASE}.secret VALUES ('x')",
        f"REPLACE INTO {DATABASE}.secret VALUES ('x')",
        f"CREATE TABLE {DATABASE}.more (a int)",
        f"DROP TABLE {DATABASE}.customers",
        f"TRUNCATE {DATABASE}.customers",
        f"ALTER TABLE {DATABASE}.customers ADD COLUMN x int",
        f"RENAME TABLE {DATABASE}.customers TO {DATABASE}.other",
        f"CREATE VIEW {DATABASE}.v AS SELECT 1",
        f"DROP DATABASE {DATABASE}",
        f"LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE {DATABASE}.secret",
        f"LOAD DATA INFILE '/etc/passwd' INTO TABLE {DATABASE}.secret",
        f"SELECT * FROM {DATABASE}.secret INTO OUTFILE '/tmp/acervo-secret'",
        f"SELECT 1; DELETE FROM {DATABASE}.customers",
        f"COMMIT; DELETE FROM {DATABASE}.customers",
        "SELECT * FROM mysql.global_priv",
        "SELECT * FROM elsewhere.secret",
        "SELECT word FROM secret",
    ],
)
def test_past_the_reading_nothing_is_changed_and_no_file_read(sql: str, shop: Shop) -> None:
    """As if a statement had come through as it was written, of a role that may change everything in its database."""
    before = rows_of(shop)
    with pytest.raises(pymysql.MySQLError):
        past_the_engine(shop, sql)
    with pytest.raises(QueryFailed):
        in_this_process(shop, sql)
    assert rows_of(shop) == before


def test_several_statements_in_the_place_of_one_are_not_sent(shop: Shop) -> None:
    """They end the transaction that only reads, and MariaDB takes them for one."""
    before = rows_of(shop)
    delete = f"DELETE FROM {DATABASE}.customers"
    with pytest.raises(QueryFailed):
        in_this_process(shop, f"BEGIN NOT ATOMIC COMMIT; SET TRANSACTION READ WRITE; {delete}; END")
    assert rows_of(shop) == before


def test_no_file_of_the_server_is_read(shop: Shop) -> None:
    assert in_this_process(shop, "SELECT LOAD_FILE('/etc/passwd')").rows == [[None]]


def test_what_never_ends_is_ended_by_the_server(shop: Shop) -> None:
    with pytest.raises(QueryTimeout):
        running.ask_child(shop.request("SELECT SLEEP(60)", seconds=0.5))
    began = time.monotonic()
    in_this_process(shop, "SELECT BENCHMARK(100000000000, SHA2(RAND(), 512))", seconds=0.5)  # 0, once it is ended
    assert time.monotonic() - began < 5
    busy = "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'reader' AND info <> ''"
    assert shop.told(busy) == [(0,)]


def test_a_frozen_server_is_not_waited_for_and_says_so(shop: Shop) -> None:
    shop.freeze()
    try:
        with pytest.raises(SourceFailed, match="unreachable"):
            running.ask_child(shop.request("SELECT 1", seconds=0.5))
    finally:
        shop.thaw()


@pytest.mark.parametrize("role", ["mighty", "filer", "heir", "proxied", "generous", "root"])
def test_a_role_that_may_do_more_than_read_everywhere_is_refused(role: str, shop: Shop) -> None:
    with pytest.raises(SourceFailed, match="too_powerful"):
        in_this_process(shop, "SELECT 1", place={"username": role})


def test_a_role_that_reads_everywhere_may_connect_and_a_default_role_stays_taken_on(shop: Shop) -> None:
    for role in ("wide", "tame"):
        sql = f"SELECT COUNT(*) FROM {DATABASE}.customers"
        assert in_this_process(shop, sql, place={"username": role}).rows == [[2]]


def test_a_server_that_is_not_there_or_does_not_know_us_says_so(shop: Shop) -> None:
    for wrong, said in (
        ({"port": 1}, "unreachable"),
        ({"username": "nobody-of-this-name"}, "denied"),
        ({"password": "wrong"}, "denied"),
    ):
        with pytest.raises(SourceFailed, match=said):
            running.ask_child(shop.request("SELECT 1", place=wrong))


def test_a_password_is_sent_as_utf_8(shop: Shop) -> None:
    shop.told("CREATE OR REPLACE USER worded IDENTIFIED BY 'contraseña – 😀'")
    place = {"username": "worded", "password": "contraseña – 😀"}
    assert in_this_process(shop, "SELECT 1", place=place).rows == [[1]]


def test_a_server_is_proved_by_its_certificate(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """SSL_CERT_FILE says whose certificates are believed, as for models; without it, those of the web."""
    proved = shop.request("SELECT 1 AS one", place={"sslmode": "verify-full"})
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with pytest.raises(SourceFailed, match="unreachable"):
        running.ask_child(proved)
    monkeypatch.setenv("SSL_CERT_FILE", str(shop.folder / "server.crt"))
    assert running.ask_child(proved)["rows"] == [[1]]
    with pytest.raises(SourceFailed, match="unreachable"):
        running.ask_child(shop.request("SELECT 1", place={"sslmode": "verify-full", "host": "elsewhere.example"}))


@pytest.mark.parametrize("sslmode", ["require", "prefer"])
def test_a_connection_is_encrypted_where_the_server_can(sslmode: str, shop: Shop) -> None:
    ((_name, told),) = past_the_engine(shop, "SHOW SESSION STATUS LIKE 'Ssl_version'", place={"sslmode": sslmode})
    assert told.startswith("TLS")


@pytest.mark.parametrize("group", GROUPS)
def test_a_role_with_grants_gives_nothing_away_and_changes_nothing_also_past_the_reading(
    group: str, shop: Shop, tmp_path: Path
) -> None:
    """Each hostile statement as it was written, but for what fills the memory, which takes a child along."""
    file = tmp_path / "file.csv"
    file.write_text(f"word\n{WORD}\n")
    before = rows_of(shop)
    lines = [line for one, line in STATEMENTS if one == group and "RECURSIVE" not in line and "00000000" not in line]
    assert [line for line in lines if leaks(shop, line.replace("{file}", str(file)))] == []
    assert rows_of(shop) == before


def leaks(shop: Shop, sql: str) -> bool:
    try:
        found = repr(past_the_engine(shop, sql, place={"username": "careful"}, seconds=0.5))
    except pymysql.MySQLError:
        return False
    return EMAIL in found or WORD in found


def test_what_may_be_read_is_read_so_that_the_test_above_is_worth_something(shop: Shop) -> None:
    assert WORD in repr(in_this_process(shop, f"SELECT word FROM {DATABASE}.secret"))


def rows_of(shop: Shop) -> list[Any]:
    counted = (
        "SELECT COUNT(*) FROM information_schema.tables UNION ALL SELECT COUNT(*) FROM information_schema.routines"
    )
    return [shop.told(f"SELECT * FROM {DATABASE}.{table} ORDER BY 1") for table in ROWS] + [shop.told(counted)]


SALES = ReadableTable("sales", tuple(map(ReadableColumn, ("placed", "Region", "amount"))), DATABASE)
SOLD = [
    ("2024-12-29 00:00:00", "n", 1),  # a Sunday
    ("2024-12-30 23:59:59", "n", 2),
    ("2025-01-05 12:00:00", None, 4),
    ("2025-01-06 00:00:00", "s", 8),
    ("2025-06-30 00:00:00", "s", 16),
    ("0000-00-00 00:00:00", "s", 32),
    (None, "s", 64),
]


@pytest.fixture(scope="module")
def sales(shop: Shop) -> Iterator[Shop]:
    shop.told(f"CREATE TABLE {DATABASE}.sales (placed DATETIME, Region VARCHAR(9), amount INT UNSIGNED)")
    with_zero = "SET STATEMENT sql_mode = '' FOR INSERT INTO"
    for one in SOLD:
        values = ", ".join("NULL" if cell is None else f"'{cell}'" for cell in one)
        shop.told(f"{with_zero} {DATABASE}.sales VALUES ({values})")
    yield shop
    shop.told(f"DROP TABLE {DATABASE}.sales")


def counted(sales: Shop, split: Split, **more: Any) -> list[Any]:
    named = {"aggregate": "sum", "column": "amount", "time_column": "placed"} | more
    sql, values = write_measure("mysql", Measure(DATABASE, "sales", **named), split, 1_000)
    rows = in_this_process(sales, read_sql(sql, "mysql", [SALES], values).sql).rows
    return [(*row[:-1], int(float(row[-1]))) for row in rows]


@pytest.mark.parametrize(
    ("split", "rows"),
    [
        (Split(), [(127,)]),
        (Split(columns=("Region",)), [("s", 120), (None, 4), ("n", 3)]),
        (Split(since=date(2025, 1, 5), until=date(2025, 1, 6)), [(12,)]),
        (Split(conditions=(("Region", ("n", None)),)), [(7,)]),
        (Split(conditions=(("Region", (None,)),)), [(4,)]),
        (Split(conditions=(("Region", ("N", None)),), types={"Region": "varchar"}), [(7,)]),
        (Split(conditions=(("Region", ("S",)),)), [(120,)]),
        (Split(period="day", since=date(2024, 1, 1), until=date(2024, 12, 31)), [("2024-12-29", 1), ("2024-12-30", 2)]),
        (Split(period="week"), [("2024-12-23", 1), ("2024-12-30", 6), ("2025-01-06", 8), ("2025-06-30", 16)]),
        (Split(period="month"), [("2024-12-01", 3), ("2025-01-01", 12), ("2025-06-01", 16)]),
        (Split(period="quarter"), [("2024-10-01", 3), ("2025-01-01", 12), ("2025-04-01", 16)]),
        (Split(period="year"), [("2024-01-01", 3), ("2025-01-01", 28)]),
    ],
)
def test_metrics_count_what_is_asked(split: Split, rows: Any, sales: Shop) -> None:
    assert counted(sales, split) == rows


@pytest.mark.parametrize(
    "kind", ["VARCHAR(20) COLLATE utf8mb4_bin", "TEXT CHARACTER SET latin1", "ENUM('Ávila', 'León')"]
)
def test_capitals_do_not_matter_however_a_text_is_kept(kind: str, shop: Shop) -> None:
    told = kind.partition(" ")[0].partition("(")[0].lower()
    table = ReadableTable("towns", (ReadableColumn("town"),), DATABASE)
    shop.told(f"CREATE TABLE {DATABASE}.towns (town {kind})")
    try:
        shop.told(f"INSERT INTO {DATABASE}.towns VALUES ('Ávila'), ('León')")
        for town, types in product(("ávila", "ÁVILA", "Ávila"), ({}, {"town": told})):
            split = Split(conditions=(("town", (town, "µm")),), types=types)
            sql, values = write_measure("mysql", Measure(DATABASE, "towns", "count"), split, 10)
            assert in_this_process(shop, read_sql(sql, "mysql", [table], values).sql).rows == [[1]]
    finally:
        shop.told(f"DROP TABLE {DATABASE}.towns")


@pytest.mark.parametrize("period", ["", *PERIODS])
@pytest.mark.parametrize("aggregate", ["count", "count_distinct", "sum", "average", "minimum", "maximum"])
def test_each_aggregate_is_taken_over_each_period(aggregate: str, period: str, sales: Shop) -> None:
    assert counted(sales, Split(columns=("Region",), period=period), aggregate=aggregate)


def test_an_expression_below_zero_is_one_also_of_unsigned_columns(sales: Shop) -> None:
    assert counted(sales, Split(), column="", expression="amount - 20") == [(127 - 7 * 20,)]
