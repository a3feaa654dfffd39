"""Spans of time as a condition on a document's source date: `2024`, `2024-05`, `2024-05-31`, `2023..2024-06`, `..2020`.

Both ends belong to the range; a year or a month stands for all of its days. Pure.
"""

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import date

FIELD = "source_date"
_DAY = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")


@dataclass(frozen=True, slots=True)
class DateRange:
    """From `first` to `last`, both included; None is open."""

    first: date | None
    last: date | None

    def has(self, day: date | None) -> bool:
        """An unknown date is in no range."""
        if day is None:
            return False
        return (self.first is None or self.first <= day) and (self.last is None or day <= self.last)

    def __str__(self) -> str:
        return f"{self.first or ''}..{self.last or ''}"


def day_number(day: date) -> int:
    """20240531 for 31 May 2024: an integer that orders as days do."""
    return day.year * 10_000 + day.month * 100 + day.day


def parse_range(text: str) -> DateRange:
    """Raises ValueError for anything that is no range, also for one that ends before it begins."""
    begins, dots, ends = text.strip().partition("..")
    if dots and not (begins or ends):
        raise ValueError("open on both sides")
    first = _first_day(begins) if begins else None
    last = _last_day(ends if dots else begins) if (ends or not dots) else None
    if first and last and last < first:
        raise ValueError("it ends before it begins")
    return DateRange(first, last)


def _parts(text: str) -> tuple[int, int, int]:
    """Year, month and day; 0 where it is not told."""
    if (found := _DAY.fullmatch(text.strip())) is None:
        raise ValueError("not a date")
    year, month, day = (int(part or 0) for part in found.groups())
    return year, month, day


def _first_day(text: str) -> date:
    year, month, day = _parts(text)
    return date(year, month or 1, day or 1)


def _last_day(text: str) -> date:
    year, month, day = _parts(text)
    month = month or 12
    return date(year, month, day or monthrange(date(year, month, 1).year, month)[1])
