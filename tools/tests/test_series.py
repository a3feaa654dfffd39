"""A metric over time as a regular series: gaps filled by a rule and counted, what is not over left out."""

from datetime import date
from typing import Any

import pytest

from tools.statistics.series import SeriesRefused, next_period, regular_series

TODAY = date(2025, 6, 15)


def series_of(rows: Any, aggregate: str = "sum", period: str = "month") -> Any:
    return regular_series(rows, period, aggregate, TODAY)


def test_what_is_no_row_is_zero_of_a_sum_and_between_its_neighbours_of_an_average() -> None:
    rows = [["2025-01-01", "10.5"], ["2025-04-01", 4.5]]
    of_sum, of_average = series_of(rows), series_of(rows, "average")
    assert of_sum.values == [10.5, 0, 0, 4.5]
    assert of_average.values == [10.5, 8.5, 6.5, 4.5]
    assert (of_sum.filled, of_sum.unknown) == (2, 0)
    assert (of_average.filled, of_average.unknown) == (2, 2)


def test_the_period_that_is_not_over_is_left_out() -> None:
    found = series_of([["2025-04-01", 1], ["2025-05-01", 2], ["2025-06-01", 3]])
    assert found.periods == [date(2025, 4, 1), date(2025, 5, 1)]
    assert found.left_out == [date(2025, 6, 1)]


@pytest.mark.parametrize("period", ["day", "week", "month", "quarter", "year"])
def test_a_day_that_no_calendar_goes_beyond_is_left_out(period: str) -> None:
    """As it is written where there is no end yet."""
    last = date(9999, 12, 31)
    found = series_of([["2024-01-01", 1], [last.isoformat(), 2]], period=period)
    assert (found.values, found.left_out) == ([1], [last])


@pytest.mark.parametrize(
    ("day", "period", "following"),
    [
        (date(2024, 2, 28), "day", date(2024, 2, 29)),
        (date(2024, 12, 30), "week", date(2025, 1, 6)),
        (date(2024, 12, 1), "month", date(2025, 1, 1)),
        (date(2024, 10, 1), "quarter", date(2025, 1, 1)),
        (date(2024, 1, 1), "year", date(2025, 1, 1)),
    ],
)
def test_periods_follow_each_other(day: date, period: str, following: date) -> None:
    assert next_period(day, period) == following


@pytest.mark.parametrize(
    "rows",
    [
        [], [["2025-06-01", 1]], [["2025-01-01", None]], [["no day", 1]], [[None, 1]], [["2025-01-01", "many"]],
        [["2025-01-01", "1e400"]], [["0001-01-01", 1], ["2025-01-01", 1]], [["1990-01-01", 1], ["2025-01-01", 1]],
    ],
)  # fmt: skip
def test_what_is_no_series_is_refused(rows: Any) -> None:
    with pytest.raises(SeriesRefused):
        series_of(rows)
