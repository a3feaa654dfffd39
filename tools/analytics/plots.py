"""A table of numbers as a picture: an SVG made here of columns and rows, whose every text is escaped.

Without scripts, styles, links and anything from outside. Lines have the colour of the text around them, so that they
are seen in the light and in the dark, and are told apart by their dashes and a legend. The table itself stays beside.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

NUMBERS = frozenset({"integer", "decimal", "number"})
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 300, 64, 12, 12, 44
MOST_POINTS, MOST_BARS, MOST_LINES = 1_000, 24, 4
BAR, LONGEST_LABEL, TICKS = 22, 24, 4
DASHES = ("", "6 4", "2 3", "8 3 2 3")
BANDS = (("low_95", "high_95", "0.12"), ("low_80", "high_80", "0.2"))
BESIDE_A_TREND = frozenset({"season", "remainder"})  # which lie around zero, far from the rest
Columns = Sequence[Mapping[str, str]]
Rows = Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to places of the picture; never of no length."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return round(self.start + share * (self.end - self.start), 1)


def draw(title: str, columns: Columns, rows: Rows, labels: Sequence[str] = ()) -> SafeString:
    """Lines over time where the first column is one of days; bars for one text and one number; else nothing ("").

    `labels`: what the columns are called in the picture, in their order; without any, by their names.
    """
    named = dict(zip((one["name"] for one in columns), labels, strict=True)) if labels else {}
    numeric = [place for place, one in enumerate(columns) if one.get("type") in NUMBERS]
    if len(rows) < 2 or not numeric:
        return SafeString("")
    if columns[0].get("type") == "date" and numeric == list(range(1, len(columns))):
        return _lines(title, columns, rows[:MOST_POINTS], named)
    if len(columns) == 2 and numeric == [1]:
        return _bars(title, columns, rows[:MOST_BARS], named)
    return SafeString("")


def finite(cell: Any) -> float | None:
    """A decimal comes as text; what is no finite number is nothing."""
    try:
        value = None if cell is None or isinstance(cell, bool) else float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
    return value if value is not None and math.isfinite(value) and abs(value) < 1e300 else None


def _lines(title: str, columns: Columns, rows: Rows, labels: Mapping[str, str]) -> SafeString:
    days = [_day(row[0]) for row in rows]
    named = {one["name"]: [finite(row[place]) for row in rows] for place, one in enumerate(columns) if place}
    if "trend" in named:
        named = {name: values for name, values in named.items() if name not in BESIDE_A_TREND}
    known = [value for values in named.values() for value in values if value is not None]
    dated = [day for day in days if day is not None]
    if len(dated) < 2 or not known:
        return SafeString("")
    x = Scale(min(dated), max(dated), LEFT, WIDTH - RIGHT)
    y = Scale(min(known), max(known), HEIGHT - BOTTOM, TOP)
    bands = [band for low, high, strength in BANDS if (band := _band(days, named, low, high, strength, x, y))]
    ranges = {name for low, high, _strength in BANDS for name in (low, high)}
    lines = [name for name in named if name not in ranges][:MOST_LINES]
    drawn = [_line(days, named[name], DASHES[n], x, y) for n, name in enumerate(lines)]
    called = [labels.get(name, name) for name in (columns[0]["name"], *lines)]
    body = format_html_join("", "{}", ((part,) for part in (_axes(y, x), *bands, *drawn, _legend(called[1:]))))
    return _picture(title, f"{called[0]}: {', '.join(called[1:])}", HEIGHT, body)


def _day(cell: Any) -> int | None:
    try:
        return date.fromisoformat(str(cell)[:10]).toordinal()
    except ValueError:
        return None


def _line(days: Sequence[int | None], values: Sequence[float | None], dash: str, x: Scale, y: Scale) -> SafeString:
    """In pieces: what is not known is not drawn."""
    path, pen = [], "M"
    for day, value in zip(days, values, strict=True):
        if day is None or value is None:
            pen = "M"
            continue
        path.append(f"{pen}{x(day)} {y(value)}")
        pen = "L"
    shape = '<path d="{}" fill="none" stroke="currentColor" stroke-width="1.5" stroke-dasharray="{}"/>'
    return format_html(shape, "".join(path), dash or "none")


def _band(
    days: Sequence[int | None], named: Mapping[str, Sequence[float | None]], low: str, high: str, strength: str,
    x: Scale, y: Scale,
) -> SafeString:  # fmt: skip
    if low not in named or high not in named:
        return SafeString("")
    edges = [
        (x(day), y(least), y(most))
        for day, least, most in zip(days, named[low], named[high], strict=True)
        if day is not None and least is not None and most is not None
    ]
    places = [f"{place},{top}" for place, _bottom, top in edges]
    places += [f"{place},{bottom}" for place, bottom, _top in reversed(edges)]
    return format_html('<polygon points="{}" fill="currentColor" opacity="{}"/>', " ".join(places), strength)


def _axes(y: Scale, x: Scale) -> SafeString:
    steps = [y.low + (y.high - y.low) * n / TICKS for n in range(TICKS + 1)]
    lines = format_html_join(
        "",
        '<line x1="{}" x2="{}" y1="{}" y2="{}" stroke="currentColor" opacity="0.2"/>'
        '<text x="{}" y="{}" text-anchor="end" font-size="11" fill="currentColor">{}</text>',
        ((LEFT, WIDTH - RIGHT, y(one), y(one), LEFT - 6, y(one) + 4, short(one)) for one in steps),
    )
    ends = ((x.start, "start", x.low), (x.end, "end", x.high))
    named = format_html_join(
        "",
        '<text x="{}" y="{}" text-anchor="{}" font-size="11" fill="currentColor">{}</text>',
        ((place, HEIGHT - BOTTOM + 16, anchor, date.fromordinal(int(day))) for place, anchor, day in ends),
    )
    return format_html("{}{}", lines, named)


def _legend(names: Sequence[str]) -> SafeString:
    width = (WIDTH - LEFT - RIGHT) / max(1, len(names))
    entry = (
        '<line x1="{}" x2="{}" y1="{}" y2="{}" stroke="currentColor" stroke-width="1.5" stroke-dasharray="{}"/>'
        '<text x="{}" y="{}" font-size="11" fill="currentColor">{}</text>'
    )
    below = HEIGHT - 8
    return format_html_join("", entry, _entries(names, width, below))


def _entries(names: Sequence[str], width: float, below: int) -> Iterator[tuple[Any, ...]]:
    for n, name in enumerate(names):
        start = round(LEFT + n * width, 1)
        yield start, start + 24, below - 4, below - 4, DASHES[n] or "none", start + 30, below, _cut(name)


def _bars(title: str, columns: Columns, rows: Rows, labels: Mapping[str, str]) -> SafeString:
    values = [finite(row[1]) or 0.0 for row in rows]
    height = TOP + BAR * len(rows) + TOP
    x = Scale(min(0.0, *values), max(0.0, *values), 180, WIDTH - 80)
    entry = (
        '<text x="172" y="{}" text-anchor="end" font-size="11" fill="currentColor">{}</text>'
        '<rect x="{}" y="{}" width="{}" height="{}" fill="currentColor" opacity="0.5"/>'
        '<text x="{}" y="{}" font-size="11" fill="currentColor">{}</text>'
    )
    bars = (
        (
            TOP + BAR * n + 14, _cut("–" if row[0] is None else str(row[0])),
            min(x(0), x(value)), TOP + BAR * n + 2, round(abs(x(value) - x(0)), 1), BAR - 6,
            max(x(0), x(value)) + 4, TOP + BAR * n + 14, short(value),
        )
        for n, (row, value) in enumerate(zip(rows, values, strict=True))
    )  # fmt: skip
    described = ": ".join(labels.get(one["name"], one["name"]) for one in columns)
    return _picture(title, described, height, format_html_join("", entry, bars))


def _picture(title: str, described: str, height: int, body: SafeString) -> SafeString:
    return format_html(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" role="img" class="plot">'
        "<title>{}</title><desc>{}</desc>{}</svg>",
        *(WIDTH, height, title, described, body),
    )


def _cut(text: str) -> str:
    plain = " ".join(text[: 4 * LONGEST_LABEL].split())
    return plain if len(plain) <= LONGEST_LABEL else plain[: LONGEST_LABEL - 1] + "…"


def short(value: float) -> str:
    """Few digits: 1234567 is "1.23M"."""
    for size, unit in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (1e3 if unit == 'k' else size):.3g}{unit}" if abs(value) < 1e15 else f"{value:.2e}"
    return f"{value:.4g}"
