"""The lines of a printed page: which characters stand beside each other, and the box around them. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from corpora.reader.printed import Box, PageCharacters

WIDE_GAP = 3.0  # times a character's height: between columns, and not between the words of a justified line
SAME_LINE = 0.5  # of the lower one of two characters


@dataclass(frozen=True, slots=True)
class LineOnPage:
    """A line, or the part of one that no wide gap parts; `start` and `end` are characters of the page."""

    box: Box
    start: int
    end: int


def lines_among(page: PageCharacters, start: int, end: int) -> Iterator[LineOnPage]:
    """Of the characters [start, end), those without ink left out at both ends of a line."""
    line: LineOnPage | None = None
    last: Box | None = None
    for index in range(start, end):
        box = page.box(index)
        if page.text[index].isspace() or not has_area(box):
            continue
        if line and last and _is_beside(last, box, page.width / page.height):
            line = LineOnPage(_around(line.box, box), line.start, index + 1)
        else:
            if line:
                yield line
            line = LineOnPage(box, index, index + 1)
        last = box
    if line:
        yield line


def has_area(box: Box) -> bool:
    return box[2] > box[0] and box[3] > box[1]


def _around(one: Box, after: Box) -> Box:
    return min(one[0], after[0]), min(one[1], after[1]), max(one[2], after[2]), max(one[3], after[3])


def _is_beside(one: Box, after: Box, ratio: float) -> bool:
    """Whether two characters are of one line: across the page, or along it, where a text is turned."""
    return _follows(one, after, (0, 1), ratio) or _follows(one, after, (1, 0), 1 / ratio)


def _follows(one: Box, after: Box, axes: tuple[int, int], ratio: float) -> bool:
    """`axes`: along the line, and across it; `ratio`: lengths along it for one of those across it."""
    along, across = axes
    overlap = min(one[across + 2], after[across + 2]) - max(one[across], after[across])
    height = min(one[across + 2] - one[across], after[across + 2] - after[across])
    gap = max(one[along], after[along]) - min(one[along + 2], after[along + 2])
    return overlap >= SAME_LINE * height and gap <= WIDE_GAP * height / ratio
