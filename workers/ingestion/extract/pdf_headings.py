"""A PDF's outline matched to printed lines: which lines of a page are headings."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from workers.ingestion.extract.outline.lines import Bookmark, Line
from workers.ingestion.extract.outline.places import DECIMAL_RANK, numbered_place
from workers.ingestion.extract.tables.rows import is_row

WRAPPED_LINES = 8  # a heading may be printed over this many lines: a law's title
LINES_OF_A_NUMBER = 2  # "CHAPTER" and "FOUR" above a title
REACH_ABOVE = 4  # lines from a title up to its number, blank ones between
_NOT_LETTERS = re.compile(r"[\W_]+")
_NUMBERING = re.compile(r"\A\s*(?:[A-Z]\.(?=\d))?(?:(?:\d+\.)+\d*|\d+)[.)]?\s+")


def with_headings(
    pages: Sequence[list[str]], bookmarks: Sequence[Bookmark], furniture: Sequence[frozenset[int]]
) -> Iterator[Line]:
    """Every non-blank line in order; lines that print a bookmark's title are joined and carry it.

    `furniture` are the lines of each page that are no text: no heading stands there.
    """
    by_page: dict[int, list[Bookmark]] = {}
    for bookmark in bookmarks:
        by_page.setdefault(bookmark.page, []).append(bookmark)
    for page, lines in enumerate(pages):
        found = _found(lines, by_page[page], furniture[page]) if page in by_page else {}
        yield from _page_lines(page, lines, found, furniture[page])


def _page_lines(
    page: int, lines: list[str], found: dict[int, tuple[int, Bookmark]], furniture: frozenset[int]
) -> Iterator[Line]:
    index, gap, printed = 0, False, False
    while index < len(lines):
        end, heading = found.get(index, (index + 1, None))
        text = " ".join(filter(None, map(str.strip, lines[index:end])))
        if text:
            yield Line(text, page, gap and printed, heading, is_furniture=index in furniture)
        gap, printed = not text, printed or bool(text)
        index = end


def _found(lines: list[str], bookmarks: list[Bookmark], furniture: frozenset[int]) -> dict[int, tuple[int, Bookmark]]:
    """First line's index -> (index after its last line, bookmark); no line belongs to two bookmarks."""
    is_text = [number not in furniture and not is_row(line) for number, line in enumerate(lines)]
    letters = [_letters(line) if known else "" for line, known in zip(lines, is_text, strict=True)]
    unnumbered = [
        _letters(_NUMBERING.sub("", line)) if known else "" for line, known in zip(lines, letters, strict=True)
    ]
    taken: set[int] = set()
    found: dict[int, tuple[int, Bookmark]] = {}
    for bookmark in bookmarks:
        wanted = {_letters(bookmark.title), _letters(_NUMBERING.sub("", bookmark.title))} - {""}
        for index in range(len(lines)):
            end = _match(letters, unnumbered, index, wanted)
            if end and taken.isdisjoint(range(index, end)):
                start, title = _with_number(lines, index, bookmark.title)
                if not taken.isdisjoint(range(start, index)):
                    start, title = index, bookmark.title
                found[start] = (end, replace(bookmark, title=title))
                taken.update(range(start, end))
                break
    return found


def _with_number(lines: list[str], index: int, title: str) -> tuple[int, str]:
    """Where the heading begins, and its title with the number that only the print has: outlines often have none.

    It stands before the title, "2.7.3. Elegir una versión", or on lines of its own above, "CHAPTER", "FOUR".
    """
    if numbered_place(title):
        return index, title
    if number := _NUMBERING.match(lines[index]):
        said = _letters(title).startswith(_letters(lines[index]))
        return index, title if said else f"{number[0].strip()} {title}"
    above = [at for at in range(max(index - REACH_ABOVE, 0), index) if lines[at].strip()]
    for count in range(1, LINES_OF_A_NUMBER + 1):
        printed = " ".join(lines[at].strip() for at in above[-count:])
        place = numbered_place(printed) if len(above) >= count else None
        if place and place.bare and place.rank < DECIMAL_RANK:
            return above[-count], f"{printed.rstrip('.')}. {title}"
    return index, title


def _match(letters: list[str], unnumbered: list[str], index: int, wanted: set[str]) -> int:
    """The index after the lines from `index` that together spell one of `wanted`; 0 if they do not."""
    if not letters[index]:
        return 0
    for start in {letters[index], unnumbered[index]}:
        spelled = start
        for end in range(index + 1, min(index + WRAPPED_LINES, len(letters)) + 1):
            if spelled in wanted:
                return end
            if end < len(letters):
                spelled += letters[end]
    return 0


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text.casefold())
