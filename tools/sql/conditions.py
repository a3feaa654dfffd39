"""Which rows are measured: those whose column has one of these values, texts whatever their capitals.

Engines differ in whether capitals matter, and in which letters they have small ones for: SQLite, and PostgreSQL in some
locales, know those of ASCII alone. So a value with others is looked for in each way that it is usually written.
"""

from collections.abc import Iterator, Sequence
from string import ascii_lowercase, ascii_uppercase

from sqlglot import exp

from tools.sql.statements import Scalar

# By what the names of types begin with, in small letters.
TEXTS = (
    "char", "varchar", "nchar", "nvarchar", "bpchar", "text", "tinytext", "mediumtext", "longtext", "name", "citext",
    "enum", "set", "user-defined",
)  # fmt: skip
WITH_CASTS = ("postgres", "duckdb")  # the others put whatever stands in the column into small letters
OF_SOME_LETTERS = ("sqlite", "postgres")
SMALL = str.maketrans(ascii_uppercase, ascii_lowercase)


def write_condition(
    dialect: str, column: exp.Column, kind: str, wanted: Sequence[Scalar], values: dict[str, Scalar]
) -> exp.Expr:
    """`kind`: the column's type, as the source calls it, or "" where it is not known. `values` grows."""
    return exp.or_(*_alternatives(dialect, column, kind, wanted, values))


def _alternatives(
    dialect: str, column: exp.Column, kind: str, wanted: Sequence[Scalar], values: dict[str, Scalar]
) -> Iterator[exp.Expr]:
    is_text = dialect == "sqlite" or _is_of_texts(kind.lower())  # in SQLite whatever has letters is one
    some = [one for one in wanted if one is not None]
    texts = [one for one in some if isinstance(one, str) and _has_letters(one)] if is_text or not kind else []
    if exact := [one for one in some if not is_text or one not in texts]:
        yield exp.In(this=column.copy(), expressions=[place_value(values, one) for one in exact])
    if texts:
        small = exp.Lower(this=exp.cast(column.copy(), "text") if dialect in WITH_CASTS else column.copy())
        spelt = dict.fromkeys(one for text in texts for one in _spellings(dialect, text))
        yield exp.In(this=small, expressions=[place_value(values, one) for one in spelt])
    if len(some) < len(wanted):
        yield exp.Is(this=column.copy(), expression=exp.Null())


def _is_of_texts(kind: str) -> bool:
    return kind.startswith(TEXTS) and not kind.endswith("[]")


def _has_letters(text: str) -> bool:
    return text.lower() != text.upper()


def _spellings(dialect: str, text: str) -> Iterator[str]:
    """In small letters, as the engine has it, whichever letters it knows."""
    yield text.lower()
    if dialect in OF_SOME_LETTERS and not text.isascii():
        yield from (one.translate(SMALL) for one in (text, text.upper(), text.title(), text.capitalize()))


def place_value(values: dict[str, Scalar], value: Scalar) -> exp.Expr:
    """Its place in the statement, under a name that is new among `values`."""
    name = f"v{len(values) + 1}"
    values[name] = value
    return exp.Var(this=f":{name}")
