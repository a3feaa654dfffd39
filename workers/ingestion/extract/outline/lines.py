"""What a PDF's structure is told in: its outline's entries and its printed lines."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bookmark:
    """An outline entry; `level` from 1, 0 where nothing says it; `page` is a zero-based index."""

    level: int
    title: str
    page: int


@dataclass(frozen=True, slots=True)
class Line:
    """A printed line; a wrapped heading is one line. `after_gap`: a blank line stands above.

    `rank` is that of the place that its heading names (`places.RANKS`), `named` the characters that the heading takes
    where text follows on its line, 0: all. `is_furniture`: of a table of contents.
    """

    text: str
    page: int
    after_gap: bool = False
    heading: Bookmark | None = None
    rank: int = 0
    named: int = 0
    is_furniture: bool = False
