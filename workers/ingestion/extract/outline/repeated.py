"""Contents that only their repetition tells: titles of places, one below the other, that come again with a text. Pure.

Neither pages nor leaders need to stand behind them: the numbers of pages may be printed in a column of their own.
"""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, islice, pairwise

from workers.ingestion.extract.outline.places import DECIMAL_RANK, NumberedPlace, numbered_place

FEWEST = 5  # entries
LEAST_REPEATED = 0.8  # of them
LONGER = 3  # times as long as the entries is what they name
MOST_LINES = 6  # of an entry with what is printed below it: a title of several lines, a page's number
LONGEST_ENTRY = 450  # letters
MOST_TRIED = 20  # places of one number that an entry is compared with
_TAIL = 24  # characters of a line's end that may name a page
_PAGE = re.compile(r"(?:\A|[ .…])\d{1,4}\Z|[.…] ?[ivxlc]{1,7}\Z")
_NOT_LETTERS = re.compile(r"[\W_]+")


def repeated_runs(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """(first, last) lines of each run of titles in words, "Artículo 1. …", that comes again and has a text there."""
    places = [numbered_place(line) if line[:1].isupper() else None for line in lines]
    named = [(index, place) for index, place in enumerate(places) if place and place.rank < DECIMAL_RANK]
    if len(named) < 2 * FEWEST:
        return
    letters = [_letters(line, place.end if place else 0) for line, place in zip(lines, places, strict=True)]
    where: dict[object, list[int]] = defaultdict(list)
    for index, place in named:
        where[place.family, place.number].append(index)
    read = list(accumulate(map(len, letters), initial=0))
    for run in _runs(named, letters):
        found = _repeated(run, where, letters)
        if not found:
            continue
        begins = next(iter(found.values()))[0]  # the text: its first titles may stand right below
        entries = [index for index, _ in run if index < begins]
        known = [index for index in entries if index in found]
        if len(known) < max(FEWEST, LEAST_REPEATED * len(entries)):
            continue
        last = known[-1] + found[known[-1]][1]
        told = read[found[known[-1]][0]] - read[begins]
        if told >= LONGER * (read[last] - read[known[0]]):
            yield known[0], last - 1


def numbers_apart(lines: Sequence[str]) -> frozenset[int]:
    """The lines of columns of pages' numbers: nothing else on FEWEST lines and more, and none lower than the last."""
    column: list[int] = []
    found: set[int] = set()
    for index, line in enumerate([*lines, ""]):
        is_number = line.isdecimal() and len(line) <= 4
        if is_number and (not column or int(lines[column[-1]]) <= int(line)):
            column.append(index)
            continue
        found.update(column if len(column) >= FEWEST else ())
        column = [index] if is_number else []
    return frozenset(found)


def _runs(
    named: Sequence[tuple[int, NumberedPlace]], letters: Sequence[str]
) -> Iterator[list[tuple[int, NumberedPlace]]]:
    """The places that stand near each other."""
    run = [named[0]]
    for above, place in pairwise(named):
        if place[0] - above[0] > MOST_LINES or sum(map(len, letters[above[0] : place[0]])) > LONGEST_ENTRY:
            yield run
            run = []
        run.append(place)
    yield run


def _repeated(
    run: Sequence[tuple[int, NumberedPlace]], where: Mapping[object, Sequence[int]], letters: Sequence[str]
) -> dict[int, tuple[int, int]]:
    """Of each entry that comes again, in the order of the others, where it does and how many lines it takes here."""
    found: dict[int, tuple[int, int]] = {}
    at = 0
    for number, (index, place) in enumerate(run):
        end = run[number + 1][0] if number + 1 < len(run) else 0  # of the last one nobody knows where it ends
        others = where[place.family, place.number]
        first = bisect_right(others, max(at, index))
        for other in islice(others, first, first + MOST_TRIED):
            if count := _same_lines(letters, index, end, other):
                found[index], at = (other, count), other
                break
    return found


def _same_lines(letters: Sequence[str], index: int, end: int, other: int) -> int:
    """How many lines from `index` to `end` are what stands at `other`; 0 where they are not, or not all."""
    again = "".join(letters[other : other + MOST_LINES])
    written, count = "", 0
    for number, line in enumerate(letters[index : end or index + MOST_LINES], 1):
        if not again.startswith(written + line):
            return 0 if end else count
        written += line
        count = number if line else count
    return count


def _letters(line: str, named: int) -> str:
    """A line's letters and digits without the page that it names behind its place."""
    tail = line[max(named, len(line) - _TAIL) :]
    page = _PAGE.search(tail)
    return _NOT_LETTERS.sub("", line[: len(line) - len(tail) + page.start()] if page else line).casefold()
