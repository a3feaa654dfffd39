"""Text to segments: the smallest pieces that chunking keeps whole, each with its tokens and how well it ends.

Segments tile the text. A segment is a heading, a sentence or a line; a long one is cut at words, a word at
characters.
"""

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from workers.ingestion.chunk.code import code_ends
from workers.ingestion.chunk.tokens import token_counter
from workers.ingestion.extract.extracted import Span

# How good it is to end a chunk after a segment, best last.
AFTER_HEADING, AFTER_CHARACTER, AFTER_WORD, AFTER_ROW, AFTER_SENTENCE, AFTER_LINE, AFTER_PARAGRAPH = range(7)

_END = re.compile(
    r"(?P<paragraph>\n[ \t]*\n\s*)|(?P<line>\n[ \t]*)"
    # A sentence ends where a capital or a digit follows, but not after initials and abbreviations.
    r"|(?<=[.!?…])(?<!\b[A-ZÁÉÍÓÚÑ]\.)(?<!\b(?:Sr|Dr|Mr|St|ed)\.)(?<!\b(?:art|Art|núm|Sra|Dra|Mrs|vol|fig|Fig)\.)"
    r"[»”\"')\]]*[ \t]+(?=[¿¡«“\"'(\[]*[A-ZÁÉÍÓÚÑÜ\d])"
)
_ENDINGS = {"paragraph": AFTER_PARAGRAPH, "line": AFTER_LINE, None: AFTER_SENTENCE}
_FENCE = re.compile(r"^[ \t>]*(?P<mark>`{3}|~{3})", re.MULTILINE)
_LANGUAGE = re.compile(r"[ \t>]{0,20}[`~]{3,20} ?\{?\.?([\w+#]{1,20})")
_LONGEST_OPENING = 80  # characters of the line that opens a listing
_FEWEST_OF_A_TOKEN = 2  # characters: a listing of less is no longer than a passage
_NOT_WORTH_COUNTING = 16  # characters a token: a longer text is over the limit anyway


@dataclass(slots=True)
class Segments:
    """Columns: `ends` as offsets, `tokens`, `breaks` (AFTER_…), `before`: sum of the tokens before each."""

    ends: "array[int]" = field(default_factory=lambda: array("q"))
    tokens: "array[int]" = field(default_factory=lambda: array("q"))
    breaks: bytearray = field(default_factory=bytearray)
    before: Sequence[int] = (0,)

    def __len__(self) -> int:
        return len(self.ends)

    def begin(self, index: int) -> int:
        """The offset where segment `index` begins."""
        return self.ends[index - 1] if index else 0

    def add(self, end: int, tokens: int, ending: int) -> None:
        """Append the segment from the last end to `end`; text offsets must rise."""
        self.ends.append(end)
        self.tokens.append(tokens)
        self.breaks.append(ending)


def segment_text(text: str, headings: Sequence[Span], limit: int, heading_limit: int) -> Segments:
    """All segments of `text`, of at most `limit` tokens; headings, and what stands apart like them, of at most
    `heading_limit`."""
    segments = Segments()
    whole = iter(whole_spans(text))
    first, last = next(whole, (len(text), len(text)))
    constructs = _construct_ends(text, heading_limit)
    for start, end, ending in _pieces(text, headings):
        while last <= start:
            first, last = next(whole, (len(text) + 1, len(text) + 1))
        if first < end < last and ending != AFTER_HEADING:
            ending = AFTER_PARAGRAPH if end in constructs else AFTER_ROW
        _add_halves(segments, text, start, end, ending, heading_limit if ending == AFTER_HEADING else limit)
    segments.before = array("q", accumulate(segments.tokens, initial=0))
    return segments


def whole_spans(text: str) -> list[Span]:
    """Code in fences and tables of `|` rows, in order: what is cut inside only where it is longer than a passage."""
    return sorted([*_fenced(text), *table_spans(text)])


def table_spans(text: str) -> list[Span]:
    """Each run of two `|` rows or more, to the end of its last line."""
    found: list[tuple[int, int, int]] = []  # start, end, rows
    bar = text.find("|")
    while bar >= 0:
        start, below = text.rfind("\n", 0, bar) + 1, text.find("\n", bar)
        end = below + 1 if below >= 0 else len(text)
        if not text[start:bar].strip(" \t"):
            above = found.pop() if found and found[-1][1] == start else (start, start, 0)
            found.append((above[0], end, above[2] + 1))
        bar = text.find("|", end)
    return [(start, end) for start, end, rows in found if rows > 1]


def _fenced(text: str) -> Iterator[Span]:
    opened, mark = -1, ""
    for fence in _FENCE.finditer(text) if "```" in text or "~~~" in text else ():
        if opened < 0:
            opened, mark = fence.start(), fence["mark"]
        elif fence["mark"] == mark:
            below = text.find("\n", fence.end())
            yield opened, below + 1 if below >= 0 else len(text)
            opened = -1


def _construct_ends(text: str, limit: int) -> frozenset[int]:
    """Where a class or a function begins in listings that are longer than `limit` tokens and have to be cut."""
    ends: set[int] = set()
    for start, end in _fenced(text):
        if end - start > limit * _FEWEST_OF_A_TOKEN:
            first = text.find("\n", start) + 1
            language = _LANGUAGE.match(text[start : min(first, start + _LONGEST_OPENING)])
            ends.update(first + one for one in code_ends(text[first:end], language[1] if language else ""))
    return frozenset(ends)


def _pieces(text: str, headings: Sequence[Span]) -> Iterator[tuple[int, int, int]]:
    """(start, end, ending) of headings with the white space below them, and of the sentences between."""
    position = 0
    for start, end in headings:
        yield from _sentences(text, position, start)
        position = end
        while position < len(text) and text[position].isspace():
            position += 1
        yield start, position, AFTER_HEADING
    yield from _sentences(text, position, len(text))


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    for match in _END.finditer(text, start, end):
        if match.end() > start:
            yield start, match.end(), _ENDINGS[match.lastgroup]
            start = match.end()
    if start < end:
        yield start, end, AFTER_PARAGRAPH


def _add_halves(segments: Segments, text: str, start: int, end: int, ending: int, limit: int) -> None:
    """A piece over the limit is halved at a space near its middle until the parts fit (logarithmic depth)."""
    if tokens := _tokens_within(text[start:end], limit):
        segments.add(end, tokens, ending)
        return
    middle, quarter = (start + end) // 2, (end - start) // 4
    left = text.rfind(" ", middle - quarter, middle) + 1
    right = text.find(" ", middle, middle + quarter) + 1
    cut = min((place for place in (left, right) if place), key=lambda place: abs(place - middle), default=middle)
    _add_halves(segments, text, start, cut, AFTER_WORD if left or right else AFTER_CHARACTER, limit)
    _add_halves(segments, text, cut, end, ending, limit)


def _tokens_within(piece: str, limit: int) -> int:
    """The tokens of a piece, 0 if they are more than `limit`; one character always fits."""
    if len(piece) > max(limit * _NOT_WORTH_COUNTING, 1) or len(piece.split()) > max(limit, 1):  # a word is a token
        return 0
    # A space belongs to the token of the word after it, in the next segment.
    tokens = max(token_counter()(piece.rstrip(" ")), 1)
    return tokens if tokens <= limit or len(piece) == 1 else 0
