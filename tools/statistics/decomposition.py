"""What of a series is trend, season and noise: STL, robust against single odd values (Cleveland et al., 1990).

Runs in a child alone (`tools.statistics.child`): what it imports takes seconds and 150 MB.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import theilslopes
from statsmodels.nonparametric.smoothers_lowess import lowess
from statsmodels.tsa.seasonal import STL

NOISES_OF_A_CHANGE, NOISES_OF_AN_ODD_ONE = 2.0, 3.0
AS_DEVIATION = 1.4826  # the median absolute deviation of a normal distribution, as its standard deviation
WIDTH_WITHOUT_SEASON = 0.5  # of all values, that a smoothed one is made of


def decompose(values: Sequence[float], season: int) -> dict[str, Any]:
    """Parts by value, and the numbers that a judgement rests on. At least two seasons and seven values."""
    series = np.asarray(values, dtype=float)
    trend, seasonal = _parts(series, season)
    remainder = series - trend - seasonal
    noise = float(np.median(np.abs(remainder - np.median(remainder)))) * AS_DEVIATION
    change = float(trend[-1] - trend[0])
    slope, _intercept, low, high = theilslopes(series - seasonal)
    return {
        "parts": np.column_stack([trend, seasonal, remainder]).tolist(),
        "direction": _direction(change, noise),
        "change": change,
        "change_percent": float(100 * change / abs(trend[0])) if abs(trend[0]) > 1e-12 else None,
        "per_period": float(slope),
        "per_period_low": float(low),
        "per_period_high": float(high),
        "noise": noise,
        "strength_of_season": _strength(seasonal, remainder) if season > 1 else 0.0,
        "strength_of_trend": _strength(trend, remainder),
        "trend_first": float(trend[0]),
        "trend_last": float(trend[-1]),
        "odd": [
            int(place) for place in np.flatnonzero(np.abs(remainder) > NOISES_OF_AN_ODD_ONE * noise + _tiny(series))
        ],
    }


def _parts(series: Any, season: int) -> tuple[Any, Any]:
    if season > 1:
        found = STL(series, period=season, robust=True).fit()
        return np.asarray(found.trend), np.asarray(found.seasonal)
    return lowess(series, np.arange(len(series)), frac=WIDTH_WITHOUT_SEASON, return_sorted=False), np.zeros(len(series))


def _direction(change: float, noise: float) -> str:
    if abs(change) <= max(NOISES_OF_A_CHANGE * noise, 1e-9):
        return "flat"
    return "up" if change > 0 else "down"


def _strength(part: Any, remainder: Any) -> float:
    """From 0 to 1: how much less the rest varies for this part (Hyndman and Athanasopoulos, FPP3, 4.3)."""
    together = float(np.var(part + remainder))
    return max(0.0, 1 - float(np.var(remainder)) / together) if together > 0 else 0.0


def _tiny(series: Any) -> float:
    """What rounding leaves of a series that its parts explain wholly."""
    return 1e-9 * float(np.max(np.abs(series)))
