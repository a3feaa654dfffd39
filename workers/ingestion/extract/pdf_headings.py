"""A PDF's outline matched to printed lines: which lines of a page are headings."""

import re
from collections.abc import Iterator, Sequence

from workers.ingestion.extract.outline.lines import Bookmark, Line

WRAPPED_LINES = 4  # a heading may be printed over this many lines
_NOT_LETTERS = re.compile(r"[\W_]+")
_NUMBERING = re.compile(r"\A\s*(?:(?:\d+\.)+\d*|\d+)[.)]?\s+")


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
        text = " ".join(lines[index:end]).strip()
        if text:
            yield Line(text, page, gap and printed, heading, is_furniture=index in furniture)
        gap, printed = not text, printed or bool(text)
        index = end


def _found(lines: list[str], bookmarks: list[Bookmark], furniture: frozenset[int]) -> dict[int, tuple[int, Bookmark]]:
    """First line's index -> (index after its last line, bookmark); no line belongs to two bookmarks."""
    letters = ["" if number in furniture else _letters(line) for number, line in enumerate(lines)]
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
                found[index] = (end, bookmark)
                taken.update(range(index, end))
                break
    return found


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
