"""The tool `query_analytics`: metrics of the tables that an agent was given, by name, in its caller's name."""

from typing import Any

import jsonschema
import pytest
from django.core.cache import cache

from accounts.models import ToolCall
from agents.api.analytics.inventory import metrics_in_words
from agents.api.toolbox import TOOLS
from agents.granting import reachable_tables
from agents.models import Agent
from tests.factories import AgentFactory
from tests.metrics import sales
from tests.people import People, signed_in
from tests.shops import grant
from tools import asking
from tools.models import Dimension, Metric, SourceColumn, SourceTable

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]


@pytest.fixture
def table(people: People) -> SourceTable:
    return sales(people.alice.organization)


@pytest.fixture
def agent(people: People, table: SourceTable) -> Agent:
    agent: Agent = AgentFactory(organization=people.alice.organization, slug="clerk")
    grant(agent, table)
    return agent


@pytest.fixture(autouse=True)
def nothing_is_kept() -> None:
    cache.clear()
    asking.breakers.clear()


def ask(by: Any, metric: str = "ventas", **more: Any) -> Any:
    asked = {"agent": "clerk", "metric": metric, **more}
    return signed_in(by).post("/api/tools/query_analytics/", asked, content_type="application/json")


@pytest.mark.usefixtures("agent")
def test_sales_by_region_in_a_year_are_one_question(people: People) -> None:
    answer = ask(people.bob, dimensions=["región"], date_range={"from": "2025-01-01", "to": "2025-12-31"})
    assert answer.status_code == 200, answer.json()
    jsonschema.validate(answer.json(), TOOLS["query_analytics"].output_schema)
    told = answer.json()
    assert [one["name"] for one in told["columns"]] == ["región", "ventas"]
    assert [(region, float(amount)) for region, amount in told["rows"]] == [("sur", 20), ("norte", 15), (None, 7)]
    assert (told["metric"], told["source"], told["row_count"], told["truncated"]) == ("ventas", "Ventas", 3, False)


@pytest.mark.usefixtures("agent")
@pytest.mark.parametrize(
    ("more", "rows"),
    [
        ({}, [[42]]),
        ({"date_range": {"from": "2025-01-20"}}, [[32]]),
        ({"date_range": {"to": "2025-01-20"}}, [[30]]),
        ({"filters": {"zona": "norte"}}, [[15]]),
        ({"filters": {"REGION": ["sur", None]}}, [[27]]),
        ({"filters": {"región": ["SUR", "Norte"]}}, [[35]]),
        ({"filters": {"región": None}}, [[7]]),
        ({"filters": {"región": "x' OR 1=1 --"}}, [[None]]),
        ({"group_by": "month"}, [["2025-01-01", 30], ["2025-02-01", 5], ["2025-12-01", 7]]),
        ({"group_by": "quarter"}, [["2025-01-01", 35], ["2025-10-01", 7]]),
        ({"group_by": "week", "date_range": {"to": "2025-01-31"}}, [["2024-12-30", 10], ["2025-01-20", 20]]),
        ({"group_by": "year", "dimensions": ["región"], "filters": {"región": "sur"}}, [["2025-01-01", "sur", 20]]),
    ],
)
def test_what_is_asked_for_is_counted(more: Any, rows: Any, people: People) -> None:
    answer = ask(people.bob, **more)
    assert answer.status_code == 200, answer.json()
    numbered = [[*row[:-1], None if row[-1] is None else float(row[-1])] for row in answer.json()["rows"]]
    assert numbered == rows


@pytest.mark.usefixtures("agent")
def test_an_expression_is_of_columns_that_are_open(people: People, table: SourceTable) -> None:
    Metric.objects.create(table=table, name="doble", aggregate="sum", expression="amount * 2")
    assert float(ask(people.bob, "doble").json()["rows"][0][0]) == 84
    SourceColumn.objects.filter(table=table, name="amount").update(is_masked=True)
    refused = ask(people.bob, "doble")
    assert refused.status_code == 404  # none of its metrics is left


@pytest.mark.usefixtures("agent")
@pytest.mark.parametrize(
    ("metric", "more", "code"),
    [
        ("beneficio", {}, "unknown_name"),
        ("ventas", {"dimensions": ["email"]}, "unknown_name"),
        ("ventas", {"filters": {"amount": 3}}, "unknown_name"),
        ("ventas", {"group_by": "hour"}, "invalid_input"),
        ("ventas", {"dimensions": ["región"] * 5}, "invalid_input"),
        ("ventas", {"filters": {"región": {"a": 1}}}, "invalid_input"),
        ("ventas", {"filters": {"región": []}}, "invalid_input"),
        ("ventas", {"filters": {"\u0323" * 61: 1}}, "invalid_input"),
        ("ventas", {"date_range": {"from": "yesterday"}}, "invalid_input"),
        ("ventas", {"date_range": {"to": "9999-12-31"}}, "invalid_input"),
        ("ventas", {"date_range": {"from": "2025-12-31", "to": "2025-01-01"}}, "invalid_input"),
        ("cuántas", {"group_by": "month"}, "not_measurable"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words(
    metric: str, more: Any, code: str, people: People, table: SourceTable
) -> None:
    Metric.objects.create(table=table, name="cuántas", aggregate="count")
    answer = ask(people.bob, metric, **more)
    assert (answer.status_code, answer.json()["code"]) == (400, code), answer.json()
    if code == "unknown_name":
        assert "ventas" in answer.json()["reason"] or "región" in answer.json()["reason"]


def test_a_metric_is_of_the_tables_that_the_agent_was_given(people: People, agent: Agent) -> None:
    hidden = sales(people.alice.organization, "Nóminas")
    Metric.objects.filter(table=hidden).update(name="nóminas")
    refused = ask(people.bob, "nóminas")
    assert (refused.status_code, refused.json()["code"]) == (400, "unknown_name")
    assert "nóminas" not in refused.json()["reason"]
    assert "nóminas" not in metrics_in_words(reachable_tables(agent))
    agent.reachable_tables.all().delete()
    assert ask(people.bob).status_code == 404


def test_two_sources_with_one_name_are_told_apart(people: People, agent: Agent) -> None:
    grant(agent, sales(people.alice.organization, "Otras"))
    refused = ask(people.bob)
    assert refused.json()["code"] == "unknown_name"
    assert "Otras" in refused.json()["reason"]
    assert ask(people.bob, source="Otras").json()["source"] == "Otras"


@pytest.mark.usefixtures("agent")
def test_strangers_find_no_metric(people: People) -> None:
    for stranger in (people.charlie, people.zoe):
        assert ask(stranger).status_code == 404


def test_each_call_is_recorded_as_a_query(people: People, agent: Agent, table: SourceTable) -> None:
    ask(people.bob, dimensions=["región"])
    ask(people.bob, dimensions=["región"], filters={"región": "sur"})
    first, second = ToolCall.objects.order_by("created_at")
    assert (first.kind, first.agent_id, first.source_id, first.items) == ("query", agent.pk, table.source_id, 3)
    assert first.fingerprint
    assert first.fingerprint != second.fingerprint


def test_a_model_is_told_which_metrics_there_are(agent: Agent, table: SourceTable) -> None:
    assert metrics_in_words(reachable_tables(agent)).splitlines() == [
        'Source "Ventas", dimensions: "región", also called zona',
        '- metric "ventas" (Lo facturado), also called ingresos, sum, over time',
    ]
    Dimension.objects.all().delete()
    assert "dimensions: none" in metrics_in_words(reachable_tables(agent))
    Metric.objects.all().delete()
    assert metrics_in_words(reachable_tables(agent)) == ""


@pytest.mark.usefixtures("agent")
def test_a_name_that_two_of_a_source_have_is_answered_by_neither(people: People, table: SourceTable) -> None:
    """Which of two numbers is meant, nobody guesses."""
    Metric.objects.create(table=table, name="cobros", synonyms=["ingresos"], aggregate="count")
    Dimension.objects.create(table=table, name="día", synonyms=["zona"], column="day")
    answer = ask(people.bob, "ingresos")
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_name"), answer.json()
    assert "cobros, ventas" in answer.json()["reason"]
    answer = ask(people.bob, dimensions=["zona"])
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_name"), answer.json()
    assert ask(people.bob, "cobros").status_code == 200
