"""A PDF's lines to readable text: hyphens and soft line breaks joined, pages and headings as offsets."""

import re
from collections.abc import Sequence
from itertools import pairwise

from retrieval.text.lines.sentences import LETTER_BULLET, has_letter_bullets
from workers.ingestion.extract.extracted import MAX_HEADINGS, Extracted, HeadingSpan, PageSpan, furniture_of
from workers.ingestion.extract.outline.contents import contents_lines
from workers.ingestion.extract.outline.faq import with_question_headings
from workers.ingestion.extract.outline.levels import FoundHeading, levels_of
from workers.ingestion.extract.outline.lines import Bookmark, Line
from workers.ingestion.extract.outline.numbered import with_numbered_headings
from workers.ingestion.extract.pdf_headings import with_headings
from workers.ingestion.extract.pdf_running_lines import drop_running_lines
from workers.ingestion.extract.tables.rows import with_rules
from workers.ingestion.extract.titles import title_of_norm

LINE_HYPHEN = "\ufffe"  # PDFium's mark where it joined a hyphenated word
FILLED = 0.75  # of the page's line width: such a line was broken by the margin, not by its author
HALF = 0.5
USUAL_WIDTH = 80
FEW_LINES = 8  # too few to measure a page by itself
_LIST_ITEM = re.compile(r"(?:\d{1,3}[.)]|\d+(?:\.\d+)+\.?|[a-zñA-Z][.)]|[-–—•·▪◦●○■□*»►]|v)\s")
_ENDS_HERE = re.compile(r"[.:;!?…|+=>_]\Z|\.\.\. ?\S+\Z")
_CONTINUES_WITH = "¿¡«“\"'(["
_COMPOUND = re.compile(r"\b[^\W\d_]+-[^\W\d_]+")
_LAST_WORD = re.compile(r"[^\W\d_]*\Z")
_FIRST_WORD = re.compile(r"[^\W\d_]*")
_PATH_BEGINS, _OF_A_MACHINE = ("/", "~/", "./", "../"), ("_", "\\")
_LONGEST_WORD = 60


def assemble(pages: Sequence[list[str]], bookmarks: Sequence[Bookmark], title: str = "") -> Extracted:
    """One text from lines per page; page spans tile it, headings are the bookmarks found on their pages."""
    kept = with_rules(drop_running_lines(pages))
    compounds = frozenset(_COMPOUND.findall("\n".join(map("\n".join, kept))))
    healed = [[_without_break_marks(line, compounds) for line in page] for page in kept]
    widths = _widths(kept)
    numbered = with_numbered_headings(list(with_headings(healed, bookmarks, contents_lines(healed))), widths)
    lines = with_question_headings(numbered)
    bullets = has_letter_bullets([line for page in healed for line in page])
    written = _Written(widths, compounds, [-1] * len(pages), LETTER_BULLET if bullets else "")
    for line in lines:
        written.add(line)
    text = "".join(written.parts)
    levels = levels_of([FoundHeading(line.heading.level, line.rank) for line in lines if line.heading])
    headings = [HeadingSpan(level, *span) for level, span in zip(levels[:MAX_HEADINGS], written.headings, strict=False)]
    furniture = furniture_of(written.furniture, len(text))
    title = title_of_norm(text, title)
    return Extracted(
        text, _page_spans(written.starts, len(text)), tuple(headings), title, len(pages), furniture=furniture
    )


class _Written:
    """The text so far, with the places of its pages, headings and furniture."""

    def __init__(self, widths: Sequence[int], compounds: frozenset[str], starts: list[int], bullet: str) -> None:
        self.parts: list[str] = []
        self.starts = starts
        self.headings: list[tuple[str, int, int]] = []
        self.furniture: list[tuple[int, int]] = []
        self._widths, self._compounds, self._bullet = widths, compounds, bullet
        self._position = 0
        self._previous: Line | None = None

    def add(self, line: Line) -> None:
        """Append a line after what stands between it and the last one."""
        separator = _separator(self._previous, line, self._widths, self._bullet)
        if separator == "-":
            separator = ""
            self._position -= _unhyphenate(self.parts, line.text, self._compounds)
        start = self._position = self._position + len(separator)
        if self.starts[line.page] < 0:
            self.starts[line.page] = start
        self.parts += (separator, line.text)
        self._position += len(line.text)
        if line.heading:
            self.headings.append((line.heading.title, start, start + (line.named or len(line.text))))
        if line.is_furniture:
            self.furniture.append((start, self._position))
        self._previous = line


def _without_break_marks(line: str, compounds: frozenset[str]) -> str:
    """The line with PDFium's hyphen marks resolved; one at its very end becomes a hyphen."""
    first, *others = line.split(LINE_HYPHEN)
    parts = [first]
    for part in others:
        parts += (_hyphen(parts[-1], part, compounds), part)
    return "".join(parts)


def _hyphen(above: str, below: str, compounds: frozenset[str]) -> str:
    """The hyphen between two halves of a word: none, unless the document writes the compound elsewhere, or it is a
    path's or a machine's name."""
    left, right = _LAST_WORD.search(above[-_LONGEST_WORD:]), _FIRST_WORD.match(below[:_LONGEST_WORD])
    if not left or not right or not left[0] or not right[0][:1].islower():
        return "-"
    if _is_for_a_machine(above[-_LONGEST_WORD:].rpartition(" ")[2]):
        return "-"
    return "-" if f"{left[0]}-{right[0]}" in compounds else ""


def _is_for_a_machine(word: str) -> bool:
    return word.lstrip("([<«“\"'").startswith(_PATH_BEGINS) or any(sign in word for sign in _OF_A_MACHINE)


def _unhyphenate(parts: list[str], following: str, compounds: frozenset[str]) -> int:
    """Remove the hyphen that ends the last part if it only broke a word; returns how many characters went."""
    if _hyphen(parts[-1][:-1], following, compounds):
        return 0
    parts[-1] = parts[-1][:-1]
    return 1


def _widths(pages: Sequence[list[str]]) -> list[int]:
    """Per page, the length of a line that reaches the margin: the 90th percentile of its lines."""
    usual = _ninth_decile([len(line) for page in pages for line in page]) or USUAL_WIDTH
    widths = [max(_ninth_decile([len(line) for line in page]), usual // 2) for page in pages]
    return [width if len(page) >= FEW_LINES else usual for width, page in zip(widths, pages, strict=True)]


def _ninth_decile(lengths: list[int]) -> int:
    return sorted(lengths)[int(len(lengths) * 0.9)] if lengths else 0


def _separator(previous: Line | None, line: Line, widths: Sequence[int], bullet: str) -> str:
    """What stands between two lines; "-" asks to join the two halves of a hyphenated word."""
    if previous is None:
        return ""
    if (previous.heading and not previous.named) or line.heading or line.after_gap:
        return "\n\n"
    if previous.is_furniture or line.is_furniture:
        return "\n" if previous.is_furniture and line.is_furniture else "\n\n"
    if previous.text.endswith(" |") and line.text.startswith("| "):
        return "\n"  # a table goes on over the page
    filled = len(previous.text) / widths[previous.page]
    if _word_goes_on(previous.text, line.text) and filled >= HALF:
        return "-"
    is_item = bullet and line.text.startswith(bullet)
    if not is_item and _sentence_goes_on(previous.text, line.text, filled):
        return " "
    return "\n" if previous.page == line.page else "\n\n"


def _word_goes_on(above: str, below: str) -> bool:
    return above.endswith("-") and above[-2:-1].isalpha() and below[:1].islower()


def _sentence_goes_on(above: str, below: str, filled: float) -> bool:
    if _ENDS_HERE.search(above[-_LONGEST_WORD:]) or _LIST_ITEM.match(below):
        return False
    if below.isupper() and not above.isupper():
        return False
    first = below[0]
    if first.islower():
        return filled >= HALF
    return filled >= FILLED and (first.isalnum() or first in _CONTINUES_WITH)


def _page_spans(starts: list[int], length: int) -> tuple[PageSpan, ...]:
    """Spans that tile the text; a page without text starts and ends where the next one starts."""
    bounds = [*starts, length]
    for index in range(len(starts) - 1, -1, -1):
        if bounds[index] < 0:
            bounds[index] = bounds[index + 1]
    if bounds:
        bounds[0] = 0
    return tuple(PageSpan(number, *span) for number, span in enumerate(pairwise(bounds), start=1))
