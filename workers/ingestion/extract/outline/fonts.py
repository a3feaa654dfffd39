"""Headings by their print, where a PDF has no outline: lines that are larger than the text, or in bold and set off from
it. Pure."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from retrieval.text.place_words import CAPTIONED
from retrieval.text.references import heading_key
from workers.ingestion.extract.outline.contents import is_contents_title
from workers.ingestion.extract.outline.lines import Bookmark

LARGER = 1.12  # than the text, a line that is a heading
ALIKE = 1.04  # sizes of one level differ by less
MOST_LEVELS = 5
MOST_SHARE = 0.25  # of a document's lines: where more are large, size says nothing
MOST_IN_BOLD = 0.4  # the same of lines in bold, and of letters
MOST_REPEATED = 3  # on the edges of so many pages a line is a running head
FEWEST_LETTERS = 3
COUNTED = 8  # characters, in which a title has its number
SET_OFF = 0.4  # of its height: how far below the line above it a line in bold stands that is a heading
LONGEST = 200
FILLED, FULL_LINE = 0.8, 30  # of the longest line of a size, which has more than so many characters
WRAPPED = 4  # lines of one heading
WRAPPED_TITLE, LONGEST_TITLE = 8, 450  # lines and characters of a document's title: those of laws are long
_NO_TITLE = re.compile(r"[;=]|\(\)|[.:,;]\Z|[a-záéíóúñ]\. [A-ZÁÉÍÓÚÑ]")  # a sentence or a line of code
_BOLD = re.compile(r"bold|black|heavy|semibd|demi|-bd\b|(?:cm|sf|lm)[a-z]{0,4}bx", re.IGNORECASE)
_NOT_ITS_TITLE = re.compile(
    r"[€$£@]|www\.|https?:|\d{5}|\b\d{1,2} de \w{4,10} de \d{4}\b"
    r"|^(?:fdo|firmad[oa]|a la atenci[óo]n|asunto|nota|signed)\b",
    re.IGNORECASE,
)
_BULLETIN = re.compile(r"(?:bolet[íi]n|diario|gaceta|journal|gazette|official journal)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line with the height of its letters in points, at least what its first one has, and where that is printed.

    `top` and `bottom` are points from the page's lower edge; `font` is that of the whole line, "" where it has several
    or nobody asked.
    """

    text: str
    page: int
    size: float
    top: float = 0.0
    bottom: float = 0.0
    font: str = ""

    @property
    def height(self) -> float:
        return self.top - self.bottom


def headings_by_print(lines: Sequence[PrintedLine]) -> list[Bookmark]:
    """The lines that are large, or in bold and set off, in order, neighbours of one size as one; levels by size."""
    lines = _with_whole_title(lines)
    large = _standing_out(lines, frozenset())
    counts = len(large) <= MOST_SHARE * len(lines)
    found = _standing_out(lines, _set_off_in_bold(lines), by_size=counts)
    if len(found) > MOST_IN_BOLD * len(lines):
        found = large if counts else []
    levels = levels_by_size(found)
    return [Bookmark(levels[line.size], line.text, line.page) for line in found]


def _standing_out(lines: Sequence[PrintedLine], bold: frozenset[int], *, by_size: bool = True) -> list[PrintedLine]:
    """The headings, those over several lines as one."""
    body, running = body_size(lines), _running(lines)
    found: list[PrintedLine] = []
    joined, last = 0, -2
    longest: dict[float, int] = defaultdict(int)
    for line in lines:
        longest[line.size] = max(longest[line.size], len(line.text))
    for index, line in enumerate(lines):
        is_large = by_size and line.size >= body * LARGER and _reads_as_heading(line)
        if not (is_large or index in bold) or _unnumbered(line.text) in running:
            continue
        above = found[-1] if found and last == index - 1 else None
        if above and joined < WRAPPED and _goes_on(above, lines[last], line, longest[line.size]):
            found[-1] = PrintedLine(f"{above.text} {line.text}", line.page, above.size)
            joined += 1
        else:
            found.append(line)
            joined = 1
        last = index
    return [line for line in found if _reads_as_heading(line) or heading_key(line.text)]


def _set_off_in_bold(lines: Sequence[PrintedLine]) -> frozenset[int]:
    """The numbers of the titles that are in bold from end to end, no smaller than the text and shorter than its lines,
    with room above them; none where the text is in bold, or much of it. "Artículo 16 - Presidente. Funciones" is a
    title, too."""
    body, letters = body_size(lines), Counter[bool]()
    for line in lines:
        letters[_is_bold(line)] += len(line.text)
    if letters[True] > MOST_IN_BOLD * letters.total():
        return frozenset()
    longest = FILLED * max((len(line.text) for line in lines if line.size == body), default=0)
    return frozenset(
        index
        for index, line in enumerate(lines)
        if _is_bold(line)
        and line.size * ALIKE >= body
        and len(line.text) < longest
        and _is_title(line)
        and _is_apart(line, lines[index - 1] if index else None)
        and _has_text_below(line, lines[index + 1 : index + 2])
    )


def _is_title(line: PrintedLine) -> bool:
    """Neither a caption nor what stands in a letter: an amount, an address, who signs."""
    key = heading_key(line.text)
    if key.partition(":")[0] in CAPTIONED or _NOT_ITS_TITLE.search(line.text):
        return False
    return bool(key) or _reads_as_heading(line)


def _has_text_below(line: PrintedLine, below: Sequence[PrintedLine]) -> bool:
    """Or a smaller heading, or that it counts ("Paso 1: …"): labels of a form stand one below the other."""
    return any(map(str.isdigit, line.text[:COUNTED])) or any(
        not _is_bold(one) or not are_alike(one.size, line.size) for one in below
    )


def _is_apart(line: PrintedLine, above: PrintedLine | None) -> bool:
    return above is None or above.page != line.page or above.bottom - line.top >= SET_OFF * line.height


def _is_bold(line: PrintedLine) -> bool:
    return _BOLD.search(line.font) is not None


def title_in_print(lines: Sequence[PrintedLine]) -> str:
    """What stands on the first page in its largest print, once and over WRAPPED_TITLE lines at most; "" where that is a
    place in the document, or the name of a bulletin that it is a part of."""
    first, end = _title_lines(lines)
    title = " ".join(line.text for line in lines[first:end]).rstrip(".")
    if is_contents_title(title) or heading_key(title) or _BULLETIN.match(title):
        return ""
    return title


def _with_whole_title(lines: Sequence[PrintedLine]) -> Sequence[PrintedLine]:
    """The lines, those of the document's title as one: its first line need not fill its width, and its last one may
    end with a full stop."""
    first, end = _title_lines(lines)
    if end - first < 2:
        return lines
    title = " ".join(line.text for line in lines[first:end]).rstrip(".")
    return [*lines[:first], replace(lines[first], text=title), *lines[end:]]


def _title_lines(lines: Sequence[PrintedLine]) -> tuple[int, int]:
    """From where to where the first page's largest lines stand, if that is in one place and reads as a title."""
    front = [line for line in lines if line.page == 0]
    largest = max((line.size for line in front), default=0.0)
    large = [number for number, line in enumerate(front) if are_alike(line.size, largest)]
    rest = [line for line in front if not are_alike(line.size, largest)]
    if not rest or len(large) > WRAPPED_TITLE or largest < LARGER * body_size(rest):
        return 0, 0
    first, end = large[0], large[-1] + 1
    title = " ".join(line.text for line in front[first:end])
    title = title if end - first == 1 else title.rstrip(".")  # one line that ends so is a sentence
    return (first, end) if end - first == len(large) and reads_as_title(title, LONGEST_TITLE) else (0, 0)


def body_size(lines: Sequence[PrintedLine]) -> float:
    """The size of most letters."""
    letters: Counter[float] = Counter()
    for line in lines:
        letters[line.size] += len(line.text)
    return max(letters, key=letters.__getitem__, default=0.0)


def levels_by_size(found: Sequence[PrintedLine]) -> dict[float, int]:
    """By size. The largest one that stands in front alone is the document's title, beside the highest headings."""
    levels: dict[float, int] = {}
    level, upper = 0, 0.0
    for size in sorted({line.size for line in found}, reverse=True):
        if not are_alike(upper, size):
            is_title = level == 1 and sum(line.size >= upper for line in found) == 1
            level, upper = level + (not is_title), size
        levels[size] = min(level, MOST_LEVELS)
    return levels


def are_alike(size: float, other: float) -> bool:
    """Whether two sizes are one, measured twice."""
    small, large = sorted((size, other))
    return large <= small * ALIKE


def _goes_on(above: PrintedLine, last: PrintedLine, line: PrintedLine, longest: int) -> bool:
    """Whether a title goes on: its last line is as long as there was room, or it does so in its case."""
    in_one_case = line.text[:1].islower() or (line.text.isupper() and above.text.isupper())
    is_filled = longest > FULL_LINE and len(last.text) >= FILLED * longest and len(line.text) < len(last.text)
    return above.page == line.page and are_alike(above.size, line.size) and (in_one_case or is_filled)


def _running(lines: Sequence[PrintedLine]) -> frozenset[str]:
    """What is the first or the last line of many pages."""
    pages = [line.page for line in lines]
    edges = Counter(
        _unnumbered(line.text)
        for line, before, after in zip(lines, [-1, *pages], [*pages[1:], -1], strict=False)
        if line.page not in (before, after) or before != after
    )
    return frozenset(text for text, count in edges.items() if count > MOST_REPEATED)


def _unnumbered(text: str) -> str:
    return text.strip("0123456789 ")


def _reads_as_heading(line: PrintedLine) -> bool:
    """As a title of a section does; on the first page, where the document's stands, it may be longer."""
    return reads_as_title(line.text, LONGEST_TITLE if line.page == 0 else LONGEST)


def reads_as_title(text: str, longest: int = LONGEST) -> bool:
    begins = text[:1].isalnum() or text[:1] in "¿¡§«“"
    letters = sum(map(str.isalpha, text)) if len(text) <= longest else 0
    return begins and letters >= FEWEST_LETTERS and not _NO_TITLE.search(text)
