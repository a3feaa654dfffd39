"""What of a series is trend, season and noise: STL, robust against single odd values (Cleveland et al., 1990).

Runs in a child alone (`tools.statistics.child`): what it imports takes seconds and 150 MB.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from statsmodels.nonparametric.smoothers_lowess import lowess
from statsmodels.tsa.seasonal import STL

NOISES_OF_A_CHANGE, NOISES_OF_AN_ODD_ONE = 2.0, 3.0
NORMAL_95 = 1.96
AS_DEVIATION = 1.4826  # the median absolute deviation of a normal distribution, as its standard deviation
WIDTH_WITHOUT_SEASON = 0.5  # of all values, that a smoothed one is made of


def decompose(values: Sequence[float], season: int) -> dict[str, Any]:
    """Parts by value, and the numbers that a judgement rests on. At least two seasons and seven values."""
    series = np.asarray(values, dtype=float)
    trend, seasonal = _parts(series, season)
    remainder = series - trend - seasonal
    noise = float(np.median(np.abs(remainder - np.median(remainder)))) * AS_DEVIATION
    change = float(trend[-1] - trend[0])
    slope, low, high = _slope(series, season)
    return {
        "parts": np.column_stack([trend, seasonal, remainder]).tolist(),
        "direction": _direction(change, max(NOISES_OF_A_CHANGE * noise, _tiny(series)), low, high),
        "change": change,
        "change_percent": float(100 * change / abs(trend[0])) if abs(trend[0]) > _tiny(series) else None,
        "per_period": slope,
        "per_period_low": low,
        "per_period_high": high,
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


def _slope(series: Any, season: int) -> tuple[float, float | None, float | None]:
    """The median change for each period between values of the same season (Hirsch, Slack and Smith, 1982), of which no
    season has to be taken away first; and its range of 95 % by the number of pairs that rise and fall (Kendall; Hirsch
    and Slack, 1984), or None where there are too few for one."""
    slopes, variance = [], 0.0
    for first in range(season):
        of_season = series[first::season]
        count = len(of_season)
        early, late = np.triu_indices(count, 1)
        slopes.append((of_season[late] - of_season[early]) / (season * (late - early)))
        variance += count * (count - 1) * (2 * count + 5) / 18
    ranked = np.sort(np.concatenate(slopes))
    outside = math.floor((len(ranked) - 1 - NORMAL_95 * math.sqrt(variance)) / 2)
    median = float(np.median(ranked))
    return (median, float(ranked[outside]), float(ranked[-1 - outside])) if outside >= 0 else (median, None, None)


def _direction(change: float, least: float, low: float | None, high: float | None) -> str:
    """A smooth line follows a short series' noise: what it says counts where the pairs of values say it too."""
    if low is None or high is None or abs(change) <= least:
        return "flat"
    if low > 0 and change > 0:
        return "up"
    return "down" if high < 0 and change < 0 else "flat"


def _strength(part: Any, remainder: Any) -> float:
    """From 0 to 1: how much less the rest varies for this part (Hyndman and Athanasopoulos, FPP3, 4.3)."""
    together = float(np.var(part + remainder))
    return max(0.0, 1 - float(np.var(remainder)) / together) if together > 0 else 0.0


def _tiny(series: Any) -> float:
    """What rounding leaves of a series that its parts explain wholly."""
    return 1e-9 * float(np.max(np.abs(series)))
