"""The tools over an agent's data as forms: what they show, what is counted, and whose they are."""

import re
from datetime import date
from typing import Any

import pytest
from django.test import Client

from accounts.models import ToolCall
from agents.models import Agent
from tests.cast import Cast, browser, make_cast
from tests.factories import AgentFactory
from tests.limits import limit
from tests.metrics import sales
from tests.shops import EMAIL, grant, shop
from tools.models import Metric, SourceTable

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "/agents/analyst/data/"


@pytest.fixture
def cast() -> Cast:
    return make_cast()


@pytest.fixture
def agent(cast: Cast) -> Agent:
    made = AgentFactory(organization=cast.alice.organization, slug="analyst")
    grant(made, *shop(cast.alice.organization).tables.all(), sales(cast.alice.organization, rows=four_years()))
    return made


def four_years() -> str:
    days = [date(2021 + n // 12, n % 12 + 1, 5) for n in range(48)]
    rows = [f"{day},{region},{100 + 10 * n}," for n, day in enumerate(days) for region in ("norte", "sur")]
    return "\n".join(("day,region,amount,email", *rows))


def sent(client: Client, tool: str, **fields: Any) -> str:
    return client.post(f"{PAGE}?tool={tool}", fields).content.decode()


def cells(page: str) -> list[str]:
    return re.findall(r"<td[^>]*>([^<]*)</td>", page)


def test_numbers_are_divided_and_held_to_days_and_values(cast: Cast, agent: Agent) -> None:
    client = browser(cast.alice)
    said = {"dimensions_shown": ["región"], "since": "2021-01-01", "until": "2021-02-28"}
    assert cells(sent(client, "query_analytics", **said)) == ["norte", "210", "sur", "210"]
    assert cells(sent(client, "query_analytics", **said, where_0="sur")) == ["sur", "210"]
    assert cells(sent(client, "query_analytics", **said, where_0="Sur")) == ["sur", "210"]
    assert cells(sent(client, "query_analytics", **said | {"dimensions_shown": []})) == ["420"]


def test_a_trend_and_a_forecast_are_drawn_with_their_numbers(cast: Cast, agent: Agent) -> None:
    client = browser(cast.alice, "es")
    trend = sent(client, "get_trends", period="month")
    assert 'class="plot"' in trend
    assert "<dt>dirección</dt><dd>sube</dd>" in trend
    forecast = sent(client, "forecast", period="month", horizon="3")
    assert "<dt>periodos por venir</dt><dd>3</dd>" in forecast
    assert "previsión" in forecast


def test_a_statement_reads_what_the_agent_reads_and_nothing_else(cast: Cast, agent: Agent) -> None:
    client, source = browser(cast.alice), SourceTable.objects.get(name="customers").source_id
    shown = sent(client, "query", source=source, sql="SELECT region, email FROM customers ORDER BY region")
    assert cells(shown) == ["north", "•••", "south", "•••"]
    assert EMAIL not in shown
    answer = client.post(f"{PAGE}?tool=query", {"source": source, "sql": "DROP TABLE customers"})
    assert answer.status_code == 400
    assert "DROP TABLE customers" in answer.content.decode(), "what was written is still there"
    assert 'class="plot"' not in answer.content.decode()


def test_it_is_counted_and_recorded_as_a_call_over_the_api_is(cast: Cast, agent: Agent, settings: Any) -> None:
    limit(settings, searches=1)
    sent(browser(cast.alice), "query_analytics")
    (call,) = ToolCall.objects.all()
    assert (call.user_id, call.source_id) == (cast.alice.user_id, SourceTable.objects.get(name="sales").source_id)
    assert "is reached" in sent(browser(cast.alice), "query_analytics")
    assert ToolCall.objects.count() == 1


def test_a_metric_without_time_has_numbers_alone(cast: Cast, agent: Agent) -> None:
    Metric.objects.update(time_column="")
    shown = browser(cast.alice).get(f"{PAGE}?tool=get_trends").content.decode()
    assert "no column of time" in shown
    assert 'name="group_by"' not in browser(cast.alice).get(PAGE).content.decode()


def test_an_agent_without_metrics_is_asked_by_statements(cast: Cast, agent: Agent) -> None:
    Metric.objects.all().delete()
    shown = browser(cast.alice).get(PAGE).content.decode()
    assert 'name="sql"' in shown
    assert "tool=forecast" not in shown
    assert browser(cast.alice).get(f"{PAGE}?tool=forecast").status_code == 404


def test_it_is_there_for_who_may_ask_the_agent_alone(cast: Cast, agent: Agent) -> None:
    assert browser(cast.charlie).get(PAGE).status_code == 404
    assert browser(cast.charlie).post(f"{PAGE}?tool=query_analytics").status_code == 404
    assert browser(None).get(PAGE).status_code == 302
    agent.is_active = False
    agent.save()
    assert browser(cast.alice).get(PAGE).status_code == 404
    AgentFactory(organization=cast.alice.organization, slug="reader")
    assert browser(cast.alice).get("/agents/reader/data/").status_code == 404


def test_what_stands_in_the_address_chooses_among_its_own(cast: Cast, agent: Agent) -> None:
    for strange in ("tool=nothing", "tool=retrieve", "tool=upsert_knowledge"):
        assert browser(cast.alice).get(f"{PAGE}?{strange}").status_code == 404
    own = Metric.objects.get(table__source__organization=cast.alice.organization)
    elsewhere = sales(cast.charlie.organization).metrics.get()
    shown = browser(cast.alice).get(f"{PAGE}?metric={elsewhere.pk}").content.decode()
    assert f'action="?tool=query_analytics&amp;metric={own.pk}"' in shown
