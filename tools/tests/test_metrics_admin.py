"""Metrics are named on the page of their table, or all of a source's as YAML; the rules are those of the API."""

from typing import Any

import pytest
from django.urls import reverse

from tests.metrics import sales
from tests.people import People, signed_in
from tools.analytics.written import DEEPEST, read_yaml
from tools.models import Dimension, Metric, SourceTable
from tools.services.plain import YamlRefused

pytestmark = pytest.mark.django_db
COUNT = "metrics:\n- table: sales\n  name: cuántas\n  aggregate: count\n"


@pytest.fixture
def table(people: People) -> SourceTable:
    return sales(people.ada.organization)


def place_of(table: SourceTable) -> str:
    return reverse("admin:tools_source_metrics", args=[table.source_id])


def send(by: Any, table: SourceTable, text: str) -> Any:
    return signed_in(by).post(place_of(table), {"definitions": text})


def test_what_is_shown_can_be_sent_back(people: People, table: SourceTable) -> None:
    shown = signed_in(people.ada).get(place_of(table)).context["definitions"]
    assert "name: ventas" in shown
    before = Metric.objects.values().get()
    assert send(people.ada, table, shown).status_code == 302
    after = Metric.objects.values().get()
    assert {**after, "id": 0, "created_at": 0} == {**before, "id": 0, "created_at": 0}
    assert Dimension.objects.get().synonyms == ["zona"]


def test_a_text_replaces_all(people: People, table: SourceTable) -> None:
    assert send(people.ada, table, COUNT).status_code == 302
    assert Metric.objects.get().name == "cuántas"
    assert not Dimension.objects.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Línea 1"),
        ("- a", "Línea 1"),
        (COUNT + "  name: otra\n", "Línea 5: este nombre está aquí dos veces"),
        (COUNT + "\tx", "Línea 5"),
        ("metrics: &a []\ndimensions: *a", "Línea 1: no se permite una referencia"),
        ("metrics: !!python/object/apply:os.system ['true']", "metrics"),
        ("metrics: \0", "caracteres que YAML no admite"),
        ('metrics: "\\UFFFFFFFF"', "caracteres que YAML no admite"),
        ('metrics: "\\U00110000"', "caracteres que YAML no admite"),
        (f"%YAML {'1' * 5_000}.1", "caracteres que YAML no admite"),
        (COUNT.replace("sales", "customers"), "metrics.0.table: "),
        (COUNT.replace("count", "sum") + "  column: email\n", "metrics.0.column: "),
        (COUNT.replace("count", "no"), "metrics.0.aggregate: "),
    ],
)
def test_what_is_wrong_is_said_by_line_or_field(text: str, said: str, people: People, table: SourceTable) -> None:
    answer = send(people.ada, table, text)
    assert answer.status_code == 400
    assert said in " ".join(answer.context["faults"])
    assert answer.context["definitions"] == text
    assert Metric.objects.get().name == "ventas"


@pytest.mark.parametrize(
    "text",
    [
        "[" * (DEEPEST + 1), "a: " * 9_000, "[" * 90_000, "{" * 90_000, "- " * 45_000, "? " * 45_000, "a:\n" * 30_000,
        "&a " * 30_000, "x" * 100_001, "\n".join(f"{'a' * n}: x" for n in range(400)),
    ],
)  # fmt: skip
def test_what_is_too_large_or_too_deep_is_refused(text: str) -> None:
    with pytest.raises(YamlRefused):
        read_yaml(text if text.startswith("aa") else text + "\n- b: [")


def test_members_and_strangers_see_no_page(people: People, table: SourceTable) -> None:
    for stranger in (people.bob, people.zoe):
        assert signed_in(stranger).get(place_of(table)).status_code in (302, 403, 404)
        send(stranger, table, COUNT)
    assert Metric.objects.get().name == "ventas"


def on_page(table: SourceTable, **metric: str) -> dict[str, str]:
    """The page of the table as a browser sends it, with one more metric."""
    columns = list(table.columns.all())
    sent = {"description": "", "columns-TOTAL_FORMS": str(len(columns)), "columns-INITIAL_FORMS": str(len(columns))}
    for n, column in enumerate(columns):
        sent |= {f"columns-{n}-id": str(column.pk), f"columns-{n}-table": str(table.pk), f"columns-{n}-description": ""}
        sent |= {f"columns-{n}-is_masked": "on"} if column.is_masked else {}
    sent |= {"dimensions-TOTAL_FORMS": "0", "dimensions-INITIAL_FORMS": "0"}
    sent |= {"metrics-TOTAL_FORMS": "1", "metrics-INITIAL_FORMS": "0", "metrics-0-table": str(table.pk)}
    empty = dict.fromkeys(("column", "expression", "time_column", "synonyms", "description"), "")
    return sent | {f"metrics-0-{name}": value for name, value in (empty | metric).items()}


def test_one_is_named_on_the_page_of_its_table(people: People, table: SourceTable) -> None:
    place = reverse("admin:tools_sourcetable_change", args=[table.pk])
    ada, before = signed_in(people.ada), table.source.updated_at
    assert ada.get(place).status_code == 200
    sent = on_page(table, name="media", aggregate="average", column="amount", synonyms="promedio, valor medio")
    answer = ada.post(place, sent)
    assert answer.status_code == 302, [one.errors for one in answer.context["inline_admin_formsets"]]
    assert Metric.objects.get(name="media").synonyms == ["promedio", "valor medio"]
    table.source.refresh_from_db()
    assert table.source.updated_at > before
    for wrong in (
        {"name": "otra", "aggregate": "sum", "column": "email"},
        {"name": "otra", "aggregate": "sum"},
        {"name": "VENTAS", "aggregate": "count"},
        {"name": "otra", "aggregate": "sum", "expression": "sum(amount)"},
    ):
        assert ada.post(place, on_page(table, **wrong)).status_code == 200, wrong
    assert Metric.objects.count() == 2
