"""Headings by their print in a text without pages: paragraphs in bold, or larger than the text. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from workers.ingestion.extract.outline.fonts import LARGER, PrintedLine, body_size, levels_by_size, reads_as_title

LONGEST = 100  # characters
MOST_SHARE = 0.4  # of a text's letters
BOLD = 1.13  # times as large as they are: a bold line is one above the text, and below a larger one


@dataclass(frozen=True, slots=True)
class SetOff:
    """A paragraph as it looks. `may_be`: a heading, for it is no row of a table, of a list, or of contents."""

    text: str
    size: float
    is_bold: bool
    may_be: bool


def set_off_lines(paragraphs: Sequence[SetOff]) -> dict[int, int]:
    """By index the levels of those that are headings: set off from a text below them."""
    lines = [PrintedLine(one.text, at, one.size * (BOLD if one.is_bold else 1)) for at, one in enumerate(paragraphs)]
    body = body_size([line for line, one in zip(lines, paragraphs, strict=True) if one.text])
    found = [
        line
        for line, one in zip(lines, paragraphs, strict=True)
        if one.may_be
        and len(one.text) <= LONGEST
        and not one.text[:1].islower()
        and line.size >= body * LARGER
        and reads_as_title(one.text)
    ]
    if sum(len(line.text) for line in found) > MOST_SHARE * sum(len(one.text) for one in paragraphs):
        return {}
    levels = levels_by_size(found)
    return {line.page: levels[line.size] for line in found}
