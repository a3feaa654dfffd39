"""The tools `get_trends` and `forecast`: computed of an agent's metric, or refused with a reason."""

import math
import random
from datetime import date
from typing import Any

import jsonschema
import pytest
from django.core.cache import cache

from accounts.models import ToolCall
from agents.api.analytics import trends
from agents.api.analytics.inventory import timed_metrics
from agents.api.toolbox import TOOLS
from agents.granting import reachable_tables
from agents.models import Agent
from tests.factories import AgentFactory
from tests.metrics import sales
from tests.people import People, signed_in
from tests.shops import grant
from tools import asking
from tools.analytics import computing
from tools.models import Metric
from tools.statistics.series import next_period

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("in_this_thread")]
FIRST = date(2015, 1, 1)


def history(months: int, slope: float = 2.0, noise: float = 3.0, first: date = FIRST) -> str:
    chance, lines = random.Random(3), ["day,region,amount,email"]
    for n in range(months):
        value = 200 + slope * n + 40 * math.sin(2 * math.pi * n / 12) + chance.gauss(0, noise)
        lines.append(f"{next_period(first, 'month', n)},norte,{value:.2f},a@x")
    return "\n".join(lines) + "\n"


@pytest.fixture(autouse=True)
def there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(computing, "SECONDS", 300.0)
    cache.clear()
    asking.breakers.clear()


def agent_of(people: People, rows: str) -> Agent:
    agent: Agent = AgentFactory(organization=people.alice.organization, slug="clerk")
    grant(agent, sales(people.alice.organization, rows=rows))
    return agent


def call(by: Any, tool: str, **more: Any) -> Any:
    named = {"get_trends": {"entity": "ventas", "period": "month"}, "forecast": {"metric": "ventas", "horizon": 6}}
    asked = {"agent": "clerk", **named[tool], **more}
    return signed_in(by).post(f"/api/tools/{tool}/", asked, content_type="application/json")


def test_a_trend_comes_with_its_numbers(people: People) -> None:
    agent_of(people, history(60))
    answer = call(people.bob, "get_trends")
    assert answer.status_code == 200, answer.json()
    told = answer.json()
    jsonschema.validate(told, TOOLS["get_trends"].output_schema)
    numbers = told["numbers"]
    assert numbers["direction"] == "up"
    assert numbers["per_period"] == pytest.approx(2, abs=0.2)
    assert numbers["strength_of_season"] > 0.9
    assert (numbers["first"], numbers["periods"], numbers["filled"]) == ("2015-01-01", 60, 0)
    assert [one["name"] for one in told["columns"]] == ["month", "value", "trend", "season", "remainder"]
    assert told["row_count"] == len(told["rows"]) == 60
    assert (ToolCall.objects.get().kind, ToolCall.objects.get().items) == ("query", 60)


def test_a_forecast_comes_with_ranges_and_the_error_of_its_backtest(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent_of(people, history(60))
    answer = call(people.bob, "forecast")
    assert answer.status_code == 200, answer.json()
    told = answer.json()
    jsonschema.validate(told, TOOLS["forecast"].output_schema)
    to_come = [row for row in told["rows"] if row[1] is None]
    assert [row[0] for row in to_come] == [next_period(FIRST, "month", 60 + n).isoformat() for n in range(6)]
    for _day, _value, said, low_80, high_80, low_95, high_95 in to_come:
        assert low_95 < low_80 < said < high_80 < high_95
    assert 0 < told["numbers"]["mase"] < 0.5
    assert told["numbers"]["smape"] < 5
    monkeypatch.setattr(computing, "answer_of_child", None)
    assert call(people.bob, "forecast").json() == told  # kept for whoever asked


@pytest.mark.parametrize(
    ("tool", "rows", "more", "code"),
    [
        ("get_trends", history(20), {}, "history_too_short"),
        ("get_trends", history(60), {"period": "year"}, "history_too_short"),
        ("get_trends", history(60, slope=0, noise=0).replace("200.00", "1"), {"entity": "nada"}, "unknown_name"),
        ("get_trends", history(60), {"period": "hour"}, "invalid_input"),
        ("get_trends", history(60), {"filters": {"región": "sur"}}, "not_measurable"),
        ("forecast", history(30), {}, "history_too_short"),
        ("forecast", history(60), {"horizon": 25}, "invalid_input"),
        ("forecast", history(60), {"horizon": 0}, "invalid_input"),
    ],
)
def test_where_the_history_does_not_bear_it_none_is_given(
    tool: str, rows: str, more: Any, code: str, people: People
) -> None:
    agent_of(people, rows)
    answer = call(people.bob, tool, **more)
    assert (answer.status_code, answer.json()["code"]) == (400, code), answer.json()


def test_a_forecast_that_was_wrong_before_is_not_given() -> None:
    with pytest.raises(trends.HistoryTooShort):
        trends._look_for_sense({"mase": 3.3, "forms": 3, "origins": 4})


def test_the_month_that_is_not_over_is_none(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trends.timezone, "localdate", lambda: date(2019, 12, 15))
    agent_of(people, history(60))
    told = call(people.bob, "forecast", horizon=1).json()
    assert told["numbers"]["left_out"] == "2019-12-01"
    assert told["rows"][-1][0] == "2019-12-01"


def test_a_metric_without_time_is_none_of_theirs(people: People) -> None:
    agent = agent_of(people, history(60))
    assert "ventas" in timed_metrics(reachable_tables(agent))
    Metric.objects.update(time_column="")
    assert timed_metrics(reachable_tables(agent)) == ""
    assert call(people.bob, "get_trends").json()["code"] == "not_measurable"


def test_of_many_periods_to_come_the_first_are_named(people: People) -> None:
    """A plan of many years lies in the same column: what was computed has its place before it in a model's prompt."""
    to_come = "".join(f"{next_period(date(2100, 1, 1), 'month', n)},norte,1,a@x\n" for n in range(300))
    agent_of(people, history(60) + to_come)
    answer = call(people.bob, "get_trends")
    assert answer.status_code == 200, answer.json()
    assert answer.json()["numbers"]["left_out"].startswith("2100-01-01, 2100-02-01")
    assert len(answer.json()["numbers"]["left_out"]) < 200
