"""Trends and forecasts of public series and of such as are made here: numbers that are known beforehand."""

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from statsmodels.tsa.exponential_smoothing.ets import ETSModel

from tools.engines.failures import EngineFailed
from tools.engines.running import answer_of_child
from tools.statistics.decomposition import decompose
from tools.statistics.forecasting import PLAIN, SEASONAL, Smoothing, forecast_series, origins_of, predict

PUBLIC = json.loads((Path(__file__).parent / "public_series.json").read_text())
CO2, NILE, SUNSPOTS = (PUBLIC[name]["values"] for name in ("co2", "nile", "sunspots"))
pytestmark = pytest.mark.filterwarnings("ignore")  # of the library, of a fit that has not converged


def made(periods: int, slope: float, season: float, noise: float) -> list[float]:
    chance = random.Random(7)
    return [
        100 + slope * n + season * math.sin(2 * math.pi * n / 12) + chance.gauss(0, noise) for n in range(periods)
    ]  # fmt: skip


def test_a_trend_is_told_from_season_and_noise() -> None:
    found = decompose(made(72, slope=0.5, season=20, noise=1), 12)
    assert found["direction"] == "up"
    assert found["per_period_low"] <= 0.5 <= found["per_period_high"]
    assert found["change"] == pytest.approx(0.5 * 71, rel=0.1)
    assert 0.3 < found["noise"] < 1.5
    assert found["strength_of_season"] > 0.95
    assert decompose(made(72, slope=-0.5, season=20, noise=1), 12)["direction"] == "down"


def test_what_season_and_noise_explain_is_no_trend() -> None:
    """Its first value and its last are far from each other."""
    values = made(70, slope=0, season=20, noise=2)
    assert abs(values[-1] - values[0]) > 10
    assert decompose(values, 12)["direction"] == "flat"


@pytest.mark.parametrize(("length", "season"), [(8, 1), (12, 1), (8, 4), (24, 12), (36, 12), (60, 12), (14, 7)])
@pytest.mark.parametrize("size", [0, 20])
def test_of_season_and_noise_alone_a_trend_is_hardly_ever_told(length: int, season: int, size: int) -> None:
    """Also of short series, of which a smooth one follows the noise itself."""
    told = 0
    for start in range(40):
        chance = random.Random(start)
        values = [size * math.sin(2 * math.pi * n / season) + chance.gauss(100, 5) for n in range(length)]
        told += decompose(values, season)["direction"] != "flat"
    assert told <= 6


def test_of_few_events_no_trend_is_told() -> None:
    """More than half of the days have none: their noise is nothing, and any change more than that."""
    told = 0
    for start in range(40):
        chance = random.Random(start)
        told += decompose([float(chance.random() < 0.15) for _ in range(42)], 7)["direction"] != "flat"
    assert told <= 6


@pytest.mark.parametrize(("length", "season"), [(24, 12), (60, 12), (40, 1), (28, 7)])
def test_the_range_of_a_change_holds_as_often_as_it_says(length: int, season: int) -> None:
    held = 0
    for start in range(40):
        chance = random.Random(start)
        found = decompose([n + chance.gauss(100, 5) for n in range(length)], season)
        held += found["per_period_low"] <= 1 <= found["per_period_high"]
    assert held >= 34


@pytest.mark.parametrize(("length", "season"), [(24, 12), (36, 12), (48, 12), (16, 4), (28, 7), (120, 12)])
def test_noise_is_as_large_as_it_is_and_none_of_it_is_odd(length: int, season: int) -> None:
    noises, odd = [], 0
    for seed in range(12):
        places = np.arange(length)
        noise = np.random.default_rng(seed).normal(0, 20, length)
        found = decompose((1000 + 2 * places + 200 * np.sin(2 * np.pi * places / season) + noise).tolist(), season)
        noises.append(found["noise"])
        odd += len(found["odd"])
    assert 12 < np.median(noises) < 28
    assert odd <= 6  # of hundreds


def test_a_single_odd_value_bends_nothing_and_is_named() -> None:
    values = made(72, slope=0.5, season=20, noise=1)
    straight = decompose(values, 12)
    values[40] += 500
    bent = decompose(values, 12)
    assert bent["per_period"] == pytest.approx(straight["per_period"], abs=0.05)
    assert 40 in bent["odd"]


UNITS = (1e-6, 0.01, 1e4, 1e9)
SALES = [16_000 + 50 * n + 900 * math.sin(2 * math.pi * n / 12) + random.Random(n).gauss(0, 57) for n in range(58)]


@pytest.mark.parametrize("unit", [*UNITS, -1])
@pytest.mark.parametrize(("values", "season"), [(SALES, 12), (NILE, 1)], ids=["sales", "Nile"])
def test_the_same_is_told_of_a_series_in_every_unit(values: list[float], season: int, unit: float) -> None:
    plain, other = decompose(values, season), decompose([unit * one for one in values], season)
    assert np.array(other["parts"]) == pytest.approx(unit * np.array(plain["parts"]), abs=abs(unit) * 0.1)
    turned = {"up": "down", "down": "up", "flat": "flat"}
    assert other["direction"] == (plain["direction"] if unit > 0 else turned[plain["direction"]])
    assert other["change_percent"] == pytest.approx(plain["change_percent"] if unit > 0 else -plain["change_percent"])
    assert other["noise"] == pytest.approx(abs(unit) * plain["noise"])
    assert other["odd"] == plain["odd"]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("form", [*PLAIN, *SEASONAL], ids=lambda form: form.name)
def test_the_same_comes_next_of_a_series_in_every_unit(form: Smoothing, unit: float) -> None:
    plain, of_plain = predict(np.array(SALES), 12, 6, form, with_ranges=True)
    other, of_other = predict(unit * np.array(SALES), 12, 6, form, with_ranges=True)
    assert other == pytest.approx(unit * plain, rel=1e-6)
    for level in (80, 95):
        assert np.sort(of_other[level]) == pytest.approx(np.sort(unit * of_plain[level]), rel=1e-6)


@pytest.mark.parametrize("start", range(4))
def test_a_range_is_as_wide_as_the_noise_also_of_large_values(start: int) -> None:
    """By 1.96 of the noise at least, and by what the fit takes up and the backtest misses more than that."""
    chance = random.Random(start)
    values = [16_000 + 50 * n + 900 * math.sin(2 * math.pi * n / 12) + chance.gauss(0, 57) for n in range(58)]
    widths = [(high - low) / 2 for low, high in forecast_series(values, 12, 6)["ranges"]["95"]]
    assert max(widths) < 4 * 57


@pytest.mark.parametrize("form", [*PLAIN, *SEASONAL], ids=lambda form: form.name)
@pytest.mark.parametrize("value", [0.0, -5.0, 1e9])
def test_what_never_changes_goes_on(form: Smoothing, value: float) -> None:
    said, _ranges = predict(np.full(40, value), 12, 6, form)
    assert said == pytest.approx(np.full(6, value))


def test_parts_add_up_to_what_there_was() -> None:
    for values, season in ((CO2[-120:], 12), (NILE, 1)):
        parts = decompose(values, season)["parts"]
        assert [sum(one) for one in parts] == pytest.approx(values)


@pytest.mark.parametrize(
    ("values", "season", "horizon", "chosen"),
    [
        (CO2, 12, 12, {"trend": "add", "seasonal": "add", "seasonal_periods": 12}),
        (CO2[-180:], 12, 12, {"trend": "add", "seasonal": "add", "seasonal_periods": 12}),
        (NILE, 1, 6, {}),
        (SUNSPOTS, 1, 6, {}),
    ],
    ids=["CO2", "CO2, its last 180 months", "Nile", "sunspots"],
)
def test_a_backtest_is_within_a_tenth_of_the_librarys_own(
    values: list[float], season: int, horizon: int, chosen: Any
) -> None:
    """Of a form that is chosen by hand, by whoever knows the series, at the same moments, of all that came before."""
    found = forecast_series(values, season, horizon)
    errors = []
    for origin in origins_of(len(values), horizon):
        known, came = np.array(values[:origin]), np.array(values[origin : origin + horizon])
        said = ETSModel(known, error="add", **chosen).fit(disp=False).forecast(horizon)
        errors.append(np.mean(np.abs(came - said)) / np.mean(np.abs(known[season:] - known[:-season])))
    assert found["mase"] <= 1.1 * float(np.mean(errors))


def test_ranges_lie_within_each_other_and_around_the_forecast() -> None:
    found = forecast_series(made(72, slope=0.5, season=20, noise=1), 12, 6)
    assert len(found["forecast"]) == 6
    for said, (low, high), (lower, higher) in zip(
        found["forecast"], found["ranges"]["80"], found["ranges"]["95"], strict=True
    ):
        assert lower < low < said < high < higher
    assert found["mase"] < 0.5


def test_a_short_history_widens_the_ranges() -> None:
    """Of as many months as are needed: a season that was fitted to two or three of each says little of the next."""
    held = 0
    for start in range(4):
        chance = random.Random(start)
        values = [100 + n + 20 * math.sin(2 * math.pi * n / 12) + chance.gauss(0, 5) for n in range(42)]
        ranges = forecast_series(values[:36], 12, 6)["ranges"]["95"]
        held += sum(low <= one <= high for one, (low, high) in zip(values[36:], ranges, strict=True))
    assert held >= 20


def test_repeating_the_last_season_says_how_much_it_has_risen_since() -> None:
    """A range of what varies alone, without what the values rise each year, would lie wholly below what comes."""
    _said, ranges = predict(np.arange(130.0), 52, 4, Smoothing("last season", seasonal=True, is_naive=True))
    assert all(low <= came <= high for came, (low, high) in zip(range(130, 134), ranges[95], strict=True))


@pytest.mark.parametrize("horizon", [1, 3, 6])
@pytest.mark.parametrize("season", [1, 4, 7])
def test_the_shortest_histories_that_are_taken_are_enough(season: int, horizon: int) -> None:
    """What the library guesses of a beginning needs more values with a season, up to where it estimates one."""
    least = max(2 * season, 8) + horizon + 3 * max(1, horizon // 3)  # agents.api.analytics.trends
    for length in range(least, least + season + 7, 3):
        values = made(length, slope=1, season=5, noise=1)
        assert len(forecast_series(values, season, horizon)["forecast"]) == horizon, length


@pytest.mark.slow
def test_ranges_hold_as_often_as_they_say() -> None:
    """Of a series whose next values are known."""
    held = {"80": 0, "95": 0}
    for start in range(20):
        chance = random.Random(start)
        values = [50 + chance.gauss(0, 3) for _ in range(66)]
        ranges = forecast_series(values[:60], 1, 6)["ranges"]
        for level in held:
            held[level] += sum(low <= one <= high for one, (low, high) in zip(values[60:], ranges[level], strict=True))
    assert 0.68 <= held["80"] / 120 <= 0.92
    assert held["95"] / 120 >= 0.85


LIMITS = {"memory": 2 * 1024**3, "cpu": 60, "seconds": 60.0}


def test_the_child_computes_what_is_computed_here() -> None:
    request = {"asked": "decompose", "arguments": {"values": NILE, "season": 1}, **LIMITS}
    assert answer_of_child("tools.statistics.child", request, 300) == decompose(NILE, 1)


@pytest.mark.parametrize("wrong", [{"cpu": 1}, {"arguments": {"values": [], "season": 1}}])
def test_a_child_that_fails_is_told_as_one(wrong: dict[str, Any]) -> None:
    request = {"asked": "forecast_series", "arguments": {"values": CO2, "season": 12, "horizon": 12}, **LIMITS}
    with pytest.raises(EngineFailed):
        answer_of_child("tools.statistics.child", request | wrong, 300)
