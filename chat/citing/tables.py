"""Which row of a table stands behind a claim, as far as that can be told by its numbers and words; pure but for rows.

A claim is supported where all its numbers stand in cells, written in either way and rounded or not, but for years that
the statement itself asked for. One without any others, where a cell's words stand in it, where it denies and nothing
was found, or where it says which way a trend goes. What no row bears out is told as unsupported, and so is what a trend
contradicts. That a sum was made of the right rows nobody checks here: the statement is shown beside them.
"""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from functools import cache

from chat.citing.analyses import ways_said
from chat.citing.claims import CitedClaim, claims_in
from chat.citing.matching import has_something_to_support
from chat.citing.rows import AnswerTable
from chat.citing.saying import said_in
from chat.citing.support import MOST_JUDGED
from retrieval.text.folding import fold

_NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*")
_GROUPS = re.compile(r"[.,](?=\d{3}(?!\d))")
YEARS = range(1900, 2101)
SHORTEST_WORD = 3
MOST_CELLS = 5_000  # of a table that are looked at
MOST_PLACES = 10  # to which a cell is rounded
MOST_DIGITS = 100  # before or behind the point; what has more is a text, and no number that a sentence tells


class NumberedRows:
    """Where each number of a table stands, made once and looked up by all claims of an answer: rows are anybody's, and
    so is what a model says of them."""

    def __init__(self, table: AnswerTable) -> None:
        self.table = table
        self._values = [(place, abs(value)) for place, row in enumerate(_cells(table)) for value in _values(row)]
        self.rows_by_number = cache(self._rows_by_number)

    def rows_with(self, number: Decimal) -> set[int]:
        """By a cell, or by one that was rounded to as many places, without its sign too: "fell by 3"."""
        exponent = number.as_tuple().exponent
        places = -exponent if isinstance(exponent, int) and exponent < 0 else 0
        return self.rows_by_number(min(places, MOST_PLACES)).get(abs(number), set())

    def _rows_by_number(self, places: int) -> dict[Decimal, set[int]]:
        found: dict[Decimal, set[int]] = {}
        for place, value in self._values:
            for told in (value, _rounded(value, places)):
                found.setdefault(told, set()).add(place)
        return found


def rows_behind(answer: str, tables: Sequence[AnswerTable], others: Sequence[int] = ()) -> dict[int, list[str | None]]:
    """By number of table, for each of its citations in order: the row that supports it, None where none does.
    `others`: what is cited and no table."""
    numbered = {one.n: NumberedRows(one) for one in tables}
    behind: dict[int, list[str | None]] = {n: [] for n in numbered}
    claims = [one for one in claims_in(answer, {*numbered, *others}) if one.n in numbered]
    for claim in claims[:MOST_JUDGED]:
        behind[claim.n].append(row_for(claim, numbered[claim.n]))
    return behind


def row_for(claim: CitedClaim, rows: NumberedRows) -> str | None:
    said = next((one for one in (claim.text, claim.whole) if has_something_to_support(one)), "")
    table = rows.table
    if not said:
        return table.snippet or str(table.row_count)
    asked = _years_asked(table)
    numbers = [readings_of(one) for one in sorted(numbers_said(said))]
    has_others = any(asked.isdisjoint(one) or any(map(rows.rows_with, one)) for one in numbers)
    if has_others:
        return _with_numbers(numbers, rows, asked, said)
    return _with_way(said, table) or _with_words(said, table) or _with_nothing(said, table)


def numbers_said(claim: str) -> set[str]:
    """As they are written, and those that are words."""
    figures = set(_NUMBER.findall(claim))
    written = " ".join(_GROUPS.sub("", figure) for figure in figures)
    return figures | {one for one in said_in(claim).numbers if one.isdigit() and one not in written}


def readings_of(number: str) -> tuple[Decimal, ...]:
    """What a number may mean: 1.234 is one thing in Spanish and another in English."""
    whole, _, places = number.replace(",", ".").rpartition(".")
    readings = {_GROUPS.sub("", number).replace(",", "."), number.replace(",", ".")}
    readings |= {f"{whole.replace('.', '')}.{places}"} if "." in number and "," in number else set()
    return tuple(value for one in sorted(readings) if (value := _decimal(one)) is not None)


def _with_numbers(
    numbers: Sequence[tuple[Decimal, ...]], rows: NumberedRows, asked: set[Decimal], claim: str
) -> str | None:
    """All must stand somewhere; the row with most of them is told. What was computed of all rows bears out nothing that
    goes the other way."""
    table = rows.table
    counted = Decimal(table.row_count)
    found = [set[int]().union(*map(rows.rows_with, readings)) for readings in numbers]
    if any(not places and {*asked, counted}.isdisjoint(one) for places, one in zip(found, numbers, strict=True)):
        return None
    if not any(found):
        return str(table.row_count) if any(counted in readings for readings in numbers) else None
    best = max(range(len(_cells(table))), key=lambda place: (sum(place in places for places in found), -place))
    if table.numbers and best == len(_cells(table)) - 1 and _goes_against(claim, table):
        return None
    return _in_words(table, best)


def _goes_against(claim: str, table: AnswerTable) -> bool:
    """ "Fell by 30 %" of a trend that rises by it."""
    way, said = (table.numbers or {}).get("direction"), ways_said(claim)
    return bool(way and said) and way not in said and not said_in(claim).denies


def _with_way(claim: str, table: AnswerTable) -> str | None:
    """ "They have grown", of a trend that goes up."""
    way = (table.numbers or {}).get("direction")
    is_told = bool(way) and ways_said(claim) == {way} and not said_in(claim).denies
    return table.numbers_in_words() if is_told else None


def _rounded(value: Decimal, places: int) -> Decimal:
    try:
        return round(value, places)
    except InvalidOperation:  # more digits than a number of a sentence has
        return value


def _with_words(claim: str, table: AnswerTable) -> str | None:
    """By whole words of a cell."""
    said = f" {_words(claim)} "
    for place, row in enumerate(_cells(table)):
        for cell in row:
            words = _words(cell) if isinstance(cell, str) else ""
            if len(words) >= SHORTEST_WORD and f" {words} " in said:
                return _in_words(table, place)
    return None


def _with_nothing(claim: str, table: AnswerTable) -> str | None:
    """ "There were no sales": of a result without rows, or whose one row counts nothing."""
    is_nothing = table.row_count <= 1 and not any(_counts(cell) for row in table.rows for cell in row)
    return table.snippet or str(table.row_count) if is_nothing and said_in(claim).denies else None


def _counts(cell: object) -> bool:
    return cell is not None and _decimal(str(cell)) != 0


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", fold(text)))


def _cells(table: AnswerTable) -> list[list[object]]:
    """By row; what was computed of all of them stands behind them as one more."""
    most = max(1, MOST_CELLS // max(1, len(table.columns)))
    return [*table.rows[:most], *([list(table.numbers.values())] if table.numbers else [])]


def _in_words(table: AnswerTable, place: int) -> str:
    if table.numbers and place == len(_cells(table)) - 1:
        return table.numbers_in_words()
    return table.row_in_words(place)


def _values(row: Sequence[object]) -> Iterator[Decimal]:
    """The numbers of a row, also those within its texts (dates)."""
    for cell in row:
        if isinstance(cell, bool) or cell is None:
            continue
        if (value := _decimal(str(cell))) is not None:
            yield value
            continue
        yield from (number for one in _NUMBER.findall(str(cell)[:500]) for number in readings_of(one.lstrip("-")))


def _years_asked(table: AnswerTable) -> set[Decimal]:
    asked = f"{table.statement} {' '.join(map(str, table.params.values()))}"
    return {Decimal(one) for one in re.findall(r"\b\d{4}\b", asked) if int(one) in YEARS}


def _decimal(text: str) -> Decimal | None:
    try:
        value = Decimal(text)
    except InvalidOperation:
        return None
    return value if value.is_finite() and abs(value.adjusted()) <= MOST_DIGITS else None
