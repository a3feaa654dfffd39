"""What comes next of a series: exponential smoothing by `statsmodels`, its form chosen by how it would have done.

A few forms compete at earlier moments of the series, each knowing what was known then; the one with the least error is
taken, and that error is told. It is the least of a few, and so a little kinder than chance.

Runs in a child alone (`tools.statistics.child`): what it imports takes seconds and 170 MB.
"""

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
    return {
        "model": form.name,
        "forecast": middle.tolist(),
        "ranges": {str(level): ranges[level].tolist() for level in LEVELS},
        **errors[form],
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
    was known (Hyndman and Koehler, 2006), and sMAPE in percent."""
    scaled, percent = [], []
    for origin in origins:
        known, came = series[:origin], series[origin : origin + horizon]
        said, _ranges = predict(known, season, horizon, form)
        error = np.abs(came - said)
        scaled.append(float(np.mean(error)) / _scale(known, season))
        size = np.abs(came) + np.abs(said)
        percent.append(200 * float(np.mean(np.divide(error, size, out=np.zeros_like(error), where=size > 0))))
    return {"mase": float(np.mean(scaled)), "smape": float(np.mean(percent))}


def _scale(known: Any, season: int) -> float:
    lag = season if len(known) > season else 1
    return float(np.mean(np.abs(known[lag:] - known[:-lag]))) or float(np.mean(np.abs(known))) or 1.0


def predict(
    known: Any, season: int, horizon: int, form: Smoothing, with_ranges: bool = False
) -> tuple[Any, dict[int, Any]]:
    if form.is_naive:
        return _repeat(known, season, horizon)
    model = ETSModel(
        pd.Series(known),  # of an array it gives no ranges
        error="add",
        trend="add" if form.trend else None,
        damped_trend=form.damped,
        seasonal="add" if form.seasonal else None,
        seasonal_periods=season if form.seasonal else None,
        initialization_method="estimated" if len(known) > _states(form, season) + 6 else "heuristic",
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
    deviation = float(np.std(known[season:] - known[:-season])) * np.sqrt(steps // season + 1)
    widths = {80: 1.2816, 95: 1.96}
    return said, {level: np.column_stack([said - k * deviation, said + k * deviation]) for level, k in widths.items()}
