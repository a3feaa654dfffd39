"""A table's cells to lines as Markdown has them, `| a | b |`, and what is no table though it looks like one. Pure."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

from retrieval.text.stems import STOP_WORDS
from workers.ingestion.extract.canonical import clean
from workers.ingestion.extract.outline.places import DECIMAL_RANK, numbered_place

MOST_OF_TEXT = 0.75  # of a table's characters in one column, where the rows are numbered: these are clauses
PROSE = 30  # characters of a line in each of two columns: text in columns that was written line by line
MOSTLY = 0.6
FEW_ROWS, HOLES = 3, 0.3  # a table of so few rows has fewer empty cells
WIDE, RUNNING = 4, 0.1  # columns, and the share of cells that hold a word between two others: this is text
_BETWEEN_WORDS = STOP_WORDS - {"no", "si", "sí", "yes", "a", "o", "y", "e", "i"}  # which a cell may hold alone
MOST_AT_THE_FOOT = 5  # lines below a page's last row
LONGEST_HEAD = 40  # characters of the name of one of two columns
DEEP = 3  # numbers of a clause's place: "1.2.3"
_MARKER = re.compile(r"\d{1,3}[.)]?|(?:[a-zA-Z]|[ivxIVX]{1,5})[.)]|[^\w\s]{1,2}")
_LEADERS = re.compile(r"\.{4}|(?:\. ){4}|…{2}")
_PAGE = re.compile(r"\d{1,4}|[ivxlc]{1,7}")
_DRAWN = re.compile(r"\|+|\+{2,}|[-=+]{3,}|[_*]{3,}")
_BAR = r"\|"

Cells = Sequence[str]


def is_data(rows: Sequence[Cells], *, goes_on: bool = False) -> bool:
    """Whether rows are a table's, and not a list behind its markers, contents or columns of text. `goes_on`: the page
    before ends with a table of as many columns."""
    return not (
        (_is_list(rows) and not goes_on)
        or _is_numbered(rows)
        or _is_contents(rows)
        or _is_text(rows)
        or _is_drawn(rows)
        or _is_typed(rows)
    )


def are_clauses(rows: Sequence[Cells]) -> bool:
    """Whether each row is a numbered text, a section of its own; what stands beside it in further columns is little."""
    lengths = [sum(map(len, column)) for column in zip(*rows, strict=True)]
    return max(lengths) >= MOST_OF_TEXT * sum(lengths) and _mostly(rows[1:] or rows, _is_clause)


def _is_list(rows: Sequence[Cells]) -> bool:
    """Bullets or numbers, and one text beside each; numbers below a head are what a table counts by, or codes."""
    first, count = Counter(next(filter(None, row), "") for row in rows).most_common(1)[0]
    is_bulleted = len(first) == 1 and not first.isdigit() and count >= MOSTLY * len(rows)
    return is_bulleted or len({row[0] for row in rows}) == 1 or (_mostly(rows, _is_listed) and not _is_head(rows[0]))


def _is_head(row: Cells) -> bool:
    """Whether a row names two columns: "Código", "Descripción"."""
    return (
        len(row) == 2
        and all(any(map(str.isalpha, cell)) and cell[-1] not in ".:;" for cell in row)
        and not (_MARKER.fullmatch(row[0]) or max(map(len, row)) > LONGEST_HEAD)
    )


def _is_numbered(rows: Sequence[Cells]) -> bool:
    """Headings, each behind its number: "27.", "27.1."."""
    return len(rows[0]) == 2 and _mostly(rows, _is_pointed)


def _is_pointed(row: Cells) -> bool:
    *numbers, rest = row[0].split(".")
    return bool(numbers) and not rest and all(map(str.isdecimal, numbers))


def _is_listed(row: Cells) -> bool:
    filled = [clean(cell) for cell in row if cell]
    return len(filled) == 2 and _MARKER.fullmatch(filled[0]) is not None


def _is_contents(rows: Sequence[Cells]) -> bool:
    if any(_LEADERS.search(cell) for row in rows for cell in row):
        return True
    pages = [int(row[-1]) for row in rows if row[-1].isdecimal()]
    rising = all(one <= after for one, after in pairwise(pages))
    return len(rows[0]) <= 3 and rising and _mostly(rows, lambda row: bool(_PAGE.fullmatch(row[-1])))


def _is_clause(row: Cells) -> bool:
    """ "V2.1" or "1.2.3" before a text: "1.2" alone may as well be what a price list counts by."""
    place = numbered_place(f"{row[0]} {max(row[1:], key=len)}")
    return place is not None and (place.rank >= DECIMAL_RANK + DEEP or not row[0][:1].isdigit())


def _is_text(rows: Sequence[Cells]) -> bool:
    return len(rows[0]) == 2 and _mostly(rows, lambda row: min(map(len, row)) >= PROSE)


def _is_drawn(rows: Sequence[Cells]) -> bool:
    """A screen or a frame that is drawn with characters: its lines say more as they are."""
    return any(_DRAWN.fullmatch(cell) for row in rows for cell in row)


def _is_typed(rows: Sequence[Cells]) -> bool:
    """Lines of a program or a licence, in which spaces happen to stand below one another: hardly two rows of them, with
    holes, or words between which no table parts ("| is | free | software |")."""
    cells = [cell for row in rows for cell in row]
    filled = [cell for cell in cells if cell]
    is_short = len(rows) <= FEW_ROWS and len(cells) - len(filled) >= HOLES * len(cells)
    is_text = len(rows[0]) >= WIDE and sum(cell in _BETWEEN_WORDS for cell in filled) >= RUNNING * len(filled)
    return is_short or is_text


def _mostly(rows: Sequence[Cells], holds: Callable[[Cells], bool]) -> bool:
    return sum(map(holds, rows)) >= MOSTLY * len(rows)


class TableRow(str):
    """A line that is a table's row, told apart from what a document itself writes between bars."""

    __slots__ = ()

    @property
    def columns(self) -> int:
        return self.count(" | ") + 1


class FirstRow(TableRow):
    """With which a table begins, or goes on over a page."""

    __slots__ = ()


def is_row(line: str) -> bool:
    """Whether a line is written as `row_of` writes one."""
    return line.startswith("| ") and line.endswith(" |")


def row_of(cells: Cells) -> TableRow:
    """A `|` in a cell is escaped."""
    return TableRow(f"| {' | '.join(cell.replace('|', _BAR) for cell in cells)} |")


def table_rows(table: Sequence[Cells]) -> list[TableRow]:
    rows = list(map(row_of, table))
    return [FirstRow(row) for row in rows[:1]] + rows[1:]


def columns_at_the_end(pages: Sequence[Sequence[str] | None]) -> int:
    """Of the table with which the last page ends, but for its foot; 0 where it ends otherwise."""
    lines = [line for page in pages[-1:] for line in (page or ())[-MOST_AT_THE_FOOT:]]
    return next((line.columns for line in reversed(lines) if isinstance(line, TableRow)), 0)


def with_rules(pages: Sequence[Sequence[str]]) -> list[list[str]]:
    """The pages with a rule below the first row of each table, and blank lines around it.

    A table that goes on over the page has its head once.
    """
    ruled: list[list[str]] = []
    head: TableRow | None = None  # of the table that the last printed line is of
    before: TableRow | None = None  # the last row of the page before, until this page has one
    last: TableRow | None = None
    for lines in pages:
        kept: list[str] = []
        before = last
        for line in lines:
            if not isinstance(line, TableRow):
                kept += ("", line) if head and line else (line,)
                head = None if line else head
            elif head is None or line.columns != head.columns or not _goes_on(line, head, before):
                head = last = line
                before = None
                kept += ("", line, f"|{' --- |' * line.columns}")
            else:
                last, before = line, None
                if line != head:
                    kept.append(line)
        ruled.append(kept)
    return ruled


def _goes_on(line: TableRow, head: TableRow, before: TableRow | None) -> bool:
    """A table begins with its first row; over a page it goes on with its head again, or with a row like the last one:
    figures below figures."""
    if not isinstance(line, FirstRow):
        return True
    return before is not None and (line == head or _figures(line) == _figures(before))


def _figures(row: TableRow) -> list[bool]:
    return [any(sign.isdigit() for sign in cell) for cell in row.split(" | ")]
