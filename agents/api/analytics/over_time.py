"""The tools over a metric's history: what it does over time, and what it may do next."""

from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from accounts.limits import reserving
from accounts.models import Membership
from agents.api.analytics.asking import LONGEST_NAME, AskedMetricSerializer, told_metric
from agents.api.analytics.definitions import ELSEWHERE, NAMED, OF_METRIC
from agents.api.analytics.inventory import timed_metrics
from agents.api.analytics.measuring import find_metric
from agents.api.analytics.trends import MOST_HORIZON, Analysis, find_trend, forecast_metric
from agents.api.json_schema import TABLE, answered
from agents.api.tool import Tool
from agents.lookup import agent_for
from tools.models import Metric
from tools.sql.measuring import PERIODS


class TrendSerializer(AskedMetricSerializer):
    """`entity` is the metric, as whoever asks for a trend calls it."""

    metric = None  # type: ignore[assignment]  # it has another name here
    entity = serializers.CharField(max_length=LONGEST_NAME)
    period = serializers.ChoiceField(choices=PERIODS)


class ForecastSerializer(AskedMetricSerializer):
    horizon = serializers.IntegerField(min_value=1, max_value=MOST_HORIZON)
    period = serializers.ChoiceField(choices=PERIODS, required=False, default="month")


def get_trends(by: Membership, arguments: Mapping[str, Any]) -> dict[str, Any]:
    reserving.reserve(by, searches=1)
    form = TrendSerializer(data=arguments)
    form.is_valid(raise_exception=True)
    asked = form.validated_data
    agent = agent_for(by, asked["agent"])
    metric = find_metric(agent, asked["entity"], asked["source"])
    return told_analysis(metric, asked["period"], find_trend(agent, metric, asked["period"], asked["filters"], by))


def forecast(by: Membership, arguments: Mapping[str, Any]) -> dict[str, Any]:
    reserving.reserve(by, searches=1)
    form = ForecastSerializer(data=arguments)
    form.is_valid(raise_exception=True)
    asked = form.validated_data
    agent = agent_for(by, asked["agent"])
    metric = find_metric(agent, asked["metric"], asked["source"])
    found = forecast_metric(agent, metric, asked["period"], asked["horizon"], asked["filters"], by)
    return told_analysis(metric, asked["period"], found)


def told_analysis(metric: Metric, period: str, found: Analysis) -> dict[str, Any]:
    told = {**told_metric(metric), "period": period, "numbers": found.numbers}
    return {
        **told,
        "columns": found.columns,
        "rows": found.rows,
        "row_count": found.count,
        "truncated": found.count > len(found.rows),
    }


NUMBERS = {"type": "object", "additionalProperties": {"type": ["string", "number", "null"]}}
ANALYSED = answered(**NAMED, period={"enum": list(PERIODS)}, numbers=NUMBERS, **TABLE)
GET_TRENDS = Tool(
    name="get_trends",
    description=(
        "Tell whether a metric has changed beyond what season and chance explain: its trend by a robust decomposition "
        "(STL), with `direction` (flat, where the change is not above twice the noise, or chance may have made it), "
        "the change in all and for each period with its range, the noise, how strong the season is, and unusual "
        "periods. Say these numbers with what you conclude."
    ),
    elsewhere=ELSEWHERE,
    input_schema={
        "type": "object",
        "properties": {
            **{name: schema for name, schema in OF_METRIC.items() if name != "metric"},
            "entity": OF_METRIC["metric"],
            "period": {"enum": list(PERIODS), "description": "How long a step of the series is."},
        },
        "required": ["agent", "entity", "period"],
        "additionalProperties": False,
    },
    output_schema=ANALYSED,
    execute=get_trends,
    inventory=timed_metrics,
)
FORECAST = Tool(
    name="forecast",
    description=(
        "Forecast a metric: exponential smoothing, with ranges of 80 and 95 % and the error of its backtest (`mase`: "
        "below 1 is better than repeating the last season; `smape` in percent). Say range and error with the number, "
        "and that it goes on from the past alone. Where the history does not bear it, none is given."
    ),
    elsewhere=ELSEWHERE,
    input_schema={
        "type": "object",
        "properties": {
            **OF_METRIC,
            "horizon": {"type": "integer", "minimum": 1, "maximum": MOST_HORIZON, "description": "How many periods."},
            "period": {"enum": list(PERIODS), "description": "How long a period is; by default a month."},
        },
        "required": ["agent", "metric", "horizon"],
        "additionalProperties": False,
    },
    output_schema=ANALYSED,
    execute=forecast,
    inventory=timed_metrics,
)
