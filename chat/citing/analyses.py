"""Trends and forecasts among what an answer cites: how their columns and numbers are called, and which way they go.

Programs and models have them by their English names (agents.api.analytics.trends), people in their language.
"""

import re
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from retrieval.text.folding import fold

TRENDS, FORECASTS = "get_trends", "forecast"
COLUMNS: dict[str, Promise] = {
    "day": _("day"),
    "week": _("week"),
    "month": _("month"),
    "quarter": _("quarter"),
    "year": _("year"),
    "value": _("value"),
    "trend": _("trend"),
    "season": _("season"),
    "remainder": _("remainder"),
    "forecast": _("forecast"),
    "low_80": _("at least (80 %)"),
    "high_80": _("at most (80 %)"),
    "low_95": _("at least (95 %)"),
    "high_95": _("at most (95 %)"),
}
NUMBERS: dict[str, Promise] = {
    "direction": _("direction"),
    "change": _("change"),
    "change_percent": _("change (%)"),
    "per_period": _("change for each period"),
    "noise": _("noise"),
    "strength_of_season": _("strength of the season (0 to 1)"),
    "strength_of_trend": _("strength of the trend (0 to 1)"),
    "unusual": _("unusual periods"),
    "periods": _("periods"),
    "filled": _("periods without rows"),
    "left_out": _("left out: not over yet"),
    "first": _("first period"),
    "last": _("last period"),
    "model": _("form"),
    "mase": _("backtest's error (MASE; 1: as repeating the last season)"),
    "smape": _("backtest's error (sMAPE, %)"),
    "horizon": _("periods to come"),
}
WORDS: dict[str, Promise] = {
    "up": _("up"),
    "down": _("down"),
    "flat": _("no change beyond noise and season"),
    "level": _("a level"),
    "trend": _("a trend"),
    "damped trend": _("a trend that fades"),
    "last season": _("the last season once more"),
    "season": _("a season"),
    "trend and season": _("a trend and a season"),
    "damped trend and season": _("a trend that fades, and a season"),
}
_UP = (
    r"cre(?:ce|cen|cio|cieron|cido|ciendo|cera|ceran|ciente)|sub(?:e|en|io|ieron|ido|iendo|ira|iran)|al alza"
    r"|(?:aument|increment)(?:a|an|aron|ado|ando|ara|aran)|ris(?:e|es|en|ing)|rose|gr(?:ow|ows|ew|own|owing)"
    r"|increas(?:e|es|ed|ing)|climb(?:s|ed|ing)?|upwards?"
)
_DOWN = (
    r"baj(?:a|an|aron|ado|ando|ara|aran)|a la baja|desc(?:iende|ienden|endio|endieron|endido|endiendo)"
    r"|ca(?:e|en|yo|yeron|ido|yendo)|disminu(?:ye|yen|yo|yeron|ido|yendo)|fall(?:s|en|ing)?|fell|drop(?:s|ped|ping)?"
    r"|(?:declin|decreas)(?:e|es|ed|ing)|downwards?"
)
_FLAT = (
    r"estables?|se (?:mantienen?|han? mantenido)|constantes?|sin cambios?"
    r"|stable|flat|steady|unchanged"
)
_WAYS = {way: re.compile(rf"\b(?:{words})\b") for way, words in (("up", _UP), ("down", _DOWN), ("flat", _FLAT))}


def column_label(tool: str, name: str) -> str:
    """As people read it; a column of a data source has the name that it has there."""
    return str(COLUMNS.get(name, name)) if tool in (TRENDS, FORECASTS) else name


def number_in_words(value: object) -> Any:
    return WORDS.get(str(value), value)


def told_numbers(numbers: dict[str, Any] | None) -> list[tuple[Promise, Any]]:
    """Those that say something to people, in this order, with what there is nothing of left out."""
    known = ((label, (numbers or {}).get(name)) for name, label in NUMBERS.items())
    return [(label, number_in_words(value)) for label, value in known if value not in (None, "")]


def ways_said(claim: str) -> set[str]:
    """ "up", "down" and "flat", by the verbs of a sentence in Spanish or English; all that it tells of."""
    said = fold(claim)
    return {way for way, words in _WAYS.items() if words.search(said)}
