"""Which printed pieces of a page are the cells of a table: by where they stand and by the order they are written in.

A table is written row by row and cell by cell: a piece to the right of the last one, with a gutter between, begins the
next cell, and one to the left of it the next row. Text in two columns is written column by column. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

GUTTER, LEAST_GUTTER = 0.9, 5.0  # between two cells: of a line's height; points
TIGHT = 0.9  # of a height: between a cell's line and its next one
MOST_BELOW = 2.6  # heights from one row to the next
MOST_BELOW_FIRST = 9.0  # heights from a row to the first cell of the next one, which may stand low beside a long cell
MOST_ABOVE = 4.0  # heights that a first row's cell reaches above the one before it
FEWEST_FULL = 0.6  # of the rows: those with more than one cell
FEWEST_ROWS, FEWEST_OF_TWO = 2, 3  # full rows of a table, and of one that has two columns
MOST_COLUMNS = 40
MOST_TRIED = 100  # pieces that made no table and are tried again from their second row on
MOST_BELOW_A_HEAD = 30  # rows
WRAPPED_HEAD = 3  # lines of a first cell above the one that the next cell stands beside
TALLER = 1.35  # than any line of a table: a heading between two


Edge = tuple[float, float]  # left and right


class PrintedPiece(NamedTuple):
    """What is printed on one line without a gutter in it, in points from the page's lower left corner; `start` is
    where it begins in the page's text, -1 while nobody has asked."""

    left: float
    bottom: float
    right: float
    top: float
    start: int = -1

    @property
    def height(self) -> float:
        return self.top - self.bottom


@dataclass(slots=True)
class Row:
    """`cells` are (first piece, column); a column's number is the order in which it was met. `height`: of a line."""

    cells: list[tuple[int, int]]
    top: float
    bottom: float
    height: float


@dataclass(slots=True)
class Grid:
    """Pieces first:last as rows; `edges` are the (left, right) edges of each column. What was met as two columns and is
    one has the same edges twice."""

    first: int
    last: int
    edges: list[Edge] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(set(self.edges))

    @property
    def places(self) -> list[int]:
        """Of each column its place from the left."""
        ordered = sorted(set(self.edges))
        return [ordered.index(edge) for edge in self.edges]


def grids_among(pieces: Sequence[PrintedPiece]) -> list[Grid]:
    """The tables of a page in the order they are written in, apart from one another."""
    found: list[Grid] = []
    at = 0
    while at < len(pieces) - 1:
        if not _is_next_cell(pieces[at], pieces[at + 1]):
            at += 1
            continue
        grid, tried = _grown(pieces, _beginning(pieces, at, found[-1].last if found else 0), len(pieces))
        _put_head_above(grid)
        if _is_table(grid):
            found.append(grid)
            at = grid.last
        else:
            at = max(at + 1, tried)
    return found


def is_beside(piece: PrintedPiece, after: PrintedPiece) -> bool:
    """Whether they share a line."""
    return min(piece.top, after.top) - max(piece.bottom, after.bottom) > 0


def is_apart(piece: PrintedPiece, after: PrintedPiece) -> bool:
    """Whether a gutter is between a piece and what stands to the right of it."""
    room = after.left - piece.right
    return room >= LEAST_GUTTER and room >= max(gutter_of(piece), gutter_of(after))


def gutter_of(piece: PrintedPiece) -> float:
    """The least room beside a piece that parts two cells."""
    return max(GUTTER * (piece.top - piece.bottom), LEAST_GUTTER)


def _is_table(grid: Grid) -> bool:
    if any(len(row.cells) == 1 for row in grid.rows[:2]):
        return False  # a running head, and text below it
    full = sum(len(row.cells) > 1 for row in grid.rows)
    fewest = FEWEST_OF_TWO if grid.width == 2 else FEWEST_ROWS
    return full >= max(fewest, FEWEST_FULL * len(grid.rows)) and len(grid.edges) <= MOST_COLUMNS


def _is_next_cell(piece: PrintedPiece, after: PrintedPiece) -> bool:
    height = max(piece.height, after.height)
    return is_apart(piece, after) and piece.bottom < after.top < piece.top + MOST_ABOVE * height


def _beginning(pieces: Sequence[PrintedPiece], at: int, earliest: int) -> int:
    """The first line of the cell that ends with piece `at`."""
    first, right = at, pieces[at + 1].left
    while first > max(earliest, at - WRAPPED_HEAD):
        above, piece = pieces[first - 1], pieces[first]
        if not _goes_on(above, piece) or right - above.right < LEAST_GUTTER or above.height > TALLER * piece.height:
            break
        first -= 1
    return first


def _goes_on(above: PrintedPiece, piece: PrintedPiece) -> bool:
    """Whether a piece is the next line of the cell that the last one is of."""
    gap = above.bottom - piece.top
    return -piece.height < gap <= TIGHT * max(above.height, piece.height) and above.bottom > piece.bottom


def _grown(pieces: Sequence[PrintedPiece], first: int, end: int) -> tuple[Grid, int]:
    """The table that begins with a piece, as far as it goes on before `end`, without what stands alone below its last
    full row; and where to try next if it is none: below its first row, or behind all if there are many."""
    grid = Grid(first, first)
    while grid.last < end and _take(grid, pieces, grid.last):
        grid.last += 1
    for above, row in pairwise(grid.rows):
        if above.bottom - row.top > MOST_BELOW * max(row.height, above.height):
            return _grown(pieces, first, row.cells[0][0])
    tried = grid.last
    if tried - first < MOST_TRIED and len(grid.rows) > 1:
        tried = grid.rows[1].cells[0][0]
    while grid.rows and len(grid.rows[-1].cells) == 1:
        grid.last = grid.rows.pop().cells[0][0]
    return grid, tried


def _take(grid: Grid, pieces: Sequence[PrintedPiece], at: int) -> bool:
    """Put a piece where it belongs in the table; False if it is not of it."""
    piece = pieces[at]
    column = _column_of(grid, piece)
    if column is None:
        return False
    row = grid.rows[-1] if grid.rows else None
    if row is None:
        grid.rows.append(Row([(at, column)], piece.top, piece.bottom, piece.height))
    elif _is_column(grid, column, row.cells[-1][1]) and _goes_on(pieces[at - 1], piece):
        row.bottom = min(row.bottom, piece.bottom)
    elif _is_right_of(grid, column, row.cells[-1][1]) and _is_of_row(grid, row, piece):
        row.cells.append((at, column))
        row.top, row.bottom = max(row.top, piece.top), min(row.bottom, piece.bottom)
        row.height = max(row.height, piece.height)
    elif _is_heading(grid, pieces, at):
        return False
    elif -piece.height / 2 < row.bottom - piece.top < MOST_BELOW_FIRST * max(piece.height, row.height):
        grid.rows.append(Row([(at, column)], piece.top, piece.bottom, piece.height))
    else:
        return False
    _widen(grid, column, piece)
    return True


def _is_heading(grid: Grid, pieces: Sequence[PrintedPiece], at: int) -> bool:
    """Whether a piece below the table's rows stands alone on its line, in larger letters than any of the first ones."""
    is_alone = at + 1 == len(pieces) or not is_beside(pieces[at], pieces[at + 1])
    return is_alone and pieces[at].height > TALLER * max(row.height for row in grid.rows[:MOST_BELOW_A_HEAD])


def _is_of_row(grid: Grid, row: Row, piece: PrintedPiece) -> bool:
    """Whether a piece to the right stands beside the row: not below it, and not beside the row above."""
    above = grid.rows[-2].bottom if len(grid.rows) > 1 else row.top + MOST_ABOVE * piece.height
    return row.bottom < piece.top and piece.bottom < above


def _is_column(grid: Grid, column: int, other: int) -> bool:
    return column < len(grid.edges) and grid.edges[column] == grid.edges[other]


def _is_right_of(grid: Grid, column: int, other: int) -> bool:
    return column == len(grid.edges) or grid.edges[column] > grid.edges[other]


def _column_of(grid: Grid, piece: PrintedPiece) -> int | None:
    """The column that a piece stands in, the number of a new one beside all, None where it spans several."""
    over = {edge: n for n, edge in enumerate(grid.edges) if piece.left < edge[1] and edge[0] < piece.right}
    if len(over) == 2 and _is_head_of(grid, *over):
        return _unite(grid, *over)
    if len(over) == 1:
        return next(iter(over.values()))
    return None if over or len(grid.edges) >= MOST_COLUMNS else len(grid.edges)


def _put_head_above(grid: Grid) -> None:
    """Names of columns that stand centred above the middle of what begins at the left are no columns of their own."""
    for one, after in pairwise(sorted(set(grid.edges))):
        if one in grid.edges and after in grid.edges and _is_head_of(grid, one, after):
            _unite(grid, one, after)


def _is_head_of(grid: Grid, one: Edge, other: Edge) -> bool:
    """Whether one of two columns is in the first row alone, and the other in rows below it alone. The rows below the
    first MOST_BELOW_A_HEAD are not asked: what is a column of its own is met before."""
    if len(grid.rows) < 2 or len(grid.rows[0].cells) < 2:
        return False
    first, *rest = ({grid.edges[column] for _, column in row.cells} for row in grid.rows[: 1 + MOST_BELOW_A_HEAD])
    below = set().union(*rest)
    return (one in first) != (other in first) and (one in below) != (other in below)


def _unite(grid: Grid, one: Edge, other: Edge) -> int:
    """Make two columns one, and tell its number."""
    both = min(one[0], other[0]), max(one[1], other[1])
    grid.edges = [both if edge in (one, other) else edge for edge in grid.edges]
    return grid.edges.index(both)


def _widen(grid: Grid, column: int, piece: PrintedPiece) -> None:
    if column == len(grid.edges):
        grid.edges.append((piece.left, piece.right))
    old = grid.edges[column]
    new = min(old[0], piece.left), max(old[1], piece.right)
    grid.edges = [new if edge == old else edge for edge in grid.edges]
