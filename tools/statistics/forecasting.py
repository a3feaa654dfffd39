"""What comes next of a series: exponential smoothing by `statsmodels`, its form chosen by how it would have done.

A few forms compete at earlier moments of the series, each knowing what was known then; the one with the least error is
taken, and that error is told. It is the least of a few, and so a little kinder than chance.

Runs in a child alone (`tools.statistics.child`): what it imports takes seconds and 170 MB.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from statsmodels.tools.sm_exceptions import ModelWarning
from statsmodels.tsa.exponential_smoothing.ets import ETSModel

ORIGINS = 4
LEVELS = (80, 95)
MOST_VALUES, LONGEST_ETS_SEASON = 600, 12
EVALUATIONS = 200
DIGITS = 9  # of a series in its own size: by those behind them, which differ with the unit, the search goes astray
NORMAL_95 = 1.96
LEAST_HEURISTIC = 10  # values, with which the library guesses where a series begins


@dataclass(frozen=True, slots=True)
class Smoothing:
    """Of smoothing: an additive trend, damped or not, and an additive season; or the season's last values once more."""

    name: str
    trend: bool = False
    damped: bool = False
    seasonal: bool = False
    is_naive: bool = False


PLAIN = (Smoothing("level"), Smoothing("trend", trend=True), Smoothing("damped trend", trend=True, damped=True))
SEASONAL = (
    Smoothing("last season", seasonal=True, is_naive=True),
    Smoothing("season", seasonal=True),
    Smoothing("trend and season", trend=True, seasonal=True),
    Smoothing("damped trend and season", trend=True, damped=True, seasonal=True),
)


def forecast_series(values: Sequence[float], season: int, horizon: int) -> dict[str, Any]:
    """`forecast` with `low` and `high` by level for each of the next periods, and the backtest."""
    series = np.asarray(values, dtype=float)[-MOST_VALUES:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        origins = origins_of(len(series), horizon)
        errors = {form: backtest(series, season, horizon, form, origins) for form in forms_for(min(origins), season)}
        form = min(errors, key=lambda one: errors[one]["mase"])
        middle, ranges = predict(series, season, horizon, form, with_ranges=True)
        wider = _understated(series, season, form, errors[form]["rmse"], ranges)
    return {
        "model": form.name,
        "forecast": middle.tolist(),
        "ranges": {
            str(level): (middle[:, None] + wider * (ranges[level] - middle[:, None])).tolist() for level in LEVELS
        },
        "mase": errors[form]["mase"],
        "smape": errors[form]["smape"],
        "origins": len(origins),
        "forms": len(errors),
    }


def forms_for(length: int, season: int) -> tuple[Smoothing, ...]:
    if season <= 1 or length < 2 * season:
        return PLAIN
    return (*PLAIN, *SEASONAL) if season <= LONGEST_ETS_SEASON else (*PLAIN, SEASONAL[0])


def origins_of(length: int, horizon: int) -> list[int]:
    """How many values are known at each: the last ones at which the whole horizon has come to pass."""
    step = max(1, horizon // 3)
    return [length - horizon - step * n for n in range(ORIGINS)]


def backtest(series: Any, season: int, horizon: int, form: Smoothing, origins: Sequence[int]) -> dict[str, float]:
    """Mean errors over the horizon and the origins: MASE against the error of repeating the last season within what
    was known (Hyndman and Koehler, 2006), sMAPE in percent, and the root of the mean squared error."""
    scaled, percent, squared = [], [], []
    for origin in origins:
        known, came = series[:origin], series[origin : origin + horizon]
        said, _ranges = predict(known, season, horizon, form)
        error = np.abs(came - said)
        scaled.append(float(np.mean(error)) / _scale(known, season))
        squared.append(float(np.mean(error**2)))
        size = np.abs(came) + np.abs(said)
        percent.append(200 * float(np.mean(np.divide(error, size, out=np.zeros_like(error), where=size > 0))))
    rmse = math.sqrt(float(np.mean(squared)))
    return {"mase": float(np.mean(scaled)), "smape": float(np.mean(percent)), "rmse": rmse}


def _understated(series: Any, season: int, form: Smoothing, rmse: float, ranges: dict[int, Any]) -> float:
    """By how much ranges are too narrow: they are of the errors within what a form was fitted to, which know neither
    what the fit took up nor how wrong it was in the backtest. Never less than 1."""
    low, high = ranges[95].T
    own = float(np.sqrt(np.mean(((high - low) / (2 * NORMAL_95)) ** 2)))
    fitted = 1.0 if form.is_naive else math.sqrt(len(series) / max(1, len(series) - _parameters(form, season)))
    return max(1.0, fitted, rmse / own if own > 0 else 1.0)


def _parameters(form: Smoothing, season: int) -> int:
    """What is estimated: the beginnings and the smoothing of the level, the trend and the season."""
    return 2 + 2 * form.trend + form.damped + (season + 1 if form.seasonal else 0)


def _scale(known: Any, season: int) -> float:
    lag = season if len(known) > season else 1
    return float(np.mean(np.abs(known[lag:] - known[:-lag]))) or float(np.mean(np.abs(known))) or 1.0


def predict(
    known: Any, season: int, horizon: int, form: Smoothing, with_ranges: bool = False
) -> tuple[Any, dict[int, Any]]:
    """Of the series in a size of its own, and told in its units: the library's search for what fits ends too early, in
    another place for each unit, where values are large."""
    if form.is_naive:
        return _repeat(known, season, horizon)
    center, size = _center_and_size(known)
    common = np.round((known - center) / size, DIGITS)
    said, ranges = _smoothed(common, season, horizon, form, with_ranges)
    return center + size * said, {level: center + size * of_level for level, of_level in ranges.items()}


def _center_and_size(known: Any) -> tuple[float, float]:
    """All forms are additive, so a series may be moved as well as stretched. One that never changes is moved alone."""
    center = float(np.mean(known))
    return center, float(np.std(known)) or 1.0


def _smoothed(known: Any, season: int, horizon: int, form: Smoothing, with_ranges: bool) -> tuple[Any, dict[int, Any]]:
    least = LEAST_HEURISTIC + (2 * (season // 2) if form.seasonal else 0)
    is_estimated = len(known) < least or len(known) > _states(form, season) + 6
    model = ETSModel(
        pd.Series(known),  # of an array it gives no ranges
        error="add",
        trend="add" if form.trend else None,
        damped_trend=form.damped,
        seasonal="add" if form.seasonal else None,
        seasonal_periods=season if form.seasonal else None,
        initialization_method="estimated" if is_estimated else "heuristic",
    )
    fitted = model.fit(disp=False, maxiter=EVALUATIONS)
    if not with_ranges:
        return np.asarray(fitted.forecast(horizon)), {}
    said = fitted.get_prediction(start=len(known), end=len(known) + horizon - 1)
    ranges = {level: np.asarray(said.pred_int(alpha=1 - level / 100)) for level in LEVELS}
    return np.asarray(said.predicted_mean), ranges


def _states(form: Smoothing, season: int) -> int:
    return 4 + (season if form.seasonal else 0)


def _repeat(known: Any, season: int, horizon: int) -> tuple[Any, dict[int, Any]]:
    steps = np.arange(horizon)
    said = known[len(known) - season + steps % season]
    changes = known[season:] - known[:-season]
    deviation = float(np.sqrt(np.mean(changes**2))) * np.sqrt(steps // season + 1)
    widths = {80: 1.2816, 95: NORMAL_95}
    return said, {level: np.column_stack([said - k * deviation, said + k * deviation]) for level, k in widths.items()}
