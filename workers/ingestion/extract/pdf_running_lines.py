"""Headers and footers that repeat on most pages of a PDF: found and dropped, conservatively, but for their numbers."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from workers.ingestion.extract.outline.places import RANKS, Number, numbered_place

EDGE = 3  # lines looked at from the top and from the bottom of a page
MIN_PAGES = 4
FACING = 2  # pages from one head to the next, where left pages have another than right ones
MIN_SHARE = 0.4  # less than half: books print one header on left pages and another on right ones
_SIGNS = r"[-–—―−|·•~()\[\]\s]*+"  # around a number: "— 12 —", "[3]"
_NUMBER = re.compile(
    rf"\A{_SIGNS}(?P<first>\d+)\b|\b(?P<last>\d+){_SIGNS}\Z|\b(?P<of>\d+)(?=\s*(?:/|de|of)\s*\d+{_SIGNS}\Z)",
    re.IGNORECASE,
)
# Each sign can be read in one way only, and is not read again (`*+`): a line of "pag." took twice as long for each.
_PAGE_WORDS = re.compile(r"(?:page|p[áa]g(?:ina)?|p(?=\.)|hoja|folio|of|de|[\W\d_])*+\Z", re.IGNORECASE)
_DISTANCE = re.compile(r"#(-?\d{1,6})")
# Either makes a title of the words beside a page number; "Lección 3" must stay.
_TITLE_WORDS, _TITLE_LETTERS = 3, 15


def drop_running_lines(pages: Sequence[list[str]]) -> list[list[str]]:
    """The pages without running headers and footers.

    A line is one when it stands within EDGE lines of a page's edge on at least MIN_SHARE of the pages (and on
    MIN_PAGES), equal, or equal but for a number that grows with the page: the year in a head does not. Its first
    occurrence stays (a title is not lost), unless it is a bare page number or stands at the bottom, where no title
    does.
    """
    places, needed = _places(pages)
    usual = _usual_distances(places, needed)
    dropped: set[tuple[int, int]] = set()
    for pattern, spots in places.items():
        count = len({page for page, _ in spots})
        if count > 1 and _distance(pattern) in usual:
            dropped.update(spots)
        elif pattern and count >= needed:
            is_title = not _is_page_number(pattern) and _stands_above(pages, *spots[0])
            dropped.update(spots[1:] if is_title else spots)
    dropped.update(_chapter_heads(pages, needed))
    return [
        [line for index, line in enumerate(lines) if (page, index) not in dropped] for page, lines in enumerate(pages)
    ]


def _chapter_heads(pages: Sequence[list[str]], needed: float) -> Iterator[tuple[int, int]]:
    """The first lines that tell where the page is, "CHAPTER 3. … 3.2. BACKUPS", but for each chapter's own first."""
    named: list[tuple[int, int, tuple[str, Number]]] = []
    for page, lines in enumerate(pages):
        first = next((index for index, line in enumerate(lines) if line), None)
        place = numbered_place(lines[first]) if first is not None else None
        if place and first is not None and place.rank < RANKS["articulo"]:
            named.append((page, first, (place.family, place.number)))
    again = [(one, above) for above, one in pairwise(named) if one[2] == above[2] and one[0] - above[0] <= FACING]
    if len({one[0] for pair in again for one in pair}) >= needed:
        yield from ((page, index) for (page, index, _), _ in again)


def printed_numbers(pages: Sequence[list[str]]) -> list[str]:
    """By page the number that its head or foot prints, where these count the pages; "" where they do not, or differ."""
    places, needed = _places(pages)
    usual = _usual_distances(places, needed)
    printed: list[set[int]] = [set() for _ in pages]
    for pattern, spots in places.items():
        if (distance := _distance(pattern)) in usual:
            for page, _ in spots:
                printed[page].add(page + int(distance))
    return [str(numbers.pop()) if len(numbers) == 1 else "" for numbers in printed]


def _places(pages: Sequence[list[str]]) -> tuple[dict[str, list[tuple[int, int]]], float]:
    """By what lines on edges have in common, where they are: (page, line); and on how many pages one is running."""
    places: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for page, lines in enumerate(pages):
        for index in _edges(lines):
            for pattern in _patterns(lines[index], page):
                places[pattern].append((page, index))
    return places, max(MIN_PAGES, MIN_SHARE * sum(1 for lines in pages if lines))


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


def _patterns(line: str, page: int) -> set[str]:
    """What the line has in common with others: its pattern; of a title, whose number need not be the page's, itself."""
    patterns = {_pattern(line, page, number) for number in _NUMBER.finditer(line)} or {line}
    return patterns | {line} if has_title_words(line) else patterns


def has_title_words(line: str) -> bool:
    """Whether a line's words are a title's, beside whatever number."""
    words = re.findall(r"[^\W\d_]+", line)
    return len(words) >= _TITLE_WORDS or sum(map(len, words)) >= _TITLE_LETTERS


def _pattern(line: str, page: int, number: "re.Match[str]") -> str:
    """The line with a number that may follow the page replaced by its distance from the page's index."""
    start, end = number.span(number.lastgroup or 0)
    if end - start > 5:
        return line
    if not has_title_words(line) and not only_counts(line):
        return line
    return f"{line[:start]}#{int(line[start:end]) - page}{line[end:]}"


def _is_page_number(pattern: str) -> bool:
    return "#" in pattern and only_counts(pattern)


def only_counts(line: str) -> bool:
    """Whether a line says nothing but a page's number: "Pág. 3", "— 12 —", "Hoja 2 de 5"."""
    return bool(_PAGE_WORDS.match(line))
