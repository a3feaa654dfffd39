"""What of a series is trend, season and noise: STL (Cleveland et al., 1990) with one season for all of it, fitted anew
without the values that are odd. By its own weights it would follow most values to the last digit where seasons are few:
of the noise nothing would be left, and every tenth value called odd.

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
ROUNDS = 3  # of fitting without what the one before has found odd


def decompose(values: Sequence[float], season: int) -> dict[str, Any]:
    """Parts by value, and the numbers that a judgement rests on. At least two seasons and seven values."""
    series = np.asarray(values, dtype=float)
    trend, seasonal, noise = _parts(series, season) if season > 1 else _trend_alone(series)
    remainder = series - trend - seasonal
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
        "odd": [int(place) for place in np.flatnonzero(_is_odd(series, remainder, noise))],
    }


def _parts(series: Any, season: int) -> tuple[Any, Any, float]:
    """Trend, season and noise. What trend and season have taken of the noise by being fitted is added to it again."""
    free = len(series) - (season - 1) - max(2.0, len(series) / (1.5 * season) + 1)
    taken = math.sqrt(len(series) / max(free, 1.0))
    plain = series
    for _ in range(ROUNDS):
        found = STL(plain, period=season, seasonal=10 * len(series) + 1, seasonal_deg=0).fit()
        trend, seasonal = np.asarray(found.trend), np.asarray(found.seasonal)
        remainder = series - trend - seasonal
        noise = _deviation(remainder) * taken
        plain = np.where(_is_odd(series, remainder, noise), trend + seasonal, series)
    return trend, seasonal, noise


def _trend_alone(series: Any) -> tuple[Any, Any, float]:
    trend = lowess(series, np.arange(len(series)), frac=WIDTH_WITHOUT_SEASON, return_sorted=False)
    return trend, np.zeros(len(series)), _deviation(series - trend)


def _deviation(remainder: Any) -> float:
    return float(np.median(np.abs(remainder - np.median(remainder)))) * AS_DEVIATION


def _is_odd(series: Any, remainder: Any, noise: float) -> Any:
    return np.abs(remainder) > NOISES_OF_AN_ODD_ONE * noise + _tiny(series)


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
