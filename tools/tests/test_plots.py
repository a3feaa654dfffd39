"""Pictures of tables: drawn of numbers, with foreign texts that stay texts, and nothing that runs or loads."""

import time
from typing import Any
from xml.etree import ElementTree

import pytest

from tools.analytics.plots import draw, short

HOSTILE = '"><script>alert(1)</script><image href="https://evil.example/x.png" onload=x>\u202e&amp;'
MONTHS = [{"name": "month", "type": "date"}, {"name": "value", "type": "number"}]
BY_REGION = [{"name": "región", "type": "text"}, {"name": "ventas", "type": "decimal"}]
ALLOWED = {"svg", "title", "desc", "path", "polygon", "line", "text", "rect"}


def tree_of(picture: str) -> Any:
    return ElementTree.fromstring(picture)


def kinds_in(picture: str) -> set[str]:
    return {one.tag.rpartition("}")[2] for one in tree_of(picture).iter()}


def test_a_series_is_a_line_that_is_broken_where_nothing_is_known() -> None:
    rows = [["2025-01-01", 1], ["2025-02-01", 2], ["2025-03-01", None], ["2025-04-01", "4.5"], ["2025-05-01", 3]]
    picture = draw("Ventas", MONTHS, rows)
    (path,) = [one.get("d") for one in tree_of(picture).iter() if one.tag.endswith("path")]
    assert path.count("M") == 2
    assert path.count("L") == 2
    assert "2025-01-01" in picture
    assert "currentColor" in picture
    assert 'role="img"' in picture


def test_a_forecast_has_its_ranges() -> None:
    names = ("value", "forecast", "low_80", "high_80", "low_95", "high_95")
    columns = [MONTHS[0], *({"name": one, "type": "number"} for one in names)]
    rows = [["2025-01-01", 1, *[None] * 5], ["2025-02-01", None, 2, 1, 3, 0, 4], ["2025-03-01", None, 2, 1, 3, 0, 4]]
    picture = draw("Ventas", columns, rows)
    assert picture.count("<polygon") == 2
    assert "low_80" not in picture


def test_of_a_decomposition_what_was_and_its_trend_are_drawn() -> None:
    columns = [MONTHS[0], *({"name": one, "type": "number"} for one in ("value", "trend", "season", "remainder"))]
    picture = draw("Ventas", columns, [["2025-01-01", 9001, 9000, 2, -1], ["2025-02-01", 9002, 9003, -2, 1]])
    assert picture.count("<path") == 2
    assert "season" not in picture


def test_groups_are_bars_also_below_zero() -> None:
    picture = draw("Ventas", BY_REGION, [["norte", 10], ["sur", "-5.5"], [None, 0]])
    widths = [float(one.get("width")) for one in tree_of(picture).iter() if one.tag.endswith("rect")]
    assert widths[0] > widths[1] > widths[2] == 0
    assert "norte" in picture


@pytest.mark.parametrize("columns", [MONTHS, BY_REGION])
def test_what_is_written_in_names_and_rows_stays_text(columns: Any) -> None:
    named = [{**one, "name": HOSTILE} for one in columns]
    first = ["2025-01-01", "2025-02-01"] if columns is MONTHS else [HOSTILE, HOSTILE]
    picture = draw(HOSTILE, named, [[first[0], 1], [first[1], 2]])
    assert kinds_in(picture) <= ALLOWED
    assert "href" not in {name for one in tree_of(picture).iter() for name in one.attrib}
    assert tree_of(picture).find("{*}title").text == HOSTILE


@pytest.mark.parametrize(
    "rows",
    [
        [], [["2025-01-01", 1]], [["x", "y"], ["z", None]], [["2025-01-01", None], ["2025-02-01", "nan"]],
        [["2025-01-01", True], ["2025-02-01", "1e999"]], [["2025-01-01", 10**400], ["2025-02-01", "-1e400"]],
    ],
)  # fmt: skip
def test_of_nothing_nothing_is_drawn(rows: Any) -> None:
    assert draw("Ventas", MONTHS, rows) == ""


def test_values_that_are_all_the_same_or_enormous_are_drawn() -> None:
    for values in ((5, 5), (0, 0), (-1e299, 1e299), (1e-300, 2e-300)):
        picture = draw("Ventas", MONTHS, [["2025-01-01", values[0]], ["2025-02-01", values[1]]])
        assert kinds_in(picture) <= ALLOWED


def test_it_is_drawn_in_time_whatever_is_in_it() -> None:
    began = time.process_time()
    draw("x" * 100_000, BY_REGION, [["y" * 4_000, n] for n in range(1_000)])
    draw("x", MONTHS, [[f"{1000 + n % 9000}-01-01", n] for n in range(50_000)])
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("value", "said"),
    [(0, "0"), (1234.5, "1234"), (12345, "12.3k"), (1234567, "1.23M"), (-2.5e9, "-2.5G"), (1e20, "1.00e+20")],
)
def test_axes_have_few_digits(value: float, said: str) -> None:
    assert short(value) == said
