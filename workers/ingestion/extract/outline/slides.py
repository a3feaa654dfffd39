"""Slides: each page is a section under its title, which is its largest line. Pure."""

from collections.abc import Sequence
from itertools import groupby

from workers.ingestion.extract.outline.fonts import LARGER, PrintedLine
from workers.ingestion.extract.outline.lines import Bookmark

MOST_WORDS = 120  # of a slide, on average
LONGEST_TITLE = 120
WIDE = 1.2  # a slide is as many times as wide as high
MOSTLY = 0.8  # of the pages are slides


def are_slides(sizes: Sequence[tuple[float, float]], lines: Sequence[PrintedLine]) -> bool:
    """Whether pages of such (width, height) with such lines are slides: wide, and with few words."""
    wide = sum(width >= WIDE * height for width, height in sizes)
    words = sum(line.text.count(" ") + 1 for line in lines)
    return bool(sizes) and wide >= MOSTLY * len(sizes) and words <= MOST_WORDS * len(sizes)


def slide_titles(lines: Sequence[PrintedLine]) -> list[Bookmark]:
    """Of each page its first line of the largest print, where the rest is smaller; none of a page without a rest."""
    found: list[Bookmark] = []
    for page, printed in groupby(lines, key=lambda line: line.page):
        on_page = list(printed)
        title = max(on_page, key=lambda line: line.size)
        rest = [line.size for line in on_page if line.size < title.size / LARGER]
        if rest and len(title.text) <= LONGEST_TITLE and any(map(str.isalpha, title.text)):
            found.append(Bookmark(1, title.text, page))
    return found
