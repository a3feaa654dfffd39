"""Values of a statement, bound as each engine takes them: `:name` in the text, never in the text that is run."""

import math
import re
from collections.abc import Mapping

from sqlglot import exp

from tools.sql.mysql import value_in_place
from tools.sql.statements import Scalar, SqlRefused

MOST_VALUES, LONGEST_VALUE = 100, 10_000
MOST_WRITTEN = (
    1_000_000  # bytes of the values that are written into a statement (MySQL), each as often as it stands there
)
NO_TEXT = re.compile(r"[\0\ud800-\udfff]")  # no engine can be told these


def bind(tree: exp.Expr, dialect: str, values: Mapping[str, Scalar]) -> tuple[Scalar, ...]:
    """Number the places of the statement; what stands in each, in this order. Raises SqlRefused."""
    order: dict[str, int] = {}
    written = 0
    for place in list(tree.find_all(exp.Placeholder)):
        name = place.this
        if not isinstance(name, str) or name not in values:
            raise SqlRefused("Each place for a value is written :name, with a value of that name in params.")
        order.setdefault(name, len(order) + 1)
        value = _checked(values[name])
        written += len(value.encode()) if dialect == "mysql" and isinstance(value, str) else 0
        if written > MOST_WRITTEN:
            raise SqlRefused("The values are too long together.")
        place.replace(value_in_place(value) if dialect == "mysql" else _place(order[name], dialect))
    if unused := set(values) - set(order):
        raise SqlRefused(
            "The statement has no place for these params: %(names)s.", names=", ".join(sorted(unused)[:10])[:200]
        )
    return tuple(values[name] for name in order)


def _place(number: int, dialect: str) -> exp.Expr:
    """PostgreSQL and DuckDB know a numbered place as `$1`, SQLite a named one as `:p1`."""
    if dialect == "sqlite":
        return exp.Placeholder(this=f"p{number}")
    return exp.Parameter(this=exp.Literal.number(number))


def _checked(value: Scalar) -> Scalar:
    if value is not None and not isinstance(value, str | int | float | bool):
        raise SqlRefused("A value is a text, a number, true, false or null.")
    if isinstance(value, str) and (len(value) > LONGEST_VALUE or NO_TEXT.search(value)):
        raise SqlRefused(
            "A value has at most %(most)d characters, none of them NUL or half of a pair.", most=LONGEST_VALUE
        )
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise SqlRefused("A whole number has at most 64 bits.")
    if isinstance(value, float) and not math.isfinite(value):
        raise SqlRefused("A number is finite.")
    return value
