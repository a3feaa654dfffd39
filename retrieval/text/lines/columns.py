"""Tables of plain text, whose columns stand below one another, as Markdown writes them. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

FEWEST_ROWS, FEWEST_COLUMNS, MOST_COLUMNS = 3, 2, 40  # the names of the columns are a row
_CELL = re.compile(r"\S+(?: \S+){0,40}")
_NO_ROW = re.compile(r"\s{0,40}(?:[|#>•]|[-*+]\s|\d{1,3}[.)]\s)")
_RULE = re.compile(r"[\s=_+-]+")

Cells = Sequence[re.Match[str]]


def with_rows(lines: Sequence[str]) -> Iterator[str]:
    """The lines, those of a table as "| Annual | £42 |": three or more that follow on one another, with as many cells
    each, parted by two spaces or more, that begin or end in one place below names without a number."""
    for is_table, run in _runs(lines):
        yield from (_row(_cells(line)) for line in run if not _RULE.fullmatch(line)) if is_table else run


def are_rows(lines: Sequence[str]) -> list[bool]:
    """Whether each of the lines is of such a table."""
    return [is_table for is_table, run in _runs(lines) for _ in run]


def _runs(lines: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    for is_wide, group in groupby(lines, _has_columns):
        run = list(group)
        rows = [_cells(line) for line in run if not _RULE.fullmatch(line)] if is_wide else []
        yield _is_table(rows), run


def _has_columns(line: str) -> bool:
    return FEWEST_COLUMNS <= len(_cells(line)) <= MOST_COLUMNS and _NO_ROW.match(line) is None


def _cells(line: str) -> Cells:
    return list(_CELL.finditer(line.expandtabs()))


def _is_table(rows: Sequence[Cells]) -> bool:
    if len(rows) < FEWEST_ROWS or len(set(map(len, rows))) > 1:
        return False
    columns = list(zip(*rows, strict=True))
    if all(cell[0].endswith(":") for cell in columns[0]):
        return False  # fields
    return any(map(_is_named, columns)) and all(map(_is_aligned, columns))


def _is_aligned(column: Cells) -> bool:
    """Whether the cells begin or end in one place, and their name stands above one of them."""
    name, cells = column[0], column[1:]
    starts, ends = {cell.start() for cell in cells}, {cell.end() for cell in cells}
    is_below = name.start() < max(ends) and name.end() > min(starts)
    return is_below and (len(starts) == 1 or len(ends) == 1)


def _is_named(column: Cells) -> bool:
    """Whether numbers stand below what is none."""
    has_number = [any(map(str.isdigit, cell[0])) for cell in column]
    return not has_number[0] and all(has_number[1:])


def _row(cells: Cells) -> str:
    return "| " + " | ".join(cell[0].replace("|", r"\|") for cell in cells) + " |"
