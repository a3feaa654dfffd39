"""Measures of runs over time as lines of an SVG. Pure: places on a canvas, no markup and no colours.

Runs stand at equal distances in the order of time: they come in bursts, and an hour between two says nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

WIDTH, HEIGHT = 720, 260
LEFT, RIGHT, TOP, BOTTOM = 44, 16, 12, 28
MARKS = ("circle", "square", "triangle", "diamond")
STYLES = 8  # of lines; a ninth configuration looks like the first


@dataclass(frozen=True, slots=True)
class Measured:
    """One run's value of one measure."""

    configuration: str
    at: datetime
    value: float


@dataclass(frozen=True, slots=True)
class Mark:
    x: float
    y: float
    value: float
    at: datetime


@dataclass(frozen=True, slots=True)
class Curve:
    """One configuration's runs; `style` 1…STYLES chooses colour and dashes, `shape` its marks."""

    name: str
    style: int
    shape: str
    marks: tuple[Mark, ...]

    @property
    def points(self) -> str:
        return " ".join(f"{mark.x},{mark.y}" for mark in self.marks)


@dataclass(frozen=True, slots=True)
class Tick:
    y: float
    value: float


@dataclass(frozen=True, slots=True)
class Plot:
    lines: tuple[Curve, ...]
    ticks: tuple[Tick, ...]
    first: datetime
    last: datetime
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM


def plot(values: Sequence[Measured]) -> Plot | None:
    """None without values. The scale reaches from the tenth below the lowest value to 1, or the tenth above it."""
    if not values:
        return None
    moments = sorted({one.at for one in values})
    place = {at: LEFT + (WIDTH - LEFT - RIGHT) * (n + 0.5) / len(moments) for n, at in enumerate(moments)}
    low, high = scale([one.value for one in values])

    def height(value: float) -> float:
        return round(TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low), 1)

    lines = []
    for n, name in enumerate(dict.fromkeys(one.configuration for one in values)):
        own = sorted((one for one in values if one.configuration == name), key=lambda one: one.at)
        marks = tuple(Mark(round(place[one.at], 1), height(one.value), one.value, one.at) for one in own)
        lines.append(Curve(name, n % STYLES + 1, MARKS[n % len(MARKS)], marks))
    steps = range(5)
    ticks = tuple(Tick(height(low + (high - low) * n / 4), round(low + (high - low) * n / 4, 3)) for n in steps)
    return Plot(tuple(lines), ticks, moments[0], moments[-1])


def scale(values: Sequence[float]) -> tuple[float, float]:
    """Lowest and highest value of the axis, in tenths; the highest is 1 for shares."""
    low = max(0.0, int(min(values) * 10 - 1e-9) / 10)
    high = max(1.0, -(-max(values) * 10 // 1) / 10)
    return (low, high) if high > low else (low - 0.1, high)
