"""Chunking: canonical text to passages of a granularity, cut where a reader would cut.

Headings first (`sections`), then paragraphs, lines, sentences, words (`segments`); code by its language (`code`). Our
own splitter for what has a structure, and not langchain's RecursiveCharacterTextSplitter. Measured on 2.8 Mchar of PDF,
DOCX and Markdown with the same exact counts: with overlap and stripped, its `start_index` was missing or wrong for 242
of 1,101 passages (it searches for the text again and takes the overlap for characters), so that 22 % of the characters
were in no passage; it knows no headings; it is slower (4.9 Mchar/s against 6 to 6.7).
Source: SPEC §3 (Chunk).
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from retrieval.places.lines import COLUMNS
from retrieval.text.passages import PassagePart, common_path, page_at
from workers.ingestion.chunk.sections import groups, headed_sections, heading_paths, spans_apart
from workers.ingestion.chunk.segments import (
    AFTER_CHARACTER,
    AFTER_HEADING,
    AFTER_LINE,
    AFTER_PARAGRAPH,
    AFTER_ROW,
    AFTER_SENTENCE,
    AFTER_WORD,
    Segments,
    segment_text,
    table_spans,
)
from workers.ingestion.chunk.tokens import token_counter
from workers.ingestion.extract.extracted import Extracted, Span

MIN_GRANULARITY = 32
OVERLAP = {256: 32, 512: 64, 800: 100, 1024: 128}  # tokens, by granularity
LONGEST_COLUMNS = 200  # characters of a table's first row that a further passage of it is found with
_LEAST_FILLED = 0.5
_HEADING_MARGIN = 8  # tokens: a heading counted with the white space below it may differ by some
# What an end is worth, in shares of the granularity: a chunk gives up 30 % of its size to end with a
# paragraph instead of a sentence, and all it may to not end below a heading.
_WORTH = {
    AFTER_HEADING: -1.0,
    AFTER_CHARACTER: -0.5,
    AFTER_WORD: 0.0,
    AFTER_ROW: 0.05,
    AFTER_SENTENCE: 0.2,
    AFTER_LINE: 0.4,
    AFTER_PARAGRAPH: 0.5,
}


class Cut(NamedTuple):
    """A passage is text[start:end], without white space around it."""

    start: int
    end: int
    token_count: int


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A passage: `text` is extracted.text[start:end]; pages count from 1 and are None without pages.

    `index` counts the passages of one granularity. `heading_path` is that of its section; of a passage of several,
    which are its `parts`, what their paths have in common. A passage that begins within a table has the names of its
    columns as the last of them: its rows stay rows of something.
    """

    granularity: int
    index: int
    text: str
    token_count: int
    start: int
    end: int
    page_start: int | None
    page_end: int | None
    heading_path: tuple[str, ...]
    parts: tuple[PassagePart, ...] = ()


def cut_chunks(extracted: Extracted, granularity: int, overlap: int) -> Iterator[ChunkDraft]:
    """The passages that `cut_text` makes, each with its pages and headings."""
    return drafts_of(extracted, granularity, cut_text(extracted, granularity, overlap))


def cut_text(extracted: Extracted, granularity: int, overlap: int) -> Iterator[Cut]:
    """Passages of at most `granularity` tokens, each repeating up to `overlap` tokens of the one before.

    Every character that is not white space is in a passage. Starts and ends rise. Passages of different sections do
    not overlap. Deterministic. Raises ValueError for a granularity below 32 or an overlap over half of it.
    """
    if granularity < MIN_GRANULARITY or not 0 <= overlap <= granularity // 2:
        raise ValueError(f"granularity {granularity} with overlap {overlap}")
    return _Chunker(extracted, granularity, overlap).cuts()


def drafts_of(extracted: Extracted, granularity: int, cuts: Iterable[Cut]) -> Iterator[ChunkDraft]:
    """What stands at the cuts: everything else about a passage follows from where it is."""
    pages = [(page.number, page.start) for page in extracted.pages]
    paths, starts = heading_paths(extracted.headings), [heading.start for heading in extracted.headings]
    tables = table_spans(extracted.text)
    for index, (start, end, tokens) in enumerate(cuts):
        first, last = bisect_right(starts, start) - 1, bisect_left(starts, end)
        edges = [start, *starts[first + 1 : last], end]
        headed = [paths[above] if above >= 0 else () for above in range(first, last)]
        parts = [
            PassagePart(begin, stop, page_at(pages, begin), page_at(pages, stop - 1), path)
            for (begin, stop), path in zip(pairwise(edges), headed, strict=True)
        ]
        yield ChunkDraft(
            granularity=granularity,
            index=index,
            text=extracted.text[start:end],
            token_count=tokens,
            start=start,
            end=end,
            page_start=parts[0].page,
            page_end=parts[-1].page_end,
            heading_path=(*common_path(headed), *_columns_above(extracted.text, start, tables)),
            parts=tuple(parts) if len(parts) > 1 else (),
        )


def _columns_above(text: str, start: int, tables: Sequence[Span]) -> tuple[str, ...]:
    """The first row of the table in which a passage begins, unless it begins with it."""
    place = bisect_right(tables, (start, len(text))) - 1
    if place < 0 or not tables[place][0] < start < tables[place][1]:
        return ()
    header = text[tables[place][0] : text.find("\n", *tables[place])]
    if not text[tables[place][0] : start].strip():
        return ()
    cells = [cell.strip() for cell in header.strip().strip("|").split("|")]
    return (COLUMNS.join(cell for cell in cells if cell)[:LONGEST_COLUMNS],)


class _Chunker:
    def __init__(self, extracted: Extracted, granularity: int, overlap: int) -> None:
        self._text = extracted.text
        self._granularity, self._overlap = granularity, overlap
        self._count: Callable[[str], int] = token_counter()
        # A longer sentence is cut at words: an overlap must find a place to begin.
        limit = max(overlap, MIN_GRANULARITY // 2)
        heading_limit = granularity - _HEADING_MARGIN
        self._segments: Segments = segment_text(self._text, spans_apart(extracted), limit, heading_limit)
        self._sections = headed_sections(self._segments, extracted)

    def cuts(self) -> Iterator[Cut]:
        for first, last in groups(self._sections, self._granularity):
            covered = 0
            for cut in self._windows(first, last):
                if cut.end > covered:  # else only white space was new
                    yield cut
                    covered = cut.end

    def _windows(self, first: int, last: int) -> Iterator[Cut]:
        """The passages of segments first:last."""
        start, done = first, first
        while done < last:
            room = self._granularity
            end = self._best_end(start, done, last, room)
            cut = self._measure(start, end)
            while cut.token_count > self._granularity:  # the parts counted alone were less than the whole
                if end - 1 > done:
                    room -= cut.token_count - self._granularity
                    end = min(self._best_end(start, done, last, room), end - 1)
                else:
                    start += 1
                cut = self._measure(start, end)
            if cut.end > cut.start:
                yield cut
            start, done = self._overlap_start(start, end), end

    def _best_end(self, start: int, done: int, last: int, room: int) -> int:
        """The segment to end before: as far as `room` tokens reach, or earlier at a better place."""
        before, breaks = self._segments.before, self._segments.breaks
        furthest = min(bisect_right(before, before[start] + room) - 1, last)
        if furthest == last:
            return last
        best, best_worth = max(furthest, done + 1), -2.0
        for end in range(furthest, done, -1):
            filled = (before[end] - before[start]) / self._granularity
            if filled < _LEAST_FILLED:
                break
            worth = filled + _WORTH[breaks[end - 1]]
            if worth > best_worth:
                best, best_worth = end, worth
        return best

    def _overlap_start(self, start: int, end: int) -> int:
        """Where the next passage begins: a sentence, else a word, at most `overlap` tokens back; never inside code or a
        table, which nobody would read from its middle."""
        before, breaks = self._segments.before, self._segments.breaks
        earliest = end
        while earliest - 1 > start and before[end] - before[earliest - 1] <= self._overlap:
            earliest -= 1
        for least in (AFTER_SENTENCE, AFTER_WORD):
            for candidate in range(earliest, end):
                if breaks[candidate - 1] >= least and breaks[candidate - 1] != AFTER_ROW:
                    return candidate
        return end

    def _measure(self, first: int, last: int) -> Cut:
        """Segments first:last without the white space around them."""
        start, end = self._segments.begin(first), self._segments.ends[last - 1]
        piece = self._text[start:end]
        start += len(piece) - len(piece.lstrip())
        piece = piece.strip()
        return Cut(start, start + len(piece), self._count(piece))
