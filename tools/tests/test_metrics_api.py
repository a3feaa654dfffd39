"""Metrics and dimensions are named by admins, as a whole, of columns that may be read."""

from typing import Any

import pytest

from accounts.models import AuditEvent
from accounts.problems import NotFound
from tests.metrics import sales
from tests.people import People, signed_in
from tools.analytics.definitions import keep_definitions, metric_from
from tools.analytics.rules import faults_of_metric
from tools.models import DataSource, Dimension, Metric, SourceTable

pytestmark = pytest.mark.django_db
SALES: dict[str, Any] = {
    "schema": "main", "table": "sales", "name": "ventas", "description": "Lo facturado", "synonyms": ["ingresos"],
    "aggregate": "sum", "column": "amount", "expression": "", "time_column": "day",
}  # fmt: skip
REGION: dict[str, Any] = {
    "schema": "main", "table": "sales", "name": "región", "description": "", "synonyms": ["zona"], "column": "region",
}  # fmt: skip


@pytest.fixture
def table(people: People) -> SourceTable:
    return sales(people.ada.organization)


def keep(by: Any, table: SourceTable, **said: Any) -> Any:
    return signed_in(by).put(f"/api/data-sources/{table.source_id}/metrics/", said, content_type="application/json")


def test_they_are_shown_as_they_are_taken_and_taken_as_a_whole(people: People, table: SourceTable) -> None:
    place = f"/api/data-sources/{table.source_id}/metrics/"
    assert signed_in(people.ada).get(place).json() == {"metrics": [SALES], "dimensions": [REGION]}
    before = DataSource.objects.get().updated_at
    count = {"table": "sales", "name": "cuántas", "aggregate": "count"}
    answer = keep(people.ada, table, metrics=[count])
    assert answer.status_code == 200, answer.json()
    assert [one["name"] for one in answer.json()["metrics"]] == ["cuántas"]
    assert not Dimension.objects.exists()
    assert DataSource.objects.get().updated_at > before  # answers that were kept were of other definitions
    assert AuditEvent.objects.get(action="changed").changes == {"fields": ["metrics"]}


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"table": "customers"}, "table"),
        ({"column": "email"}, "column"),
        ({"column": "nothing"}, "column"),
        ({"column": ""}, "column"),
        ({"time_column": "email"}, "time_column"),
        ({"expression": "amount * 2"}, "expression"),
        ({"column": "", "expression": "email || ''"}, "expression"),
        ({"column": "", "expression": "sum(amount)"}, "expression"),
        ({"column": "", "expression": "(SELECT 1)"}, "expression"),
        ({"column": "", "expression": "amount; DROP TABLE sales"}, "expression"),
        ({"column": "", "expression": "read_csv('/etc/passwd')"}, "expression"),
        ({"aggregate": "concat"}, "aggregate"),
        ({"name": "ven\u202etas"}, "name"),
        ({"name": " "}, "name"),
        ({"name": "x" * 61}, "name"),
        ({"synonyms": ["x"] * 11}, "synonyms"),
    ],
)
def test_what_cannot_be_a_metric_is_refused_by_its_field(
    wrong: Any, field: str, people: People, table: SourceTable
) -> None:
    answer = keep(people.ada, table, metrics=[SALES, {**SALES, "name": "otra", **wrong}])
    assert answer.status_code == 400
    assert field in repr(answer.json()["errors"]["metrics"])
    assert Metric.objects.get().name == "ventas"


def test_a_name_is_given_once(people: People, table: SourceTable) -> None:
    for other in ("ventas", "VENTAS", "véntas"):
        answer = keep(people.ada, table, metrics=[SALES, {**SALES, "name": other}])
        assert list(answer.json()["errors"]["metrics"]) == ["1"]
        assert list(answer.json()["errors"]["metrics"]["1"]) == ["name"]
    assert keep(people.ada, table, metrics=[], dimensions=[REGION, REGION]).status_code == 400


def test_a_field_that_there_is_not_is_refused_by_its_name(people: People, table: SourceTable) -> None:
    """A metric without the time that was meant would be another one."""
    meant = {name: value for name, value in SALES.items() if name != "time_column"}
    answer = keep(people.ada, table, metrics=[SALES, {**meant, "name": "otra", "time_colum": "day"}])
    (said,) = answer.json()["errors"]["metrics"]["1"]["time_colum"]
    assert answer.status_code == 400
    assert said.startswith("No hay ningún campo con este nombre")
    assert "time_column" in said
    answer = keep(people.ada, table, metrics=[], dimensions=[{**REGION, "columna": "region"}])
    assert list(answer.json()["errors"]["dimensions"]["0"]) == ["columna"]
    assert list(keep(people.ada, table, metrics=[], dimension=[REGION]).json()["errors"]) == ["dimension"]
    odd = {"x" * 1_000: 1, "a\u202eb\x1b": 1, **{f"n{n}": n for n in range(1_000)}}
    answer = keep(people.ada, table, metrics=[{**SALES, **odd}])
    assert len(answer.content) < 5_000
    assert "ab" in answer.json()["errors"]["metrics"]["0"]


def test_a_dimension_is_no_masked_column(people: People, table: SourceTable) -> None:
    answer = keep(people.ada, table, metrics=[], dimensions=[{**REGION, "column": "email"}])
    assert "column" in answer.json()["errors"]["dimensions"]["0"]


def test_sqlite_has_no_median(people: People, table: SourceTable) -> None:
    median = {**SALES, "aggregate": "median"}
    assert keep(people.ada, table, metrics=[median]).status_code == 200
    DataSource.objects.update(kind="sqlite")
    assert "aggregate" in keep(people.ada, table, metrics=[median]).json()["errors"]["metrics"]["0"]


def test_members_and_strangers_name_nothing(people: People, table: SourceTable) -> None:
    assert keep(people.bob, table, metrics=[]).status_code == 403
    assert keep(people.zoe, table, metrics=[]).status_code == 404
    assert Metric.objects.count() == 1


def test_of_a_table_that_is_no_longer_chosen_nothing_is_kept(people: People, table: SourceTable) -> None:
    """Whoever unchooses it meanwhile is ahead of who names something in it."""
    named = metric_from(table, SALES)
    SourceTable.objects.all().delete()
    with pytest.raises(NotFound):
        keep_definitions(people.ada, table.source, [named], [])
    assert not Metric.objects.exists()


NUMBERS = ("integer", "BIGINT", "decimal(12,2)", "numeric", "double precision", "real", "hugeint", "interval", "")
TEXTS = ("text", "VARCHAR", "character varying", "enum('a', 'b')", "USER-DEFINED", "uuid", "json", "integer[]", "ARRAY")
DAYS = ("date", "timestamp without time zone", "TIMESTAMP WITH TIME ZONE", "timestamp_ns")
NO_DAYS = ("integer", "bigint", "time", "time without time zone", "boolean", "numeric", "interval", "uuid", "date[]")


def fields_at_fault(table: SourceTable, engine: str, column: str, kind: str, **said: Any) -> set[str]:
    """Of the metric of the sales, where a column is of this type."""
    DataSource.objects.update(kind=engine)
    table.columns.filter(name=column).update(type=kind)
    fresh = SourceTable.objects.select_related("source").get()
    return set(faults_of_metric(metric_from(fresh, {**SALES, **said})))


@pytest.mark.parametrize("engine", ["postgresql", "duckdb"])
def test_numbers_are_made_of_columns_that_have_them(engine: str, table: SourceTable) -> None:
    for aggregate in ("sum", "average", "median"):
        for kind in NUMBERS:
            assert fields_at_fault(table, engine, "amount", kind, aggregate=aggregate) == set(), kind
        for kind in (*TEXTS, *DAYS, "time"):
            assert fields_at_fault(table, engine, "amount", kind, aggregate=aggregate) == {"column"}, kind
    for aggregate in ("minimum", "maximum", "count", "count_distinct"):
        assert fields_at_fault(table, engine, "amount", "varchar", aggregate=aggregate) == set()


@pytest.mark.parametrize("engine", ["postgresql", "duckdb"])
def test_a_time_column_has_days(engine: str, table: SourceTable) -> None:
    for kind in (*DAYS, "text", ""):
        assert fields_at_fault(table, engine, "day", kind) == set(), kind
    read_as_text = {"time_column"} if engine == "duckdb" else set()  # by DuckDB, which looks for days in files itself
    assert fields_at_fault(table, engine, "day", "varchar") == read_as_text
    for kind in NO_DAYS:
        assert fields_at_fault(table, engine, "day", kind) == {"time_column"}, kind


@pytest.mark.parametrize("engine", ["mysql", "sqlite"])
def test_an_engine_that_makes_of_a_text_what_it_can_is_let_do_so(engine: str, table: SourceTable) -> None:
    assert fields_at_fault(table, engine, "amount", "text") == set()
    assert fields_at_fault(table, engine, "day", "integer") == set()


def test_what_is_true_is_counted_by_a_sum_in_duckdb_alone(table: SourceTable) -> None:
    assert fields_at_fault(table, "duckdb", "amount", "boolean") == set()
    assert fields_at_fault(table, "postgresql", "amount", "boolean") == {"column"}


def test_a_type_that_does_not_fit_is_said_in_the_readers_language(people: People, table: SourceTable) -> None:
    table.columns.filter(name="amount").update(type="varchar")
    answer = keep(people.ada, table, metrics=[SALES])
    said = "Esta agregación necesita números y la columna no los tiene: su tipo es varchar."
    assert (answer.status_code, answer.json()["errors"]["metrics"]["0"]) == (400, {"column": [said]})
