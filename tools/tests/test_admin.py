"""Data sources in the admin: connected, checked, given files, their tables chosen and given to agents."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEvent
from tests.factories import UserFactory
from tests.people import People, signed_in
from tests.shops import CUSTOMERS, shop
from tools import asking
from tools.models import DataSource, SourceColumn, SourceTable

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("in_this_thread")]
NO_FILES = {"files-TOTAL_FORMS": "0", "files-INITIAL_FORMS": "0"}
SERVER = {
    "name": "Warehouse", "kind": "postgresql", "host": "db.example.org", "database": "sales", "port": "",
    "encryption": "require", "is_active": "on", "username": "reader", "password": "zurribanda", **NO_FILES,
}  # fmt: skip


@pytest.fixture(autouse=True)
def hosts(settings: Any) -> None:
    settings.DATA_SOURCE_HOSTS = ["db.example.org", "eu.example.org"]
    asking.breakers.clear()


def page(name: str, *args: Any) -> str:
    return reverse(f"admin:tools_{name}", args=args)


def errors_of(answer: Any) -> dict[str, Any]:
    return dict(answer.context["adminform"].errors)


def test_a_server_is_connected_and_its_credentials_are_never_shown(people: People) -> None:
    ada = signed_in(people.ada)
    assert ada.post(page("datasource_add"), SERVER).status_code == 302
    source = DataSource.objects.get()
    assert (source.organization, source.name) == (people.ada.organization, "Warehouse")
    assert source.open_credentials() == {"username": "reader", "password": "zurribanda"}
    for place in (
        page("datasource_change", source.pk),
        page("datasource_changelist"),
        page("datasource_history", source.pk),
    ):
        shown = ada.get(place)
        assert shown.status_code == 200
        assert "zurribanda" not in shown.content.decode()
    (event,) = AuditEvent.objects.filter(object_type="datasource")
    assert event.action == "created"
    assert "zurribanda" not in repr(event.changes)


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"host": "elsewhere.example"}, "host"),
        ({"host": "https://db.example.org"}, "host"),
        ({"password": ""}, "password"),
        ({"database": ""}, "database"),
        ({"kind": "duckdb"}, "host"),
        ({"name": ""}, "name"),
        ({"port": "70000"}, "port"),
    ],
)
def test_the_rules_are_those_of_the_api(wrong: Any, field: str, people: People) -> None:
    answer = signed_in(people.ada).post(page("datasource_add"), SERVER | wrong)
    assert answer.status_code == 200
    assert field in errors_of(answer)
    assert not DataSource.objects.exists()


def test_what_is_left_empty_stays_and_a_password_goes_to_no_other_server(people: People) -> None:
    ada = signed_in(people.ada)
    ada.post(page("datasource_add"), SERVER)
    source = DataSource.objects.get()
    place = page("datasource_change", source.pk)
    same = {name: value for name, value in SERVER.items() if name not in ("username", "password", "kind")}
    assert ada.post(place, same | {"name": "Renamed"}).status_code == 302
    source.refresh_from_db()
    assert source.name == "Renamed"
    assert source.open_credentials()["password"] == "zurribanda"
    moved = ada.post(place, same | {"host": "eu.example.org"})
    assert "password" in errors_of(moved)
    assert ada.post(place, same | {"password": "corrected"}).status_code == 302  # of the name that is kept
    source.refresh_from_db()
    assert source.open_credentials() == {"username": "reader", "password": "corrected"}
    assert "password" in errors_of(ada.post(place, same | {"host": "eu.example.org", "password": "corrected"}))
    both = {"host": "eu.example.org", "username": "reader", "password": "new"}
    assert ada.post(place, same | both).status_code == 302
    source.refresh_from_db()
    assert (source.host, source.open_credentials()["password"]) == ("eu.example.org", "new")


def test_a_name_that_is_taken_is_said_in_the_form(people: People) -> None:
    shop(people.ada.organization, "Warehouse")
    shop(people.zoe.organization, "Elsewhere")
    answer = signed_in(people.ada).post(page("datasource_add"), SERVER)
    assert answer.status_code == 200
    assert answer.context["adminform"].errors
    assert signed_in(people.ada).post(page("datasource_add"), SERVER | {"name": "Elsewhere"}).status_code == 302


def made_of_files(ada: Client) -> DataSource:
    said = {"name": "Files", "kind": "duckdb", "encryption": "require", "is_active": "on", **NO_FILES}
    files = [SimpleUploadedFile("customers.csv", CUSTOMERS.encode()), SimpleUploadedFile("x.csv", b"SQLite format 3\0")]
    assert ada.post(page("datasource_add"), {**said, "new_files": files}).status_code == 302
    return DataSource.objects.get(name="Files")


def test_from_files_to_described_tables(people: People) -> None:
    ada = signed_in(people.ada)
    source = made_of_files(ada)
    assert [one.table for one in source.files.all()] == ["customers"]  # the other one was refused by itself
    assert ada.post(page("source_check", source.pk)).status_code == 302
    source.refresh_from_db()
    assert source.check_outcome == "ok"
    shown = ada.get(page("source_tables", source.pk))
    assert [one["name"] for one in shown.context["tables"]] == ["customers"]
    ticked = {"table": [shown.context["tables"][0]["value"], '["main", "made_up"]', "x"]}
    assert ada.post(page("source_tables", source.pk), ticked).status_code == 302
    table = source.tables.get()
    assert {one.is_masked for one in table.columns.all()} == {True}
    assert "customers" in ada.get(page("source_tables", source.pk)).content.decode()

    columns = list(table.columns.all())
    form: dict[str, Any] = {"description": "Who buys", "columns-TOTAL_FORMS": 4, "columns-INITIAL_FORMS": 4}
    form |= {f"{kind}-{count}_FORMS": 0 for kind in ("metrics", "dimensions") for count in ("TOTAL", "INITIAL")}
    for n, column in enumerate(columns):
        form |= {f"columns-{n}-id": column.pk, f"columns-{n}-table": table.pk, f"columns-{n}-description": column.name}
        form |= {f"columns-{n}-is_masked": "on"} if column.name in ("email", "password") else {}
    before = source.updated_at
    assert ada.post(page("sourcetable_change", table.pk), form).status_code == 302
    assert [one.is_masked for one in table.columns.all()] == [False, False, True, True]
    assert SourceTable.objects.get().description == "Who buys"
    source.refresh_from_db()
    assert source.updated_at > before


def test_what_has_changed_in_a_source_since_is_said_where_its_tables_are_chosen(people: People) -> None:
    ada, source = signed_in(people.ada), shop(people.ada.organization)
    source.files.filter(table="customers").update(content=b"id,region,phone\nN-1,north,5\n")
    source.files.filter(table="orders").delete()
    kept = source.tables.get(name="customers").columns.get(name="region")
    shown = ada.get(page("source_tables", source.pk))
    (customers,) = shown.context["tables"]
    assert customers["new"] == ["phone"]
    assert [one.split(" ")[0] for one in customers["retyped"]][:1] == ["id"]
    assert "email" in customers["gone"]
    assert [one.name for one in shown.context["gone"]] == ["orders"]
    assert ada.post(page("source_tables", source.pk), {"table": [customers["value"]]}).status_code == 302
    columns = {one.name: one for one in source.tables.get(name="customers").columns.all()}
    assert list(columns) == ["id", "region", "phone"]
    assert columns["phone"].is_masked
    assert (columns["region"].is_masked, columns["region"].description) == (kept.is_masked, kept.description)
    (again,) = ada.get(page("source_tables", source.pk)).context["tables"]
    assert (again["new"], again["gone"], again["retyped"]) == ([], [], [])


@pytest.mark.parametrize(
    ("kind", "there", "absent"),
    [("duckdb", "new_files", "host"), ("bucket", "host", "new_files"), ("rest", "openapi", "new_files")],
)
def test_a_source_shows_the_fields_of_its_kind(kind: str, there: str, absent: str, people: People) -> None:
    source = DataSource.objects.create(organization=people.ada.organization, name="One", kind=kind)
    shown = signed_in(people.ada).get(page("datasource_change", source.pk)).content.decode()
    assert f'name="{there}"' in shown
    assert f'name="{absent}"' not in shown


def test_of_another_organization_there_is_nothing_to_check_or_choose(people: People) -> None:
    source = shop(people.ada.organization)
    for name in ("source_check", "source_tables"):
        for stranger in (signed_in(people.zoe), signed_in(people.bob)):
            assert stranger.post(page(name, source.pk)).status_code == 404
            assert stranger.get(page(name, source.pk)).status_code == 404


def test_a_check_that_fails_says_why_and_is_noted(people: People) -> None:
    source = DataSource.objects.create(organization=people.ada.organization, name="Empty", kind="sqlite")
    ada = signed_in(people.ada)
    ada.cookies["django_language"] = "es"
    answer = ada.post(page("source_check", source.pk), follow=True)
    assert "todavía no tiene ningún archivo" in answer.content.decode()
    source.refresh_from_db()
    assert source.check_outcome == "no_file"
    assert ada.get(page("source_tables", source.pk)).status_code == 302
    assert ada.get(page("source_check", source.pk)).status_code == 404


def test_a_file_and_a_table_are_taken_away(people: People) -> None:
    source, ada = shop(people.ada.organization), signed_in(people.ada)
    file = source.files.get(table="orders")
    said = {"name": "Shop", "encryption": "require", "is_active": "on"}
    formset = {"files-TOTAL_FORMS": 1, "files-INITIAL_FORMS": 1, "files-0-id": file.pk, "files-0-DELETE": "on"}
    gone = {**said, **formset, "files-0-source": source.pk}
    assert ada.post(page("datasource_change", source.pk), gone).status_code == 302
    assert [one.table for one in source.files.all()] == ["customers"]
    table = source.tables.get(name="orders")
    assert ada.post(page("sourcetable_delete", table.pk), {"post": "yes"}).status_code == 302
    assert not SourceColumn.objects.filter(table=table.pk).exists()
    assert ada.post(page("datasource_delete", source.pk), {"post": "yes"}).status_code == 302
    assert not DataSource.objects.exists()


def test_a_platform_operator_connects_one_for_an_organization(people: People) -> None:
    operator = Client()
    operator.force_login(UserFactory(is_superuser=True))
    said = SERVER | {"organization": str(people.zoe.organization_id)}
    assert operator.post(page("datasource_add"), said).status_code == 302
    assert DataSource.objects.get().organization == people.zoe.organization
