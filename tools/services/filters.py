"""Conditions on records as somebody wrote them: a field with a value, values, or operators with theirs; bounded."""

import math
import unicodedata
from collections.abc import Mapping
from typing import Any

from config.faults import Refusal

OPERATORS = ("eq", "ne", "gt", "gte", "lt", "lte", "contains", "in")
MOST_CONDITIONS, MOST_VALUES, LONGEST_VALUE, LARGEST = 6, 50, 500, 10**15
OF_TEXTS = ("contains",)
WITH_NULL = ("eq", "ne")
Condition = tuple[str, str, Any]


class FilterRefused(Refusal):
    """Its text says why."""


def read_filter(said: Mapping[str, Any]) -> list[Condition]:
    """Field, operator and value of each condition; all must hold. A value alone is `eq`, a list `in`. Raises
    FilterRefused."""
    conditions = [one for name, wanted in said.items() for one in _conditions(name, wanted)]
    if len(conditions) > MOST_CONDITIONS:
        raise FilterRefused("A filter has at most %(most)d conditions.", most=MOST_CONDITIONS)
    return conditions


def _conditions(name: str, wanted: Any) -> list[Condition]:
    if isinstance(wanted, list):
        wanted = {"in": wanted}
    by_operator = wanted if isinstance(wanted, dict) else {"eq": wanted}
    if not by_operator:
        raise FilterRefused("Say which value %(name)s has.", name=_quoted(name))
    if unknown := set(by_operator) - set(OPERATORS):
        raise FilterRefused(
            "There is no operator %(name)s. There are: %(names)s.",
            name=_quoted(min(unknown)),
            names=", ".join(OPERATORS),
        )
    return [(name, operator, _value(name, operator, value)) for operator, value in by_operator.items()]


def _value(name: str, operator: str, value: Any) -> Any:
    if operator == "in":
        if not isinstance(value, list) or not 0 < len(value) <= MOST_VALUES or None in value:
            raise FilterRefused("“in” takes a list of 1 to %(most)d values.", most=MOST_VALUES)
        return [_scalar(name, one) for one in value]
    if value is None and operator not in WITH_NULL:
        raise FilterRefused("null is compared by eq and ne alone.")
    if operator in OF_TEXTS and not isinstance(value, str):
        raise FilterRefused("“contains” takes a text.")
    return _scalar(name, value)


def _scalar(name: str, value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float) and math.isfinite(value) and abs(value) < LARGEST:
        return value
    if isinstance(value, str) and len(value) <= LONGEST_VALUE and not any(map(_is_hidden, value)):
        return value
    raise FilterRefused(
        "A value of %(name)s is a text of at most %(most)d characters without control characters, a number, true, "
        "false or null.",
        name=_quoted(name),
        most=LONGEST_VALUE,
    )


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs")


def _quoted(name: str) -> str:
    return f"“{''.join(one for one in str(name)[:60] if one.isprintable())}”"
