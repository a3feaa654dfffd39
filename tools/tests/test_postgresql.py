"""A real PostgreSQL as a data source: it can only be read, whatever is asked, and its certificate is proved."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
import pytest

from tests.services.servers import NotInstalled, Postgres
from tools.engines import running
from tools.engines.failures import EngineFailed, QueryFailed, QueryTimeout, SourceFailed
from tools.engines.postgresql import PostgresServer
from tools.sql.gate import read_sql
from tools.sql.measuring import Measure, Split, write_measure
from tools.sql.statements import ReadableColumn, ReadableTable
from tools.tests.hostile import EMAIL, GROUPS, STATEMENTS, WORD
from tools.tests.reading import MOST, READING, ROWS, TABLES

SETUP = (
    "CREATE ROLE reader LOGIN",
    "CREATE ROLE mighty LOGIN SUPERUSER",
    "CREATE ROLE clerk LOGIN",
    "GRANT pg_read_server_files TO clerk",
    "CREATE ROLE heir LOGIN NOINHERIT",
    "GRANT postgres TO heir",
    "CREATE SCHEMA main",
    "CREATE ROLE careful LOGIN",
    "GRANT USAGE, CREATE ON SCHEMA main TO reader",
    "GRANT USAGE, CREATE ON SCHEMA main TO careful",
)
GRANTS = ("GRANT SELECT (id, region) ON main.customers TO careful", "GRANT SELECT ON main.orders TO careful")


class Shop(Postgres):
    """With the rows of the tests, in which `reader` may do everything, and a certificate that it signed itself."""

    def command(self) -> list[str]:
        return [*super().command(), "-c", "ssl=on"]

    def furnish(self) -> None:
        for sql in SETUP:
            self.told(sql)
        for table, (head, *rows) in ROWS.items():
            self.told(f"CREATE TABLE main.{table} ({', '.join(f'{one} text' for one in head)})")
            for row in rows:
                self.told(f"INSERT INTO main.{table} VALUES ({', '.join(['%s'] * len(row))})", row)
            self.told(f"ALTER TABLE main.{table} OWNER TO reader")
        for sql in GRANTS:
            self.told(sql)

    def told(self, sql: str, values: Any = None) -> list[Any]:
        with psycopg.connect(f"postgresql://postgres@127.0.0.1:{self.port}/postgres", autocommit=True) as link:
            cursor = link.execute(sql, [str(one) for one in values] if values else None)
            return cursor.fetchall() if cursor.description else []

    def request(self, sql: str = "", **more: Any) -> dict[str, Any]:
        place = {
            "host": "localhost", "address": "127.0.0.1", "port": self.port, "database": "postgres",
            "username": "reader", "password": "", "sslmode": "require",
        }  # fmt: skip
        asked = {"kind": "postgresql", "asked": "query", "sql": sql, "values": [], "reading": READING, "most": MOST}
        return {**asked, "place": place | more.pop("place", {}), **more}


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        try:
            server = Shop(folder)
        except NotInstalled as missing:
            pytest.skip(str(missing))
        cluster = server.folder / "cluster"
        make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
        make += ["-addext", "subjectAltName=DNS:localhost"]
        made = subprocess.run(
            [*make, "-keyout", cluster / "server.key", "-out", cluster / "server.crt"], check=False, capture_output=True
        )
        if made.returncode:
            pytest.skip("openssl is not installed")
        (cluster / "server.key").chmod(0o600)
        rules = (cluster / "pg_hba.conf").read_text()
        (cluster / "pg_hba.conf").write_text(f"hostssl all sworn all scram-sha-256\n{rules}")
        owner = cluster.stat()
        for file in ("server.key", "server.crt"):
            os.chown(cluster / file, owner.st_uid, owner.st_gid)
        server.start()
        try:
            server.furnish()
            yield server
        finally:
            server.stop()


def asked(shop: Shop, statement: str, values: dict[str, Any] | None = None, **more: Any) -> Any:
    read = read_sql(statement, "postgres", TABLES, values)
    return running.ask_child(shop.request(read.sql, values=list(read.values), **more))


def test_rows_are_read_with_bound_values(shop: Shop) -> None:
    statement = "SELECT id, region, email FROM customers WHERE region = :r OR id = :n ORDER BY id"
    found = asked(shop, statement, {"r": "south", "n": "1"})
    assert found["rows"] == [["1", "north", "•••"], ["2", "south", "•••"]]
    assert [one["type"] for one in found["columns"]] == ["text", "text", "text"]


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("infinity", "date"),
        ("-infinity", "timestamp"),
        ("infinity", "timestamptz"),
        ("0044-03-15 BC", "date"),
        ("24:00:00", "time"),
    ],
)
def test_a_time_that_python_has_no_value_for_is_told_as_it_is_written(written: str, kind: str, shop: Shop) -> None:
    found = running.ask_child(shop.request(f"SELECT '{written}'::{kind}, '2025-03-01'::date"))
    assert found["rows"] == [[written, "2025-03-01"]]


@pytest.mark.parametrize("kind", ["text", 'text COLLATE "C"', "varchar(20)", "char(20)", "main.town"])
def test_capitals_of_a_text_do_not_matter_to_a_metric(kind: str, shop: Shop) -> None:
    """Not to one of a locale that knows the letters of ASCII alone, and a value that is none of an enum's is none."""
    told = {"text": "text", "varc": "character varying", "char": "character", "main": "USER-DEFINED"}[kind[:4]]
    shop.told("CREATE TYPE main.town AS ENUM ('Ávila', 'León')")
    shop.told(f"CREATE TABLE main.sales (town {kind}, amount int)")
    try:
        shop.told("INSERT INTO main.sales VALUES ('Ávila', 1), ('León', 2)")
        shop.told("GRANT SELECT ON main.sales TO reader")
        table = ReadableTable("sales", (ReadableColumn("town"), ReadableColumn("amount")))
        for town in ("ávila", "ÁVILA", "Ávila"):
            split = Split(conditions=(("town", (town, "Łódź")),), types={"town": told})
            sql, values = write_measure("postgres", Measure("main", "sales", "sum", "amount"), split, 10)
            read = read_sql(sql, "postgres", [table], values)
            reading = {"main": {"sales": ["town", "amount"]}}
            found = running.ask_child(shop.request(read.sql, values=list(read.values), reading=reading))
            assert found["rows"] == [[1]]
    finally:
        shop.told("DROP TABLE main.sales")
        shop.told("DROP TYPE main.town")


def tables_told(shop: Shop) -> dict[str, Any]:
    return {one["name"]: one for one in running.ask_child(shop.request(asked="tables"))}


def test_a_materialized_view_is_a_table_for_who_may_read_it(shop: Shop) -> None:
    shop.told("CREATE MATERIALIZED VIEW main.regions AS SELECT region, count(*) AS n FROM main.customers GROUP BY 1")
    try:
        assert "regions" not in tables_told(shop)
        shop.told("GRANT SELECT ON main.regions TO reader")
        columns = [{"name": "region", "type": "text"}, {"name": "n", "type": "bigint"}]
        assert tables_told(shop)["regions"] == {"schema": "main", "name": "regions", "columns": columns}
        found = running.ask_child(shop.request("SELECT region, n FROM main.regions ORDER BY 1"))
        assert ["north", 1] in found["rows"]
    finally:
        shop.told("DROP MATERIALIZED VIEW main.regions")


def test_its_tables_are_told(shop: Shop) -> None:
    found = running.ask_child(shop.request(asked="tables"))
    assert {(one["schema"], one["name"]) for one in found} == {("main", name) for name in ROWS}
    assert [one["name"] for one in found[0]["columns"]] == ["id", "region", "email", "password"]


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM main.customers",
        "INSERT INTO main.secret VALUES ('x')",
        "CREATE TABLE main.more (a int)",
        "SELECT pg_read_file('/etc/passwd')",
        "COPY main.secret TO PROGRAM 'cat'",
        "COPY main.secret TO '/tmp/secret'",
        "SELECT lo_import('/etc/passwd')",
        "SET TRANSACTION READ WRITE",
        "SELECT 1; DELETE FROM main.customers",
        "COMMIT; DELETE FROM main.customers",
        "ROLLBACK; BEGIN READ WRITE; DELETE FROM main.customers; COMMIT",
    ],
)
def test_past_the_reading_nothing_is_changed_and_no_file_read(sql: str, shop: Shop) -> None:
    """As if a statement had come through as it was written."""
    with pytest.raises(QueryFailed):
        running.ask_child(shop.request(sql))
    assert shop.told("SELECT count(*) FROM main.customers") == [(2,)]


def test_what_sleeps_is_ended_by_the_server(shop: Shop) -> None:
    with pytest.raises(QueryTimeout):
        running.ask_child(shop.request("SELECT pg_sleep(60)", seconds=0.5))
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'acervo'"
    assert shop.told(waiting) == [(0,)]


@pytest.mark.parametrize("role", ["mighty", "clerk", "heir"])
def test_a_role_that_may_read_the_servers_files_is_refused(role: str, shop: Shop) -> None:
    with pytest.raises(SourceFailed, match="too_powerful"):
        running.ask_child(shop.request("SELECT 1", place={"username": role}))


def test_a_server_that_is_not_there_or_does_not_know_us_says_so(shop: Shop) -> None:
    with pytest.raises(SourceFailed, match="unreachable"):
        running.ask_child(shop.request("SELECT 1", place={"port": 1}))
    with pytest.raises(SourceFailed, match="unreachable"):
        running.ask_child(shop.request("SELECT 1", place={"username": "nobody-of-this-name"}))
    with pytest.raises(SourceFailed, match="denied"):
        running.ask_child(shop.request("SELECT 1", place={"username": "sworn", "password": "wrong"}))


def test_a_server_is_proved_by_its_certificate(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """SSL_CERT_FILE says whose certificates are believed, as for models; without it, those of the web."""
    proved = shop.request("SELECT 1 AS one", place={"sslmode": "verify-full"})
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    with pytest.raises(SourceFailed, match="certificate"):
        running.ask_child(proved)
    monkeypatch.setenv("SSL_CERT_FILE", str(shop.folder / "cluster" / "server.crt"))
    assert running.ask_child(proved)["rows"] == [[1]]
    with pytest.raises(SourceFailed, match="certificate"):
        running.ask_child(shop.request("SELECT 1", place={"sslmode": "verify-full", "host": "elsewhere.example"}))


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
    request = shop.request(sql, place={"username": "careful"}, seconds=0.5)
    engine = PostgresServer(request)
    try:
        found = repr(engine.query(request))
    except EngineFailed:
        return False
    finally:
        engine._connection.close()
    return EMAIL in found or WORD in found


def rows_of(shop: Shop) -> list[Any]:
    counted = (
        "SELECT (SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_proc), (SELECT count(*) FROM pg_largeobject)"
    )
    return [shop.told(f"SELECT * FROM main.{table} ORDER BY 1") for table in ROWS] + [shop.told(counted)]
