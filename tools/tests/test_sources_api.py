"""Data sources are kept by admins of their organization; what they write of credentials is never told again."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import AuditEvent
from tests.people import People, signed_in
from tests.shops import CUSTOMERS, grant, shop
from tools import asking, sources
from tools.engines.failures import SourceFailed
from tools.files import keeping
from tools.models import DataSource, SourceFile, SourceTable
from tools.querying import QueryAnswer, run_query

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]
LIST = "/api/data-sources/"
SERVER = {
    "name": "Warehouse", "kind": "postgresql", "host": "db.example.org", "database": "sales",
    "username": "reader", "password": "pa55-zurribanda",
}  # fmt: skip


@pytest.fixture(autouse=True)
def hosts(settings: Any) -> None:
    settings.DATA_SOURCE_HOSTS = ["db.example.org", ".warehouse.example"]
    asking.breakers.clear()


def make(by: Any, **said: Any) -> Any:
    return signed_in(by).post(LIST, said, content_type="application/json")


def change(by: Any, source: Any, **said: Any) -> Any:
    return signed_in(by).patch(f"{LIST}{source}/", said, content_type="application/json")


def send_file(by: Any, source: Any, name: str, content: bytes, **said: str) -> Any:
    return signed_in(by).post(f"{LIST}{source}/files/", {"file": SimpleUploadedFile(name, content), **said})


def choose(by: Any, source: Any, *tables: Any) -> Any:
    return signed_in(by).put(f"{LIST}{source}/tables/", {"tables": tables}, content_type="application/json")


def test_credentials_are_taken_sealed_and_never_told(people: People) -> None:
    made = make(people.ada, **SERVER)
    assert made.status_code == 201
    assert made.json()["has_credentials"] is True
    row = DataSource.objects.get()
    assert row.open_credentials() == {"username": "reader", "password": "pa55-zurribanda"}
    place = f"{LIST}{row.pk}/"
    answers = [made, signed_in(people.ada).get(LIST), signed_in(people.ada).get(place), change(people.ada, row.pk)]
    for text in (repr([one.content for one in answers]), repr(vars(row)), repr(list(AuditEvent.objects.values()))):
        assert "zurribanda" not in text
        assert "reader" not in text


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"host": "elsewhere.example"}, "host"),
        ({"host": "127.0.0.1"}, "host"),
        ({"host": "db.example.org/x"}, "host"),
        ({"host": ""}, "host"),
        ({"password": ""}, "password"),
        ({"database": ""}, "database"),
        ({"port": 0}, "port"),
        ({"kind": "oracle"}, "kind"),
        ({"kind": "mysql", "database": ""}, "database"),
        ({"kind": "mysql", "host": "127.0.0.1"}, "host"),
        ({"kind": "sqlite"}, "host"),
        ({"name": ""}, "name"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_field(wrong: dict[str, Any], field: str, people: People) -> None:
    answer = make(people.ada, **{**SERVER, **wrong})
    assert answer.status_code == 400
    assert field in answer.json()["errors"]
    assert not DataSource.objects.exists()


def test_a_password_is_not_sent_to_another_server_than_it_was_written_for(people: People) -> None:
    source = make(people.ada, **SERVER).json()["id"]
    for moved in ({"host": "eu.warehouse.example"}, {"port": 6000}, {"encryption": "prefer"}, {"username": "x"}):
        assert change(people.ada, source, **moved).status_code == 400, moved
    both = {"username": "writer", "password": "new"}
    assert change(people.ada, source, host="eu.warehouse.example", **both).status_code == 200
    assert DataSource.objects.get().open_credentials() == both
    assert change(people.ada, source, host="").status_code == 400
    assert change(people.ada, source, name="Renamed", is_active=False).status_code == 200
    assert change(people.ada, source, kind="sqlite").status_code == 400


def test_a_name_is_given_once_in_an_organization(people: People) -> None:
    assert make(people.ada, name="Files", kind="duckdb").status_code == 201
    again = make(people.ada, name="Files", kind="sqlite")
    assert (again.status_code, again.json()["code"]) == (409, "source_name_taken")
    assert make(people.zoe, name="Files", kind="duckdb").status_code == 201


def test_sources_and_files_are_so_many(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_SOURCES", 1)
    source = make(people.ada, name="Files", kind="duckdb").json()["id"]
    assert make(people.ada, name="More", kind="duckdb").json()["code"] == "sources_full"
    monkeypatch.setattr(keeping, "MOST_FILES", 1)
    assert send_file(people.ada, source, "one.csv", b"a\n1\n").status_code == 201
    assert send_file(people.ada, source, "two.csv", b"a\n1\n").json()["code"] == "sources_full"
    assert send_file(people.ada, source, "one.csv", b"a\n2\n").status_code == 201  # in the place of the first
    monkeypatch.setattr(keeping, "MOST_FILE_BYTES", 5)
    assert send_file(people.ada, source, "one.csv", b"a\n1\n2\n").json()["code"] == "sources_full"
    assert bytes(SourceFile.objects.get().content) == b"a\n2\n"


@pytest.mark.parametrize(
    ("kind", "name", "content"),
    [
        ("sqlite", "a.csv", b"a,b\n"),
        ("duckdb", "a.sqlite", b"SQLite format 3\0..."),
        ("duckdb", "a.csv", b""),
        ("postgresql", "a.csv", b"a,b\n"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(kind: str, name: str, content: bytes, people: People) -> None:
    said = SERVER if kind == "postgresql" else {"name": "Files", "kind": kind}
    source = make(people.ada, **said).json()["id"]
    answer = send_file(people.ada, source, name, content)
    assert (answer.status_code, answer.json()["code"]) == (422, "source_file_unusable")


@pytest.mark.parametrize(
    ("name", "table"),
    [
        ("customers.csv", "customers"),
        ("año 2025.csv", "ano_2025"),
        ("1.csv", "t_1"),
        ("…", "table"),
        ("x" * 90, "x" * 55),
    ],
)
def test_a_table_is_called_as_its_file(name: str, table: str, people: People) -> None:
    assert keeping.table_named(name) == table
    source = make(people.ada, name="Files", kind="duckdb").json()["id"]
    assert send_file(people.ada, source, name, b"a\n1\n").json()["table"] == table
    refused = send_file(people.ada, source, name, b"a\n1\n", table='a"b')
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["table"])


def test_from_a_file_to_chosen_tables(people: People) -> None:
    source = make(people.ada, name="Files", kind="duckdb").json()["id"]
    ada = signed_in(people.ada)
    assert ada.post(f"{LIST}{source}/check/").json()["reason"] == "no_file"
    assert send_file(people.ada, source, "customers.csv", CUSTOMERS.encode()).json()["table"] == "customers"
    assert ada.post(f"{LIST}{source}/check/").json() == {"status": "ok", "tables": 1}
    assert ada.get(f"{LIST}{source}/").json()["check_outcome"] == "ok"
    (found,) = ada.get(f"{LIST}{source}/schema/").json()["tables"]
    assert [one["name"] for one in found["columns"]] == ["id", "region", "email", "password"]
    wanted = {"name": "customers", "description": "Who buys", "columns": [{"name": "email", "masked": True}]}
    chosen = choose(people.ada, source, wanted).json()["tables"]
    assert (chosen[0]["schema"], chosen[0]["columns"][0]["masked"]) == ("main", True)
    assert ada.get(f"{LIST}{source}/tables/").json() == {"tables": chosen}


def test_a_table_that_stays_chosen_keeps_its_agents_and_one_that_goes_takes_them_along(people: People) -> None:
    from tests.factories import AgentFactory

    source, agent = shop(people.ada.organization), AgentFactory(organization=people.ada.organization)
    grant(agent, *source.tables.all())
    before = {one.name: one.pk for one in source.tables.all()}
    after = choose(people.ada, source.pk, {"name": "orders", "columns": [{"name": "total"}]}).json()["tables"]
    assert [one["id"] for one in after] == [str(before["orders"])]
    assert [one.table_id for one in agent.reachable_tables.all()] == [before["orders"]]


@pytest.mark.parametrize(
    "tables",
    [
        [{"name": "a", "columns": []}],
        [{"name": "a"}],
        [{"name": "a", "columns": [{"name": "x"}, {"name": "X"}]}],
        [{"name": "a", "columns": [{"name": "x"}]}, {"name": "A", "columns": [{"name": "x"}]}],
        [{"name": f"t{n}", "columns": [{"name": "x"}]} for n in range(101)],
    ],
)
def test_tables_that_cannot_be_told_apart_or_are_too_many_are_refused(tables: Any, people: People) -> None:
    source = shop(people.ada.organization)
    assert choose(people.ada, source.pk, *tables).status_code == 400
    assert SourceTable.objects.count() == 2


def test_a_failed_check_says_why_and_is_kept(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(request: Any) -> Any:
        raise SourceFailed("unreadable_file")

    monkeypatch.setattr(asking.running, "ask_child", fail)
    source = shop(people.ada.organization)
    answer = signed_in(people.ada).post(f"{LIST}{source.pk}/check/")
    assert (answer.status_code, answer.json()["reason"]) == (409, "unreadable_file")
    source.refresh_from_db()
    assert source.check_outcome == "unreadable_file"
    again = [signed_in(people.ada).post(f"{LIST}{source.pk}/check/").json()["reason"] for _ in range(5)]
    assert again == ["unreadable_file"] * 5, "what is set up wrongly does not rest"


def test_a_server_whose_name_leads_inside_is_not_asked(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.hosts.socket.getaddrinfo", lambda *args, **named: [(2, 1, 6, "", ("10.0.0.7", 5432))])
    monkeypatch.setattr(asking.running, "ask_child", lambda request: pytest.fail("asked"))
    source = make(people.ada, **SERVER).json()["id"]
    assert signed_in(people.ada).post(f"{LIST}{source}/check/").json()["reason"] == "private"


def test_a_source_whose_key_is_gone_says_so_and_takes_new_credentials(people: People, settings: Any) -> None:
    source = make(people.ada, **SERVER).json()["id"]
    settings.SECRET_KEY = "another " * 8
    answer = signed_in(people.ada).post(f"{LIST}{source}/check/")
    assert answer.json()["reason"] == "no_credentials"
    assert change(people.ada, source, username="reader", password="again").status_code == 200
    assert DataSource.objects.get().open_credentials()["password"] == "again"


def test_what_is_done_to_sources_is_audited_without_words(people: People) -> None:
    source = make(people.ada, **SERVER).json()["id"]
    change(people.ada, source, username="x", password="zurribanda")
    signed_in(people.ada).delete(f"{LIST}{source}/")
    events = AuditEvent.objects.filter(object_type="datasource").order_by("created_at")
    assert [one.action for one in events] == ["created", "changed", "deleted"]
    assert events[1].changes == {"fields": ["password", "username"]}
    assert "zurribanda" not in repr(list(events.values()))


def test_a_file_of_the_same_name_in_other_capitals_replaces_the_one_before(people: People) -> None:
    """To DuckDB they are one name: with both, none of the source's tables could be read."""
    source = shop(people.ada.organization)
    assert send_file(people.ada, source.pk, "Customers.CSV", b"id\n1\n").status_code == 201
    assert sorted(source.files.values_list("table", flat=True)) == ["customers", "orders"]
    assert signed_in(people.ada).post(f"{LIST}{source.pk}/check/").status_code == 200


def answer_of(by: Any, source: DataSource, sql: str) -> QueryAnswer:
    sources.add_tables(by, source, sources.described_tables(source))
    SourceTable.objects.get(source=source).columns.update(is_masked=False)
    return run_query(by, source, source.tables.prefetch_related("columns"), sql, {})


def answer_to(by: Any, source: DataSource, sql: str) -> list[list[Any]]:
    return answer_of(by, source, sql).rows


def test_tables_with_capitals_in_their_names_are_asked(people: People, tmp_path: Path) -> None:
    files = DataSource.objects.create(organization=people.ada.organization, name="Files", kind="duckdb")
    assert send_file(people.ada, files.pk, "Facturación 2025.csv", b"Region;Total\nnorte;7\n").status_code == 201
    for table in ("Facturacion_2025", '"Facturacion_2025"', "facturacion_2025", "main.Facturacion_2025"):
        assert answer_to(people.ada, files, f"SELECT sum(Total) FROM {table}") == [[7]]
    lite = DataSource.objects.create(organization=people.ada.organization, name="Lite", kind="sqlite")
    with sqlite3.connect(tmp_path / "a.sqlite") as connection:
        connection.execute("CREATE TABLE Ventas (Total)")
        connection.execute("INSERT INTO Ventas VALUES (7)")
    connection.close()
    assert send_file(people.ada, lite.pk, "a.sqlite", (tmp_path / "a.sqlite").read_bytes()).status_code == 201
    assert answer_to(people.ada, lite, "SELECT v.Total FROM Ventas v") == [[7]]


def test_an_answers_columns_are_called_as_the_statement_or_the_table_calls_them(people: People, tmp_path: Path) -> None:
    """DuckDB and SQLite compare names of ASCII alone whatever their capitals; "AÑO" is another letter more."""
    head, row = ("Región", "AÑO", "Total"), ("norte", 2025, 7)
    files = DataSource.objects.create(organization=people.ada.organization, name="Files", kind="duckdb")
    content = f"{';'.join(head)}\n{';'.join(map(str, row))}\n".encode()
    assert send_file(people.ada, files.pk, "ventas.csv", content).status_code == 201
    lite = DataSource.objects.create(organization=people.ada.organization, name="Lite", kind="sqlite")
    with sqlite3.connect(tmp_path / "a.sqlite") as connection:
        connection.execute(f"CREATE TABLE ventas ({', '.join(head)})")
        connection.execute("INSERT INTO ventas VALUES (?, ?, ?)", row)
    connection.close()
    assert send_file(people.ada, lite.pk, "a.sqlite", (tmp_path / "a.sqlite").read_bytes()).status_code == 201
    for source in (files, lite):
        for sql, names in (
            ("SELECT * FROM ventas", head),
            (
                "SELECT región, SUM(Total) AS TotalVentas FROM ventas GROUP BY región ORDER BY totalventas",
                ("región", "TotalVentas"),
            ),
            ("SELECT AÑO AS ÑU FROM ventas UNION SELECT Total FROM ventas ORDER BY ÑU", ("ÑU",)),
            ("SELECT aÑo FROM ventas WHERE AÑO = 2025", ("aÑo",)),
        ):
            found = answer_of(people.ada, source, sql)
            assert tuple(one["name"] for one in found.columns) == names
            assert found.rows


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.parquet", b"PAR1 no more"), ("a.csv", b"a,b\n\0\0,1\n"), ("a.csv", "a,b\n1,2\n".encode("utf-16"))],
)
def test_a_file_that_cannot_be_read_is_not_taken_and_keeps_no_other_from_being_asked(
    people: People, name: str, content: bytes
) -> None:
    source = shop(people.ada.organization)
    refused = send_file(people.ada, source.pk, name, content)
    assert (refused.status_code, refused.json()["code"]) == (422, "source_file_unusable")
    assert source.files.count() == 2
    assert signed_in(people.ada).get(f"{LIST}{source.pk}/schema/").status_code == 200


def test_a_csv_as_excel_saves_it_in_spain_is_read(people: People) -> None:
    source = DataSource.objects.create(organization=people.ada.organization, name="Files", kind="duckdb")
    content = "Región;Precio\nCastellón;3 €\n".encode("cp1252")
    assert send_file(people.ada, source.pk, "precios.csv", content).status_code == 201
    assert answer_to(people.ada, source, 'SELECT "Región", Precio FROM precios') == [["Castellón", "3 €"]]


def test_types_stay_where_tables_are_chosen_again_without_them(people: People) -> None:
    source = shop(people.ada.organization)
    before = {one.name: one.type for one in source.tables.get(name="orders").columns.all()}
    assert set(before.values()) != {""}
    chosen = {"tables": [{"name": "orders", "columns": [{"name": name} for name in before]}]}
    place = f"{LIST}{source.pk}/tables/"
    assert signed_in(people.ada).put(place, chosen, content_type="application/json").status_code == 200
    assert {one.name: one.type for one in source.tables.get(name="orders").columns.all()} == before


def test_names_that_cannot_be_kept_are_not_chosen(people: People) -> None:
    """PostgreSQL keeps no NUL, and no more characters than a field has."""
    source = shop(people.ada.organization)
    columns = [{"name": name, "type": "bigint"} for name in ("id", "x" * 201, "a\0b")]
    found = [{"schema": "main", "name": name, "columns": columns} for name in ("more", "y" * 201, "c\0d")]
    sources.add_tables(people.ada, source, [*found, {"schema": "z" * 101, "name": "t", "columns": columns}])
    added = source.tables.exclude(name__in=("customers", "orders"))
    assert [(one.name, [column.name for column in one.columns.all()]) for one in added] == [("more", ["id"])]
