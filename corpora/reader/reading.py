"""A document's text as something to read: cut into sections, a section into blocks, a block around a passage.

Pure: offsets are characters into DocumentText.text, as pages, headings and chunks have them.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any, NamedTuple

SECTION_CHARACTERS = 6_000
_PARAGRAPHS = re.compile(r"\n[ \t]*\n+")
_FENCE = re.compile(r"^[ \t]*(```|~~~)", re.MULTILINE)
_TABLE_ROW = re.compile(r"^[^\S\n]*\|.*\||\t", re.MULTILINE)
_LIST_ITEM = re.compile(r"^[^\S\n]*([-*+•]|\d+[.)])\s", re.MULTILINE)
_HASHES = re.compile(r"^#{1,6}\s+")

_EMPHASIS = re.compile(r"(?<![\w*])(\*\*|\*|`)(?=\S)([^*`]+?)(?<=\S)\1(?![\w*])")
_TAGS = {"**": "strong", "*": "em", "`": "code"}

Span = tuple[int, int]  # characters [start, end)
PageRow = Sequence[Any]  # number, start, end and, where another number is printed, its label
HeadingRow = tuple[int, str, int, int]  # level, title, start, end


@dataclass(frozen=True, slots=True)
class ReadingPart:
    """What is shown in one piece: a page, a chapter, or a part of a long one.

    `label`: what is printed on the page, where that is not its number.
    """

    index: int
    start: int
    end: int
    page: int | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class Piece:
    """Text that is set in one way: in the passage or not; `tag` is "strong", "em", "code" or empty. `is_faint`: in the
    passage, but not in the sentence of it that is cited."""

    text: str
    is_marked: bool
    tag: str = ""
    is_faint: bool = False


class Picture(NamedTuple):
    """A row of `DocumentText.pictures`: picture `number` stands behind character `at`."""

    at: int
    number: int
    width: int
    height: int
    said: str


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, paragraph or preformatted block at a character; `pieces` are its text, each marked or not.

    `rows`: of a grid, how many of them each cell of each row has. Of a picture the pieces are what is said below it.
    """

    kind: str  # "heading", "paragraph", "lines", "table", and of Markdown and DOCX "code", "quote", "grid", "picture"
    level: int
    at: int
    pieces: tuple[Piece, ...]
    opens_passage: bool = False
    rows: tuple[tuple[int, ...], ...] = ()
    picture: Picture | None = None

    @property
    def tag_level(self) -> int:
        """The HTML heading level: below the page's own h1."""
        return min(self.level + 1, 6)

    @property
    def first_marked(self) -> int:
        """The index of the piece where the passage begins, -1 when it does not begin in this block."""
        marks = [index for index, piece in enumerate(self.pieces) if piece.is_marked and not piece.is_faint]
        return marks[0] if marks and self.opens_passage else -1

    @property
    def grid(self) -> list[list[list[tuple[int, Piece]]]]:
        """Rows of cells of pieces, each with its index in `pieces`."""
        numbered = enumerate(self.pieces)
        return [[list(islice(numbered, count)) for count in cells] for cells in self.rows]

    @property
    def numbered(self) -> list[tuple[int, Piece]]:
        return list(enumerate(self.pieces))


def sections(text: str, pages: Sequence[PageRow], headings: Sequence[HeadingRow]) -> list[ReadingPart]:
    """Consecutive sections that tile the text: its pages, else its chapters, cut where they are too long."""
    if pages:
        edges = [(start, end, number, "".join(label)) for number, start, end, *label in pages]
    else:
        starts = chapter_starts(headings)
        edges = [(start, end, 0, "") for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    cut: list[ReadingPart] = []
    for first, last, number, label in edges:
        for start, end in parts(text, first, last):
            cut.append(ReadingPart(len(cut), start, end, number or None, label))
    return cut


def chapter_starts(headings: Sequence[HeadingRow]) -> list[int]:
    """Where chapters begin: at headings, but short chapters stay together."""
    starts = [0]
    for _level, _title, start, _end in headings:
        if start - starts[-1] >= SECTION_CHARACTERS // 3:
            starts.append(start)
    return starts


def parts(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut a span longer than SECTION_CHARACTERS at blank lines, line ends or spaces, whichever is near."""
    spans = []
    while end - start > SECTION_CHARACTERS * 3 // 2:
        limit = start + SECTION_CHARACTERS
        found = (text.rfind(mark, start + SECTION_CHARACTERS // 2, limit) for mark in ("\n\n", "\n", " "))
        edge = next((at + 1 for at in found if at >= 0), limit)
        spans.append((start, edge))
        start = edge
    return [*spans, (start, end)]


def section_at(cut: Sequence[ReadingPart], offset: int) -> int:
    """The index of the section that holds a character."""
    return max(bisect_right([section.start for section in cut], offset) - 1, 0)


def section_of_page(cut: Sequence[ReadingPart], page: int) -> int:
    """The first section of a page, or of the last page before it."""
    numbers = [section.page or 0 for section in cut]
    return numbers.index(page) if page in numbers else max(bisect_right(numbers, page) - 1, 0)


def blocks(
    text: str,
    section: ReadingPart,
    headings: Sequence[HeadingRow],
    passage: Span | None,
    quote: Span | None = None,
) -> list[Block]:
    """The section's blocks in order; what lies in `passage` (start, end) is marked, faintly what is not in `quote`."""
    levels = {start: level for level, _title, start, _end in headings}
    spans = block_spans(text, section, heading_edges(headings))
    return [block_of(text, span, levels.get(span[0], 0), passage, quote) for span in spans]


def heading_edges(headings: Sequence[HeadingRow]) -> set[int]:
    return {edge for _level, _title, *edges in headings for edge in edges}


def block_of(text: str, span: Span, level: int, passage: Span | None, quote: Span | None) -> Block:
    """`level`: of a heading, else 0."""
    start, end = span
    content = text[start:end]
    hashes = _HASHES.match(content) if level else None
    shown = pieces(text, start + hashes.end() if hashes else start, end, passage, quote)
    kind = "heading" if level else kind_of(content)
    return Block(kind, level, start, shown, opens_passage(text, start, end, quote or passage))


def opens_passage(text: str, start: int, end: int, passage: Span | None) -> bool:
    """Whether the passage begins in this block, or in the white space just before it."""
    return passage is not None and passage[0] < end and not text[passage[0] : start].strip()


def block_spans(text: str, section: ReadingPart, edges: set[int]) -> list[tuple[int, int]]:
    """Spans between blank lines and at headings, without white space around; code fences stay whole."""
    cuts, fences, position = [section.start], 0, section.start
    for gap in _PARAGRAPHS.finditer(text, section.start, section.end):
        fences += len(_FENCE.findall(text, position, gap.start()))
        position = gap.end()
        if fences % 2 == 0:
            cuts.append(gap.end())
    cuts = sorted({*cuts, *(edge for edge in edges if section.start < edge < section.end)})
    if section.page:
        cuts = sorted({*cuts, *paragraph_ends(text, section)})
    spans = []
    for start, end in zip(cuts, [*cuts[1:], section.end], strict=True):
        content = text[start:end]
        left = start + len(content) - len(content.lstrip("\n"))
        right = end - (len(content) - len(content.rstrip()))
        if left < right:
            spans.append((left, right))
    return spans


def paragraph_ends(text: str, section: ReadingPart) -> list[int]:
    """Where paragraphs of a page end though no blank line says so: after a short line that closes a sentence."""
    ends, at = [], section.start
    lines = text[section.start : section.end].split("\n")
    full = max(map(len, lines))
    for line in lines:
        at += len(line) + 1
        if line.rstrip().endswith((".", ":", "!", "?", "…")) and len(line) < full * 0.85:
            ends.append(at)
    return [end for end in ends if end < section.end]


def kind_of(content: str) -> str:
    """How a block is set: tables and code keep their columns, lists and verse their lines."""
    lines = content.count("\n") + 1
    if _FENCE.match(content) or len(_TABLE_ROW.findall(content)) >= max(lines // 2, 1):
        return "table"
    return "lines" if _LIST_ITEM.search(content) else "paragraph"


def pieces(text: str, start: int, end: int, passage: Span | None, quote: Span | None = None) -> tuple[Piece, ...]:
    """The span's text split where the passage, and the quote in it, begin and end."""
    edges = {edge for span in (passage, quote) if span for edge in span if start < edge < end}
    cut = pairwise((start, *sorted(edges), end))
    return tuple(_piece(text[first:last], (first, last), passage, quote) for first, last in cut)


def _piece(text: str, span: Span, passage: Span | None, quote: Span | None) -> Piece:
    is_quoted = _lies_in(span, quote)
    return Piece(text, _lies_in(span, passage) or is_quoted, is_faint=quote is not None and not is_quoted)


def _lies_in(span: Span, around: Span | None) -> bool:
    return around is not None and around[0] <= span[0] and span[1] <= around[1]


def split_emphasis(piece: Piece) -> tuple[Piece, ...]:
    """A piece of Markdown split at its **strong**, *emphasised* and `code` words; other marks stay as they are."""
    found, position = [], 0
    for match in _EMPHASIS.finditer(piece.text):
        found.append(replace(piece, text=piece.text[position : match.start()]))
        found.append(replace(piece, text=match[2], tag=_TAGS[match[1]]))
        position = match.end()
    found.append(replace(piece, text=piece.text[position:]))
    return tuple(one for one in found if one.text)
