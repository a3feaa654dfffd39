"""What a passage is made of, where it stands, and what of it is embedded and indexed. Pure.

A page's number follows from a character: `page_at(DocumentText.pages, offset)`.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple


class PassagePart(NamedTuple):
    """What of a passage belongs to one section: characters start:end of the document, its pages, its headings."""

    start: int
    end: int
    page: int | None
    page_end: int | None
    heading_path: tuple[str, ...]


def indexed_text(title: str, heading_path: Sequence[str], text: str) -> str:
    """The passage with its context above it, so that "the deadline" is found with the section it belongs to.

    A passage of several sections has the headings of each in its text, and above it what they have in common.
    """
    context = " > ".join(dict.fromkeys(part for part in (title, *heading_path) if part))
    return f"{context}\n{text}" if context else text


def common_path(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """What all paths begin with."""
    first, last = min(paths), max(paths)
    return first[: next((depth for depth, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))]


def page_at(pages: Sequence[Sequence[Any]], offset: int) -> int | None:
    """The number of the page on which a character stands; rows begin with number and start. None without pages."""
    return pages[place][0] if (place := _row_at(pages, offset)) is not None else None


def label_at(pages: Sequence[Sequence[Any]], offset: int) -> str:
    """What is printed on that page: the fourth element of its row, else its number; "" without pages."""
    if (place := _row_at(pages, offset)) is None:
        return ""
    row = pages[place]
    return str(row[3] if len(row) > 3 else row[0])


def _row_at(pages: Sequence[Sequence[Any]], offset: int) -> int | None:
    return max(bisect_right(pages, offset, key=lambda row: row[1]) - 1, 0) if pages else None
