"""Heads, feet and the title block of a short PDF, known by where and how they are printed. Pure.

A few pages repeat too little to tell a running line by its words (`pdf_running_lines`), so it must stand in one place
at the edge of two pages, apart from the text, and be printed smaller than it or count the pages.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from workers.ingestion.extract.canonical import one_line
from workers.ingestion.extract.outline.fonts import LONGEST, PrintedLine, are_alike, body_size
from workers.ingestion.extract.pdf_running_lines import MIN_PAGES, has_title_words, only_counts

SHORT = 2 * MIN_PAGES - 1  # pages of the longest document that is looked at in this way
EDGE = 4  # rows of a head or foot: where more are alike, one page is a copy of the other
MOST_BESIDE = 8  # lines of one row that are looked at
SAME_PLACE = 2.0  # points
SMALLER = 0.95  # than the text
SET_OFF = 0.8  # of the text's size: the white space between it and a head or foot
TITLE_BLOCK = 12  # lines of the first page that may stand above its text
_NUMBER = re.compile(r"\d+")
_COUNTED = re.compile(r"\b(?:page|p[áa]g(?:ina)?|hoja|folio)\b\.? ?#", re.IGNORECASE)

Row = list[PrintedLine]
Alike = tuple[PrintedLine, PrintedLine, int | None]  # two lines, and the page that the second one counts, if it does


@dataclass(frozen=True, slots=True)
class RunningLine:
    """A line of a head or foot; `number` is what it counts the page as, None where it does not."""

    line: PrintedLine
    is_head: bool
    number: int | None


def running_lines(printed: Sequence[PrintedLine]) -> list[RunningLine]:
    """Those of a short document, by page from its edges inwards, each once."""
    by_page: dict[int, list[PrintedLine]] = defaultdict(list)
    for line in printed:
        by_page[line.page].append(line)
    rows = {page: _rows(lines) for page, lines in by_page.items()}
    size = body_size(printed)
    found: dict[int, RunningLine] = {}
    for page, below in pairwise(sorted(rows)):
        if below == page + 1:
            for running in _common(rows[page], rows[below], size):
                found.setdefault(id(running.line), running)
    return list(found.values())


def without_running_lines(pages: Sequence[list[str]], running: Sequence[RunningLine]) -> list[list[str]]:
    """The pages without them, but once for what counts nothing: a head of the first page in front of its text, else
    the last one behind it, where they cut no sentence in two.
    """
    kept: list[list[str]] = []
    for number, page in enumerate(pages):
        taken = {_index_of(page, one.line.text) for one in running if one.line.page == number}
        kept.append([text for index, text in enumerate(page) if index not in taken])
    words = [one for one in running if one.number is None]
    heads = list(dict.fromkeys(one.line.text for one in words if one.is_head and one.line.page == 0))
    last = {one.line.text: one.line.page for one in words if one.line.text not in heads}
    if heads:
        kept[0] = [*heads, "", *kept[0]]
    for text, number in last.items():
        kept[number] += ["", text]
    return kept


def counted_pages(running: Sequence[RunningLine], count: int) -> list[str]:
    """By page the number that its head or foot prints; "" where they print none, or several."""
    numbers: list[set[int]] = [set() for _ in range(count)]
    for one in running:
        if one.number is not None:
            numbers[one.line.page].add(one.number)
    return [str(printed.pop()) if len(printed) == 1 else "" for printed in numbers]


def with_title_block(page: list[str], printed: Sequence[PrintedLine]) -> list[str]:
    """A first page with a blank line wherever its type changes above its text: a title begins no sentence."""
    types = Counter[tuple[str, float]]()
    for line in printed:
        types[line.font, line.size] += len(line.text)
    body = max(types, key=types.__getitem__, default=("", 0.0))
    starts: set[int] = set()
    last: PrintedLine | None = None
    at = 0
    for text_index, line in _found_in(page, printed[:TITLE_BLOCK]):
        if last and last.font and line.font and text_index > at and not _in_one_type(last, line):
            starts.add(text_index)
        last, at = line, text_index
        if (line.font, line.size) == body:
            break
    return [text for index, one in enumerate(page) for text in (("", one) if index in starts else (one,))]


def _found_in(page: Sequence[str], printed: Sequence[PrintedLine]) -> Iterator[tuple[int, PrintedLine]]:
    """The printed lines that the page's text has, in order, with the index of each."""
    at = 0
    texts = [one_line(text) for text in page[: 2 * TITLE_BLOCK]]
    for line in printed:
        if line.text in texts[at:]:
            at = texts.index(line.text, at)
            yield at, line
            at += 1


def _in_one_type(one: PrintedLine, other: PrintedLine) -> bool:
    return one.font == other.font and are_alike(one.size, other.size)


def _rows(lines: Sequence[PrintedLine]) -> list[Row]:
    """From the top what stands side by side."""
    rows: list[Row] = []
    for line in sorted(lines, key=lambda line: -line.bottom):
        if rows and rows[-1][0].bottom - line.bottom <= SAME_PLACE:
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _common(page: Sequence[Row], below: Sequence[Row], size: float) -> Iterator[RunningLine]:
    """The heads and feet that two pages in a row have in common."""
    edges = [(is_head, _alike_from(is_head, page, below, size)) for is_head in (True, False)]
    counts = False
    for is_head, rows in sorted(edges, key=lambda edge: not _has_numbers(edge[1])):
        taken = _taken(rows, size, counts, is_head)
        while taken and not all(_is_set_off(one, len(taken), is_head, size) for one in (page, below)):
            taken.pop()
        counts = counts or _has_numbers(taken)
        for one, other, number in (pair for row in taken for pair in row):
            yield RunningLine(one, is_head, None if number is None else number - 1)
            yield RunningLine(other, is_head, number)


def _has_numbers(rows: Sequence[list[Alike]]) -> bool:
    return any(number is not None for row in rows for _, _, number in row)


def _alike_from(is_head: bool, page: Sequence[Row], below: Sequence[Row], size: float) -> list[list[Alike]]:
    """The rows from one edge of two pages that are alike, inwards; none where these are too many."""
    found: list[list[Alike]] = []
    step = 1 if is_head else -1
    for one, other in zip(page[::step], below[::step], strict=False):
        beside = one[:MOST_BESIDE], other[:MOST_BESIDE]
        pairs = [pair for line, second in product(*beside) if (pair := _alike(line, second))]
        if not pairs:
            return found
        found.append(pairs)
        if len(found) > EDGE:
            return []
    return found


def _alike(one: PrintedLine, other: PrintedLine) -> Alike | None:
    if abs(one.bottom - other.bottom) > SAME_PLACE or not are_alike(one.size, other.size):
        return None
    if one.text == other.text:
        return one, other, None
    number = _counted_on(one.text, other.text)
    return None if number is None else (one, other, number)


def _counted_on(one: str, other: str) -> int | None:
    """The number of the second text that is one more than the first one's, where they are else the same."""
    if max(len(one), len(other)) > LONGEST or _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return None
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(other), strict=True)
    changed = [(before, after) for before, after in pairs if before != after]
    if len(changed) != 1 or max(map(len, changed[0])) > 5 or int(changed[0][0]) + 1 != int(changed[0][1]):
        return None
    return int(changed[0][1])


def _taken(rows: Sequence[list[Alike]], size: float, counts: bool, is_head: bool) -> list[list[Alike]]:
    """The rows from the edge inwards that are printed as a head or a foot is."""
    taken: list[list[Alike]] = []
    for row in rows:
        counts = counts or any(_counts(line, size, is_head) for line, _, number in row if number is not None)
        pairs = [pair for pair in row if _is_running(pair, size, counts, is_head)]
        if not pairs:
            break
        taken.append(pairs)
    return taken


def _is_running(pair: Alike, size: float, counts: bool, is_head: bool) -> bool:
    """Whether lines count the pages; or are smaller than the text, or as large and printed with what counts them."""
    line, _, number = pair
    if number is not None:
        return _counts(line, size, is_head)
    return line.size <= SMALLER * size or (counts and _is_small(line, size))


def _counts(line: PrintedLine, size: float, is_head: bool) -> bool:
    """Whether a line whose number grows by one with the page says that this is the page's, and no exercise's."""
    if _COUNTED.search(_NUMBER.sub("#", line.text)):
        return _is_small(line, size)
    if line.size <= SMALLER * size:
        return only_counts(line.text) or has_title_words(line.text)
    return not is_head and _is_small(line, size) and only_counts(line.text)


def _is_small(line: PrintedLine, size: float) -> bool:
    return line.size <= size or are_alike(line.size, size)


def _is_set_off(rows: Sequence[Row], taken: int, is_head: bool, size: float) -> bool:
    """Whether white space parts so many rows of an edge from the others."""
    if len(rows) <= taken:
        return True
    last, inner = (rows[taken - 1], rows[taken]) if is_head else (rows[-taken], rows[-taken - 1])
    upper, lower = (last, inner) if is_head else (inner, last)
    return min(line.bottom for line in upper) - max(line.top for line in lower) >= SET_OFF * size


def _index_of(page: Sequence[str], text: str) -> int:
    """Where the text stands on its page, nearest to an edge; -1 where it does not."""
    spots = [index for index, line in enumerate(page) if one_line(line) == text]
    return min(spots, key=lambda index: min(index, len(page) - 1 - index), default=-1)
