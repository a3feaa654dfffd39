"""Ranges of dates as people write them."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.metadata.date_ranges import DateRange, parse_range


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2024", date(2024, 1, 1), date(2024, 12, 31)),
        ("2024-02", date(2024, 2, 1), date(2024, 2, 29)),
        ("2024-5-3", date(2024, 5, 3), date(2024, 5, 3)),
        ("2023..2024-06", date(2023, 1, 1), date(2024, 6, 30)),
        (" 2023-09-01 .. 2024 ", date(2023, 9, 1), date(2024, 12, 31)),
        ("..2020", None, date(2020, 12, 31)),
        ("2020..", date(2020, 1, 1), None),
    ],
)
def test_years_months_and_days(text: str, first: date | None, last: date | None) -> None:
    assert parse_range(text) == DateRange(first, last)


@pytest.mark.parametrize("text", ["", "..", "2024-13", "2023-02-30", "ayer", "2024..2023", "0000", "20245", "2024-05-"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse_range(text)


@given(st.dates(), st.dates(), st.dates())
def test_a_range_has_its_ends_and_what_lies_between(one: date, other: date, day: date) -> None:
    first, last = sorted((one, other))
    span = parse_range(str(DateRange(first, last)))
    assert span.has(day) == (first <= day <= last)
    assert not span.has(None)
