"""Metrics and dimensions are named by admins, as a whole, of columns that may be read."""

from typing import Any

import pytest

from accounts.models import AuditEvent
from accounts.problems import NotFound
from tests.metrics import sales
from tests.people import People, signed_in
from tools.analytics.definitions import keep_definitions, metric_from
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
