"""Markdown, whose text is its source, as something to read: its signs go, its blocks are set as what they are.

Pure, line by line. Every piece is a slice of the text, so that a passage and the sentence cited of it keep their marks.
What is read as it stands: what is nested, and signs that are no Markdown.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from corpora.reader.reading import Block, HeadingRow, Picture, Piece, ReadingPart, Span, pieces, split_emphasis

_FENCE = re.compile(r"[ \t]{0,9}(`{3}|~{3})")
_RULE = re.compile(r"[ \t]{0,3}([-*_])(?:[ \t]{0,9}\1){2,99}[ \t]*\Z")
_COLUMNS = re.compile(r"[ \t]{0,9}\|[|:\s-]{0,999}\Z")
_BAR = re.compile(r"(?<!\\)\|")
_ROW = re.compile(r"[ \t]{0,9}\|")
_BULLET = re.compile(r"[ \t]{0,9}([-*+])[ \t]+")
_NUMBER = re.compile(r"[ \t]{0,9}\d{1,3}[.)][ \t]")
_QUOTE = re.compile(r"[ \t]{0,3}>[ \t]?")
_HASHES = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+")
_TAGS = "a|b|br|code|details|div|em|figure|hr|i|img|kbd|li|ol|p|small|span|strong|sub|summary|sup|table|td|th|tr|u|ul"
# Not read: tags, comments, and what makes a link or a picture of words.
_SIGNS = re.compile(
    rf"</?(?i:{_TAGS})\b[^<>\n]{{0,400}}>|<!--[^\n]{{0,400}}?-->|!?\[(?=[^\[\]\n]{{0,300}}\]\()|\]\([^)\n]{{0,400}}\)"
)
BULLET = Piece("• ", is_marked=False)
# What a Markdown text calls a picture that its file carries (`workers.ingestion.pictures.embedded`).
PICTURE = re.compile(r"!\[(?P<said>[^\]\n]{0,300})\]\(#picture-(?P<number>[1-9]\d{0,2})\)")


def markdown_blocks(
    text: str,
    section: ReadingPart,
    headings: Sequence[HeadingRow],
    passage: Span | None,
    quote: Span | None = None,
    pictures: Sequence[Picture] = (),
) -> list[Block]:
    """The section's blocks in order, as `reading.blocks` gives those of other formats; its code in blocks of kind
    "code", its tables of kind "grid", its pictures of kind "picture", each below the block in which it stands."""
    read = _Reader(text, {start: level for level, _, start, _ in headings}, passage, quote)
    read.pictures = {one.at: one for one in pictures}
    read.fence = _open_fence(text, section.start)
    for start, end in _lines(text, section.start, section.end):
        read.line(start, end)
    read.finish()
    return _with_opening(read.blocks, section, quote or passage)


def grid_of(text: str, span: Span, passage: Span | None, quote: Span | None) -> Block:
    """Rows between bars, in whose cells every sign is meant."""
    read = _Reader(text, {}, passage, quote)
    read.is_source = False
    for start, end in _lines(text, *span):
        content = text[start:end].rstrip("\n")
        if not _COLUMNS.match(content):
            read.row(start, content)
    read.finish()
    (block,) = read.blocks
    return block


class _Reader:
    """Lines to blocks: one is open until a line that is of another kind. `is_source`: of Markdown, whose signs go."""

    def __init__(self, text: str, levels: dict[int, int], passage: Span | None, quote: Span | None) -> None:
        self.blocks: list[Block] = []
        self.fence, self.is_source = "", True
        self._text, self._levels, self._passage, self._quote = text, levels, passage, quote
        self._kind, self._at = "", 0
        self._pieces: list[Piece] = []
        self._rows: list[tuple[int, ...]] = []
        self.pictures: dict[int, Picture] = {}  # that may be met, by where they stand
        self._below: list[Block] = []  # pictures of the block that is open

    def line(self, start: int, end: int) -> None:
        content = self._text[start:end].rstrip("\n")
        fence = _FENCE.match(content)
        if self.fence:
            if fence and fence[1] == self.fence:
                self.finish()
                self.fence = ""
            else:
                self._add("code", start, self._cut(start, end))
        elif fence:
            self.finish()
            self.fence = fence[1]
        elif start in self._levels:
            self._heading(start, end, content)
        elif not content.strip() or _RULE.match(content):
            self.finish()
        else:
            self._text_line(start, end, content)

    def _heading(self, start: int, end: int, content: str) -> None:
        self.finish()
        hashes = _HASHES.match(content)
        shown = self._read(start + hashes.end() if hashes else start, end)
        self.blocks.append(Block("heading", self._levels[start], start, tuple(shown)))

    def _text_line(self, start: int, end: int, content: str) -> None:
        if _ROW.match(content):
            if not _COLUMNS.match(content):
                self.row(start, content)
        elif bullet := _BULLET.match(content):
            self._add("lines", start, [BULLET, *self._read(start + bullet.end(), end)])
        elif _NUMBER.match(content):
            self._add("lines", start, self._read(start, end))
        elif quote := _QUOTE.match(content):
            self._add("quote", start, self._read(start + quote.end(), end))
        else:
            goes_on = self._kind in ("lines", "quote")
            self._add(self._kind if goes_on else "paragraph", start, self._read(start, end))

    def row(self, start: int, content: str) -> None:
        cells, position = [], start + content.index("|") + 1
        shown: list[Piece] = []
        for cell in _BAR.split(content.strip().removeprefix("|").removesuffix("|")):
            inside = self._read(position, position + len(cell))
            cells.append(len(inside))
            shown += inside
            position += len(cell) + 1
        self._add("grid", start, shown)
        self._rows.append(tuple(cells))

    def _add(self, kind: str, start: int, shown: Sequence[Piece]) -> None:
        if kind != self._kind:
            self.finish()
            self._kind, self._at = kind, start
        self._pieces += shown

    def finish(self) -> None:
        """Close the block that is open, if there is one with anything to read."""
        if any(piece.text.strip() for piece in self._pieces):
            self.blocks.append(Block(self._kind, 0, self._at, tuple(self._pieces), rows=tuple(self._rows)))
        self.blocks += self._below
        self._kind, self._pieces, self._rows, self._below = "", [], [], []

    def _read(self, start: int, end: int) -> list[Piece]:
        """Without its signs, with its emphasis."""
        if not self.is_source:
            return self._cut(start, end)
        shown, position = [], start
        for sign in _SIGNS.finditer(self._text, start, end):
            if sign.start() < position:  # within what is said of a picture
                continue
            if carried := self.pictures.get(sign.start()) and PICTURE.match(self._text, sign.start(), end):
                shown += self._cut(position, sign.start())
                position = carried.end()
                self._picture(carried)
                continue
            shown += self._cut(position, sign.start())
            position = sign.end()
        return [part for piece in [*shown, *self._cut(position, end)] for part in split_emphasis(piece)]

    def _picture(self, carried: re.Match[str]) -> None:
        said = tuple(self._cut(*carried.span("said")))
        at = carried.start()
        self._below.append(Block("picture", 0, at, said, picture=self.pictures[at]))

    def _cut(self, start: int, end: int) -> list[Piece]:
        return list(pieces(self._text, start, end, self._passage, self._quote)) if start < end else []


def _open_fence(text: str, end: int) -> str:
    """The fence in which a section begins, "" outside of any."""
    opened = ""
    for start, stop in _lines(text, 0, end):
        if fence := _FENCE.match(text, start, stop):
            opened = ("" if fence[1] == opened else opened) if opened else fence[1]
    return opened


def _lines(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end:
        stop = text.find("\n", start, end) + 1 or end
        yield start, stop
        start = stop


def _with_opening(found: list[Block], section: ReadingPart, passage: Span | None) -> list[Block]:
    """The passage opens in the first block that is marked of it, in the section where it begins."""
    if passage is None or passage[0] < section.start:
        return found
    marked = (n for n, one in enumerate(found) if any(p.is_marked and not p.is_faint for p in one.pieces))
    first = next(marked, -1)
    return [replace(one, opens_passage=n == first) for n, one in enumerate(found)]
