"""A DOCX's tables as rows of text."""

from typing import Any

from workers.ingestion.extract.word.elements import elements_in, text_of
from workers.ingestion.extract.word.styles import W, value, whole

MOST_COLUMNS = 63  # as Word has them
LONGEST_REPEATED = 200  # characters of a cell over several rows, which each of them says


def table_text(table: Any) -> str:
    """Rows as `| a | b |`, with a rule below the first as in Markdown; a one-cell table is plain text.

    A cell over several rows is said in each; one over several columns in the first.
    """
    rows = [list(elements_in(row, "tc")) for row in elements_in(table, "tr")]
    if all(len(row) == 1 for row in rows):
        return "\n".join(text_of(row[0]).strip() for row in rows)
    found: list[list[str]] = []
    for row in rows:
        cells: list[str] = []
        for cell in row:
            said = " ".join(text_of(cell).split()).replace("|", "\\|")
            if not said and _goes_on(cell) and found and len(cells) < len(found[-1]):
                above = found[-1][len(cells)]
                said = above if len(above) <= LONGEST_REPEATED else ""
            cells += [said, *[""] * (_span(cell) - 1)]
        found.append(cells)
    lines = [f"| {' | '.join(row)} |" for row in found if any(row)]
    lines[1:1] = ["|" + " --- |" * len(found[0])] if len(lines) > 1 else []
    return "\n".join(lines)


def _goes_on(cell: Any) -> bool:
    """Whether a cell is a further row of the one above it."""
    merged = cell.find(f"{W}tcPr/{W}vMerge")
    return merged is not None and value(merged) in (None, "continue")


def _span(cell: Any) -> int:
    return min(max(whole(value(cell.find(f"{W}tcPr/{W}gridSpan")), 1), 1), MOST_COLUMNS)
