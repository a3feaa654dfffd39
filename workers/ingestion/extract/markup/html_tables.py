"""A table of HTML as rows of Markdown, as those of other formats are written; pure."""

from collections.abc import Sequence
from typing import Protocol

from workers.ingestion.extract.markup.html_tags import Tag
from workers.ingestion.extract.tables.rows import row_of

MOST_COLUMNS = 63  # as in Word
CELLS = ("td", "th")
ENDS_A_CELL = (*CELLS, "tr", "thead", "tbody", "tfoot", "caption", "table")


class Enclosing(Protocol):
    """What stands between two tags, by their numbers: on one line as it is shown, and as it is written."""

    def line(self, first: int, last: int) -> str: ...
    def between(self, first: int, last: int) -> str: ...


def rows_in_bars(page: Enclosing, tags: Sequence[Tag], number: int) -> str:
    """Of the table that tag `number` opens: its caption above its rows. "" where rows of Markdown cannot say it: of one
    row or column, with cells that span several, or with text between them."""
    rows: list[list[str]] = []
    caption, opened = "", 0
    for at in range(number + 1, tags[number].partner + 1):
        tag = tags[at]
        if (not opened and page.between(at - 1, at).strip()) or _spans(tag):
            return ""
        if opened and tag.name in ENDS_A_CELL:
            said = page.line(opened, at)
            if tags[opened].name == "caption":
                caption = said
            else:
                rows = rows or [[]]
                rows[-1].append(said)
            opened = 0
        if tag.name == "tr" and not tag.is_closing:
            rows.append([])
        elif tag.name in (*CELLS, "caption") and not tag.is_closing:
            opened = at
    rows = [row for row in rows if any(row)]
    width = max(map(len, rows), default=0)
    if len(rows) < 2 or not 1 < width <= MOST_COLUMNS:
        return ""
    lines = [row_of(row + [""] * (width - len(row))) for row in rows]
    return "\n".join([*([caption, ""] if caption else []), lines[0], "|" + " --- |" * width, *lines[1:]])


def _spans(cell: Tag) -> bool:
    return any(cell.value(name) not in ("", "1") for name in ("colspan", "rowspan"))
