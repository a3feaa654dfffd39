"""Headers and footers that repeat on most pages of a PDF: found and dropped, conservatively."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

EDGE = 3  # lines looked at from the top and from the bottom of a page
MIN_PAGES = 4
MIN_SHARE = 0.4  # less than half: books print one header on left pages and another on right ones
_NUMBER = re.compile(r"\A\d+\b|\b\d+\Z|(?<=\b)\d+(?=\s*(?:/|de|of)\s*\d+\Z)", re.IGNORECASE)
# Each sign can be read in one way only, and is not read again (`*+`): a line of "pag." took twice as long for each.
_PAGE_WORDS = re.compile(r"(?:page|p[áa]g(?:ina)?|p(?=\.)|of|de|[\W\d_])*+\Z", re.IGNORECASE)
_DISTANCE = re.compile(r"#(-?\d{1,6})")
# Either makes a title of the words beside a page number; "Lección 3" must stay.
_TITLE_WORDS, _TITLE_LETTERS = 3, 15


def drop_running_lines(pages: Sequence[list[str]]) -> list[list[str]]:
    """The pages without running headers and footers.

    A line is one when it stands within EDGE lines of a page's edge on at least MIN_SHARE of the pages (and on
    MIN_PAGES), equal but for a number that grows with the page. Its first occurrence stays (a title is not
    lost), unless it is a bare page number or stands at the bottom, where no title does.
    """
    places: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for page, lines in enumerate(pages):
        for index in _edges(lines):
            places[_pattern(lines[index], page)].append((page, index))
    needed = max(MIN_PAGES, MIN_SHARE * sum(1 for lines in pages if lines))
    usual = _usual_distances(places, needed)
    dropped: set[tuple[int, int]] = set()
    for pattern, spots in places.items():
        count = len({page for page, _ in spots})
        if count > 1 and _distance(pattern) in usual:
            dropped.update(spots)
        elif pattern and count >= needed:
            is_title = not _is_page_number(pattern) and _stands_above(pages, *spots[0])
            dropped.update(spots[1:] if is_title else spots)
    return [
        [line for index, line in enumerate(lines) if (page, index) not in dropped] for page, lines in enumerate(pages)
    ]


def _edges(lines: list[str]) -> Iterable[int]:
    printed = [index for index, line in enumerate(lines) if line]
    return sorted({*printed[:EDGE], *printed[-EDGE:]})


def _usual_distances(places: Mapping[str, Sequence[tuple[int, int]]], needed: float) -> frozenset[str]:
    """What numbers on the edges of most pages differ from the page's index by: these count the pages.

    A chapter's own running head is known by its page number, though it is printed on the chapter's pages alone.
    """
    found: dict[str, set[int]] = defaultdict(set)
    for pattern, spots in places.items():
        found[_distance(pattern)].update(page for page, _ in spots)
    return frozenset(distance for distance, on in found.items() if distance and len(on) >= needed)


def _distance(pattern: str) -> str:
    """The distance that `_pattern` put in the place of a number; "" of a line without one."""
    return match[1] if (match := _DISTANCE.search(pattern)) else ""


def _stands_above(pages: Sequence[list[str]], page: int, index: int) -> bool:
    printed = [place for place, line in enumerate(pages[page]) if line]
    return index in printed[:EDGE] or len(printed) <= 2 * EDGE


def _pattern(line: str, page: int) -> str:
    """The line with a number that follows the page replaced by its distance from the page's index."""
    number = _NUMBER.search(line)
    if not number or len(number[0]) > 5:
        return line
    words = re.findall(r"[^\W\d_]+", line)
    is_title = len(words) >= _TITLE_WORDS or sum(map(len, words)) >= _TITLE_LETTERS
    if not is_title and not _PAGE_WORDS.match(line):
        return line
    return f"{line[: number.start()]}#{int(number[0]) - page}{line[number.end() :]}"


def _is_page_number(pattern: str) -> bool:
    return "#" in pattern and bool(_PAGE_WORDS.match(pattern))
