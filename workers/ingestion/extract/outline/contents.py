"""A document's own tables of contents: lines that name a title and its page, or that lead to one. Pure.

They tell where things stand and are no answer to anything, so they are kept for the reader and left out of passages.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate, islice, pairwise

from workers.ingestion.extract.outline.repeated import numbers_apart, repeated_runs

FEWEST_ENTRIES = 3
FEWEST_PAGES = 4  # a shorter document with leaders is a price list, unless most of its entries stand in the text
LEAST_NAMED = 0.5
MOST_PAGES_NAMED = 12  # of a document whose entries are looked for in its text
MOST_LINES_NAMED = 3_000
SHORTEST_NAME, LONGEST_NAME = 4, 200  # letters of an entry's title, characters of the lines that it stands on
REACH = 4  # lines from one entry to the next: titles are printed over several
LEAST_RISING = 0.8  # of the page numbers: those of contents rise, prices do not
LEAST_WEAK = 0.5  # of the lines of a page that goes on with contents which have no leaders
INDEX_PART = 0.2  # of the document, its last: where an index stands
_LAST_SIGNS = frozenset("0123456789ivxlc")  # of a page's number
_TAIL = 24  # characters of a line's end that are looked at
_STRONG = re.compile(r"(?:\.{3}|…|(?: ?\.){3}) ?(?P<page>\d{1,4}|[ivxlc]{1,7})\Z")
_LEADERS = re.compile(r"(?:\.{3}|…|(?: ?\.){3})\Z")  # where the numbers of pages are printed apart
_WEAK = re.compile(r"[^\W\d_][.)]{0,2} (?P<page>\d{1,4}|[ivxlc]{1,7})\Z")
_NOT_LETTERS = re.compile(r"[\W_]+")
_SENTENCE = re.compile(r"[.:] ")
_INDEX_ENTRY = re.compile(r"[,–\w] ?\d{1,4}\Z")
_TITLE = re.compile(
    r"(?:tabla de )?contenidos?|(?:table of )?contents|[íi]ndice(?: general| sistem[áa]tico| de contenidos?)?|sumario",
    re.IGNORECASE,
)
_INDEX_TITLE = re.compile(  # "Concept Index", "Function and Data Index", "Índice de términos"
    r"(?:[^\W\d_]{2,20},? ){0,4}index|index of (?:[^\W\d_]{2,20} ?){1,3}"
    r"|[íi]ndice(?: (?:anal[íi]tico|alfab[ée]tico|tem[áa]tico|onom[áa]stico|de (?:materias|t[ée]rminos|nombres)))?",
    re.IGNORECASE,
)
_SIGNS_AROUND = re.compile(r"\A\W+")
_LONGEST_TITLE, _LONGEST_INDEX_LINE = 40, 70

PageLines = Sequence[str]
Entry = tuple[int, int]  # a line of a page, and the page that it names


def contents_lines(pages: Sequence[PageLines]) -> list[frozenset[int]]:
    """Of each page the indices of the lines that belong to contents or to an index."""
    found: list[frozenset[int]] = []
    is_long = len(pages) >= FEWEST_PAGES
    places = _places_of_names(pages)
    repeated = _repeated_lines(pages)
    goes_on = in_index = False
    for number, lines in enumerate(pages):
        blocks = list(_blocks(lines, goes_on, places, is_long))
        goes_on = bool(blocks) and blocks[-1][1] + 2 * REACH >= len(lines)
        in_index = is_long and number >= (1 - INDEX_PART) * len(pages) and _is_index(lines, in_index)
        inside = range(len(lines)) if in_index else (n for first, last in blocks for n in range(first, last + 1))
        lined = {*inside, *repeated[number]}
        found.append(frozenset({*lined, *_around(lines, lined)} if lined else lined))
    return found


def _repeated_lines(pages: Sequence[PageLines]) -> list[set[int]]:
    """Of each page the lines of contents that are known by what comes again below them."""
    starts = list(accumulate(map(len, pages), initial=0))
    found: list[set[int]] = [set() for _ in pages]
    for first, last in repeated_runs([line for lines in pages for line in lines]):
        for number in range(bisect_right(starts, first) - 1, bisect_right(starts, last)):
            begins, ends = max(first, starts[number]), min(last + 1, starts[number + 1])
            found[number].update(range(begins - starts[number], ends - starts[number]))
    return found


def _around(lines: PageLines, inside: Collection[int]) -> set[int]:
    """What belongs to a page's contents outside of their lines: their title, and the pages' numbers."""
    first = min(inside)
    titles = [n for n in range(max(first - REACH, 0), first) if _is_title(lines[n], _TITLE)]
    return {*numbers_apart(lines), *(n for title in titles[-1:] for n in range(title, first))}


def is_contents_title(title: str) -> bool:
    """Whether a heading says that contents follow: "📚 Contenidos", "Table of contents"."""
    return _is_title(_SIGNS_AROUND.sub("", title), _TITLE)


def _blocks(lines: PageLines, goes_on: bool, places: Mapping[str, int], is_long: bool) -> Iterator[tuple[int, int]]:
    """(first, last) lines of each run of entries; `goes_on`: the page before ended with one."""
    titles = [n for n, line in enumerate(lines) if _is_title(line, _TITLE)]
    entries = _entries(lines, titles, goes_on)
    if not is_long and sum(_place(lines, n, places) >= 0 for n, _ in entries) < LEAST_NAMED * len(entries):
        entries = []
    entries = sorted({*entries, *_named_entries(lines, places)})
    run: list[Entry] = []
    for entry in [*entries, (len(lines) + REACH + 1, 0)]:
        if run and entry[0] - run[-1][0] > REACH:
            if _are_contents(run, goes_on):
                yield _beginning(run[0][0], titles, goes_on), run[-1][0]
            run = []
        run.append(entry)


def _entries(lines: PageLines, titles: Sequence[int], goes_on: bool) -> list[Entry]:
    """The lines with leaders; below a title, and where contents go on, those without as well, and those that leaders
    end; these also where the pages' numbers stand in a column."""
    weak_too = bool(titles) or (goes_on and _mostly_entries(lines))
    led_too = weak_too or bool(numbers_apart(lines))
    start = 0 if goes_on or not titles else titles[0]
    named = ((n, _page_named(lines[n], weak_too, led_too)) for n in range(start, len(lines)))
    return [(n, page) for n, page in named if page is not None]


def _named_entries(lines: PageLines, places: Mapping[str, int]) -> list[Entry]:
    """The lines that name headings of the text and the pages on which these stand, however these are counted."""
    found: list[tuple[int, int, int]] = []
    for index, line in enumerate(lines if places else ()):
        page = _page_named(line, True)
        place = _place(lines, index, places) if page else -1
        if page and place >= 0:
            found.append((index, page, page - place))
    distances = Counter(distance for _, _, distance in found)
    usual = max(distances, key=distances.__getitem__, default=0)
    entries = [(index, page) for index, page, distance in found if distance == usual]
    return entries if len({page for _, page in entries}) > 1 else []


def _place(lines: PageLines, index: int, places: Mapping[str, int]) -> int:
    """The page on which an entry's title stands again, whether it is printed over one line or two; -1: on none."""
    tail = lines[index][-_TAIL:]
    named = _STRONG.search(tail) or _WEAK.search(tail)
    begins = named.start("page") if named else led.start() if (led := _LEADERS.search(tail)) else -1
    if begins < 0:
        return -1
    title = lines[index][: len(lines[index]) - len(tail) + begins]
    above = f"{lines[index - 1]} {title}" if index else title
    return next((places[name] for name in (_letters(title), _letters(above)) if name in places), -1)


def _places_of_names(pages: Sequence[PageLines]) -> dict[str, int]:
    """The pages on which short documents have headings: by their letters lines, pairs of them, and sentences in front.

    None of a long document, where contents have leaders or a title.
    """
    if len(pages) > MOST_PAGES_NAMED or sum(map(len, pages)) > MOST_LINES_NAMED:
        return {}
    places: dict[str, int] = {}
    printed = [[line for line in lines if line and _page_named(line, True, True) is None] for lines in pages]
    if sum(map(len, printed)) == sum(bool(line) for lines in pages for line in lines):
        return {}  # no line names a page
    for number, lines in enumerate(printed):
        for line, below in pairwise([*lines, ""]):
            start = line[:LONGEST_NAME]
            ends = (start[: end.start()] for end in _SENTENCE.finditer(start))
            for name in (start, f"{start} {below[:LONGEST_NAME]}", *islice(ends, 3)):
                places[_letters(name)] = number
    return {name: page for name, page in places.items() if len(name) >= SHORTEST_NAME}


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text[: 2 * LONGEST_NAME].casefold())


def _beginning(first: int, titles: Sequence[int], goes_on: bool) -> int:
    """With the title above, and what a wrapped entry has on a page's first lines."""
    above = [title for title in titles if title < first and first - title <= 2 * REACH]
    return above[-1] if above else 0 if goes_on and first < REACH else first


def _are_contents(run: Sequence[Entry], goes_on: bool) -> bool:
    numbers = [page for _, page in run if page]
    rising = sum(one <= after for one, after in pairwise(numbers))
    return (goes_on or len(run) >= FEWEST_ENTRIES) and rising >= LEAST_RISING * (len(numbers) - 1)


def _page_named(line: str, weak_too: bool, led_too: bool = False) -> int | None:
    """The page at a line's end, 0 of a Roman one and where only leaders end it; None of a line that is no entry."""
    if line[-1:] not in _LAST_SIGNS:
        return 0 if led_too and _LEADERS.search(line[-_TAIL:]) else None
    tail = line[-_TAIL:]
    match = _STRONG.search(tail) or (_WEAK.search(tail) if weak_too else None)
    if not match:
        return None
    return int(match["page"]) if match["page"].isdigit() else 0


def _mostly_entries(lines: PageLines) -> bool:
    printed = [line for line in lines if line]
    return sum(_page_named(line, True, True) is not None for line in printed) >= LEAST_WEAK * len(printed)


def _is_index(lines: PageLines, goes_on: bool) -> bool:
    printed = [line for line in lines if line]
    told = [line for line in printed if len(line) > 1]  # not the letters that part it
    entries = sum(len(line) <= _LONGEST_INDEX_LINE and _is_index_entry(line[-_TAIL:]) for line in told)
    begins = goes_on or any(_is_title(line, _INDEX_TITLE) for line in printed)
    return begins and len(printed) >= 2 * FEWEST_ENTRIES and entries >= LEAST_WEAK * len(told)


def _is_index_entry(tail: str) -> bool:
    return bool(_INDEX_ENTRY.search(tail) or _STRONG.search(tail))


def _is_title(line: str, titles: "re.Pattern[str]") -> bool:
    return len(line) <= _LONGEST_TITLE and titles.fullmatch(line.strip(" .:")) is not None
