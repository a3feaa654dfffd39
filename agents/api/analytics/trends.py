"""What a metric does over time, and what it may do next: refused, with a reason, where its history does not bear it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Membership
from agents.api.analytics.measuring import MetricQuestion, ask_metric
from agents.models import Agent
from tools.analytics.computing import compute
from tools.models import Metric
from tools.problems import HistoryTooShort, MetricUnusable, told_refusal
from tools.querying import QueryAnswer
from tools.sql.measuring import Split
from tools.sql.statements import Scalar
from tools.statistics.series import SEASONS, Series, SeriesRefused, next_period, regular_series

LEAST_VALUES, MOST_HORIZON = 8, 24
MOST_SHOWN = 120  # periods that are told; the numbers are of all of them
MOST_ERROR = 2.5  # of a backtest (MASE), at which a forecast says nothing
MOST_GAPS = 0.2  # of what is unknown between the first period and the last
DIGITS = 6
NOTHING = 1e-9  # of the largest value
MOST_NAMED = 10  # unusual periods, and such as are not over


@dataclass(frozen=True, slots=True)
class Analysis:
    """The last `rows` of `count`, by period, with `columns`; and `numbers` by name: scalars alone."""

    columns: list[dict[str, str]]
    rows: list[list[Any]]
    numbers: dict[str, Any]
    count: int


def metric_series(
    agent: Agent, metric: Metric, period: str, filters: Mapping[str, Scalar | list[Scalar]], by: Membership
) -> Series:
    """Raises MetricUnusable, HistoryTooShort and what `ask_metric` raises."""
    answer: QueryAnswer = ask_metric(agent, metric, MetricQuestion(filters=filters, split=Split(period=period)), by)
    if answer.truncated:
        raise MetricUnusable(reason=_("There are too many periods. Ask for longer ones."))
    try:
        series = regular_series(answer.rows, period, metric.aggregate, timezone.localdate())
    except SeriesRefused as refusal:
        raise MetricUnusable(reason=told_refusal(refusal)) from None
    if series.unknown > MOST_GAPS * len(series.values):
        raise HistoryTooShort(
            reason=_("Of %(all)d periods, %(empty)d have no rows.")
            % {"all": len(series.values), "empty": series.unknown}
        )
    if len(set(series.values)) == 1:
        raise HistoryTooShort(reason=_("The metric never changes: there is nothing to tell apart."))
    return series


def find_trend(
    agent: Agent, metric: Metric, period: str, filters: Mapping[str, Scalar | list[Scalar]], by: Membership
) -> Analysis:
    series = metric_series(agent, metric, period, filters, by)
    _look_for_history(series, max(2 * series.season, LEAST_VALUES))
    found = compute(by, "decompose", values=series.values, season=series.season)
    parts, odd = found.pop("parts"), found.pop("odd")
    names = ("value", "trend", "season", "remainder")
    least = NOTHING * max(map(abs, series.values))
    rows = [
        [day.isoformat(), *(_rounded(one, least) for one in (value, *of_value))]
        for day, value, of_value in zip(series.periods, series.values, parts, strict=True)
    ][-MOST_SHOWN:]
    unusual = ", ".join(series.periods[place].isoformat() for place in odd[:MOST_NAMED])
    numbers = {name: _rounded(value, least) for name, value in found.items()}
    return Analysis(_columns(period, names), rows, {**numbers, "unusual": unusual, **_told(series)}, len(parts))


def forecast_metric(
    agent: Agent,
    metric: Metric,
    period: str,
    horizon: int,
    filters: Mapping[str, Scalar | list[Scalar]],
    by: Membership,
) -> Analysis:
    """Rows are the last periods that are known, then those to come, of which the one that is not over is the first."""
    series = metric_series(agent, metric, period, filters, by)
    _look_for_history(series, least_values(series.season, horizon))
    found = compute(by, "forecast_series", values=series.values, season=series.season, horizon=horizon)
    _look_for_sense(found)
    said, ranges = found.pop("forecast"), found.pop("ranges")
    names = ("value", "forecast", "low_80", "high_80", "low_95", "high_95")
    known = list(zip(series.periods, series.values, strict=True))[horizon - MOST_SHOWN :]
    rows: list[list[Any]] = [[day.isoformat(), _rounded(value), *[None] * 5] for day, value in known]
    for n, value in enumerate(said):
        day = next_period(series.periods[-1], period, n + 1)
        rows.append([day.isoformat(), None, *map(_rounded, (value, *ranges["80"][n], *ranges["95"][n]))])
    numbers = {name: _rounded(value) for name, value in found.items()}
    return Analysis(_columns(period, names), rows, {**numbers, "horizon": horizon, **_told(series)}, len(rows))


def least_values(season: int, horizon: int) -> int:
    """Two seasons, and eight values, are known at the first of the backtest's four origins."""
    return max(2 * season, LEAST_VALUES) + horizon + 3 * max(1, horizon // 3)


def _look_for_history(series: Series, least: int) -> None:
    if (there := len(series.values)) < least:
        raise HistoryTooShort(
            reason=_(
                "%(least)d whole periods are needed, and there are %(there)d. Ask for fewer to come, or for other "
                "periods."
            )
            % {"there": there, "least": least}
        )


def _look_for_sense(found: Mapping[str, Any]) -> None:
    if found["mase"] > MOST_ERROR:
        said = _(
            "The metric is not told by its past: at %(origins)d earlier moments the best of %(forms)d forms was wrong "
            "by %(error)s times the usual change."
        )
        raise HistoryTooShort(
            reason=said % {"origins": found["origins"], "forms": found["forms"], "error": f"{found['mase']:.1f}"}
        )


def _columns(period: str, names: tuple[str, ...]) -> list[dict[str, str]]:
    return [{"name": period, "type": "date"}, *({"name": name, "type": "number"} for name in names)]


def _told(series: Series) -> dict[str, Any]:
    """What the numbers were made of."""
    return {
        "first": series.periods[0].isoformat(),
        "last": series.periods[-1].isoformat(),
        "periods": len(series.periods),
        "filled": series.filled,
        "left_out": ", ".join(map(date.isoformat, series.left_out[:MOST_NAMED])),
        "season": SEASONS[series.period],
    }


def _rounded(value: Any, least: float = 0.0) -> Any:
    """A number below `least` is what computing leaves of none."""
    if not isinstance(value, float):
        return value
    return 0.0 if abs(value) < least else float(f"{value:.{DIGITS}g}")
