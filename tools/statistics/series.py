"""A metric over time as a regular series: one value for each period, gaps filled by a rule and counted; pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from config.faults import Refusal

SEASONS = {"day": 7, "week": 52, "month": 12, "quarter": 4, "year": 1}  # periods after which it is the same season
MONTHS = {"month": 1, "quarter": 3, "year": 12}
DAYS = {"day": 1, "week": 7}
ADDITIVE = frozenset(("count", "count_distinct", "sum"))  # of no rows they are zero; others are unknown


class SeriesRefused(Refusal):
    """Nothing is computed of it. Its text says why."""


@dataclass(frozen=True, slots=True)
class Series:
    """`periods` by their first days. `filled`: of how many there were no rows, `unknown`: of how many of
    these no value follows from that; `left_out`: those that are not over."""

    period: str
    periods: list[date]
    values: list[float]
    filled: int = 0
    unknown: int = 0
    left_out: list[date] = field(default_factory=list)

    @property
    def season(self) -> int:
        return SEASONS[self.period]


def next_period(day: date, period: str, count: int = 1) -> date:
    if period in DAYS:
        return day + timedelta(days=DAYS[period] * count)
    month = day.year * 12 + day.month - 1 + MONTHS[period] * count
    return date(month // 12, month % 12 + 1, 1)


def regular_series(rows: Iterable[Sequence[Any]], period: str, aggregate: str, today: date) -> Series:
    """`rows`: the first day of a period and its number (a decimal may be a text), in time. Raises SeriesRefused."""
    known = {_day(row[0]): _number(row[1]) for row in rows}
    left_out = [day for day in known if day > today or next_period(day, period) > today]
    found = {day: value for day, value in known.items() if day not in left_out and value is not None}
    if not found:
        raise SeriesRefused("No period has a number.")
    periods = list(_periods_between(min(found), max(found), period, len(found)))
    values = [found.get(day) for day in periods]
    gaps = sum(value is None for value in values)
    full = [0.0 if value is None else value for value in values] if aggregate in ADDITIVE else _interpolated(values)
    unknown = 0 if aggregate in ADDITIVE else gaps
    return Series(period, periods, full, gaps, unknown, left_out)


def _periods_between(first: date, last: date, period: str, count: int) -> Iterable[date]:
    """No more gaps than there are numbers: years apart may lie in a column by mistake."""
    most, day = 2 * count + 1, first
    while day <= last:
        yield day
        day, most = next_period(day, period), most - 1
        if most < 0:
            raise SeriesRefused("Most periods have no rows. Ask for longer periods or for a narrower time.")


def _day(value: Any) -> date:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        raise SeriesRefused("The metric's time column has what is no time.") from None


def _number(value: Any) -> float | None:
    try:
        number = None if value is None else float(value)
    except (TypeError, ValueError, OverflowError):
        raise SeriesRefused("The metric's values are no numbers.") from None
    if number is not None and not abs(number) < 1e300:
        raise SeriesRefused("The metric's values are too large.")
    return number


def _interpolated(values: Sequence[float | None]) -> list[float]:
    """On a straight line between the neighbours; the first and the last are never missing."""
    known = [place for place, value in enumerate(values) if value is not None]
    filled = []
    after = 0
    for place, value in enumerate(values):
        if value is not None:
            filled.append(value)
            after += 1
            continue
        left, right = known[after - 1], known[after]
        low, high = values[left], values[right]
        assert low is not None
        assert high is not None
        filled.append(low + (high - low) * (place - left) / (right - left))
    return filled
