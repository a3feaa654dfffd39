"""The tables of a PDF's page, read from where PDFium says that its text is printed.

Most pages are done with after a look at the rectangles of their lines. Where these make a table, or a caption says
that there is one, they are asked for character by character: a line may be written in one go over several columns.
"""

import ctypes
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pypdfium2.raw as pdfium_c

from workers.ingestion.extract.tables.grid import Grid, PrintedPiece, grids_among, gutter_of, is_apart, is_beside
from workers.ingestion.extract.tables.rows import are_clauses, is_data, table_rows

MOST_RECTANGLES, MOST_CHARACTERS = 3_000, 30_000  # of one page: a drawing, or made to take long
SAMPLE = 4  # rows that tell whether they are clauses
WIDER = 1.5  # than the narrowest one, a gap that parts two cells
_REACH = 2.0  # points around the place where a piece's first character is looked for
_CAPTION = re.compile(r"^(?:Tabla|Table|Cuadro|Tab\.) [A-Z]?\d{1,3}", re.MULTILINE)

Table = tuple[int, int, list[list[str]]]  # first and last character of the page's text, rows of cells


def with_tables(text_page: Any, raw: str, columns_before: int = 0) -> list[str]:
    """The page's text, cut where a table begins and ends, and each row between: nothing left out or told twice.

    `columns_before`: of the table with which the page before ends, which may go on without its head."""
    is_captioned = _CAPTION.search(raw) is not None
    count = pdfium_c.FPDFText_CountRects(text_page.raw, 0, -1)
    if count > MOST_RECTANGLES or len(raw) > MOST_CHARACTERS or not (is_captioned or raw.count("\n") < count):
        return [raw]  # in the last case each line is printed in one go
    pieces = _pieces(_rectangles(text_page, count))
    if not is_captioned and not any(_tables(text_page, raw, pieces, columns_before)):
        return [raw]
    parts: list[str] = []
    done = 0
    split = list(_split(text_page, raw, pieces))
    for start, end, rows in _tables(text_page, raw, split, columns_before):
        parts += (raw[done:start].rstrip(), *table_rows(rows))
        done = end
    return [*parts, raw[done:]]


def _tables(text_page: Any, raw: str, pieces: Sequence[PrintedPiece], columns_before: int) -> Iterator[Table]:
    """Those that are written in the order in which they are read."""
    done = 0
    for grid in grids_among(pieces):
        sample = _cut(text_page, raw, pieces, grid, SAMPLE)
        if sample is None or are_clauses(sample[2]):
            continue
        table = _cut(text_page, raw, pieces, grid, len(grid.rows))
        goes_on = done == 0 and grid.width == columns_before
        if table and table[0] >= done and is_data(table[2], goes_on=goes_on):
            yield table
            done = table[1]


def _cut(text_page: Any, raw: str, pieces: Sequence[PrintedPiece], grid: Grid, most: int) -> Table | None:
    """The first rows of a table, None where they are not written in the order in which they are read."""
    taken = grid.rows[:most]
    following = grid.rows[most].cells[0][0] if most < len(grid.rows) else grid.last
    firsts = [first for row in taken for first, _ in row.cells]
    bounds = [_character(text_page, pieces[first])[1] for first in firsts]
    bounds.append(_character(text_page, pieces[following])[1] if following < len(pieces) else len(raw))
    if any(one >= after for one, after in pairwise(bounds)):
        return None
    texts = iter([raw[start:end] for start, end in pairwise(bounds)])
    places, width, rows = grid.places, grid.width, []
    for row in taken:
        cells = [""] * width
        for _, column in row.cells:
            cells[places[column]] = " ".join(f"{cells[places[column]]} {next(texts)}".split())
        rows.append(cells)
    return bounds[0], bounds[-1], rows


def _rectangles(text_page: Any, count: int) -> Iterator[PrintedPiece]:
    left, top, right, bottom = (ctypes.c_double() for _ in range(4))
    get, page = pdfium_c.FPDFText_GetRect, text_page.raw
    for number in range(count):
        get(page, number, left, top, right, bottom)
        yield PrintedPiece(left.value, bottom.value, right.value, top.value)


def _pieces(rectangles: Iterator[PrintedPiece]) -> list[PrintedPiece]:
    """What is printed, the rectangles of one line that no gutter parts as one."""
    found: list[PrintedPiece] = []
    last: PrintedPiece | None = None
    for piece in rectangles:
        if last and last.left <= piece.left and is_beside(last, piece) and not is_apart(last, piece):
            found[-1] = last = _united(last, piece)
            continue
        found.append(piece)
        last = piece
    return found


def _united(one: PrintedPiece, after: PrintedPiece) -> PrintedPiece:
    right, top = max(one.right, after.right), max(one.top, after.top)
    return PrintedPiece(one.left, min(one.bottom, after.bottom), right, top, one.start)


def _split(text_page: Any, raw: str, pieces: Sequence[PrintedPiece]) -> Iterator[PrintedPiece]:
    """The pieces, those that were written over a gutter as several, with where each begins."""
    places = [_character(text_page, piece) for piece in pieces]
    for piece, (at, start), (_, end) in zip(pieces, places, [*places[1:], (0, len(raw))], strict=True):
        gaps = list(_gaps(text_page, at, raw[start:end].rstrip())) if 0 <= start < end else []
        if not gaps:
            yield piece._replace(start=start)
            continue
        narrow = min(right - left for _, left, right in gaps)
        gutter = gutter_of(piece)
        gutter = max(gutter, min(WIDER * narrow, 2 * gutter))  # a typewriter's spaces are wide
        rest = piece._replace(start=start)
        for offset, left, right in gaps:
            if right - left >= gutter and rest.left < left and right < piece.right:
                yield rest._replace(right=left)
                rest = rest._replace(left=right, start=start + offset)
        yield rest


def _gaps(text_page: Any, at: int, text: str) -> Iterator[tuple[int, float, float]]:
    """Where each further word of a text begins that begins with character `at`: its offset, and the gap's edges."""
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    get, page = pdfium_c.FPDFText_GetCharBox, text_page.raw
    space = text.find(" ", 1)
    while space >= 0:
        get(page, at + space - 1, left, right, bottom, top)
        edge = right.value
        get(page, at + space + 1, left, right, bottom, top)
        yield space + 1, edge, left.value
        space = text.find(" ", space + 1)


def _character(text_page: Any, piece: PrintedPiece) -> tuple[int, int]:
    """Which character a piece begins with, and where that is in the page's text; -1 where nobody knows."""
    if piece.start >= 0:
        return -1, piece.start
    middle = (piece.top + piece.bottom) / 2
    at = pdfium_c.FPDFText_GetCharIndexAtPos(text_page.raw, piece.left + 0.1, middle, _REACH, _REACH)
    return at, int(pdfium_c.FPDFText_GetTextIndexFromCharIndex(text_page.raw, at)) if at >= 0 else -1
