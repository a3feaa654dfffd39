"""A DOCX's text, in which every sign is meant, as something to read: its tables set as such, its pictures where they
stand. Pure; every piece is a slice of the text, as in `corpora.reader.markdown_blocks`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from corpora.reader.markdown_blocks import grid_of
from corpora.reader.reading import Block, HeadingRow, Picture, ReadingPart, Span, block_of, block_spans, heading_edges


def word_blocks(
    text: str,
    section: ReadingPart,
    headings: Sequence[HeadingRow],
    passage: Span | None,
    quote: Span | None = None,
    pictures: Sequence[Picture] = (),
) -> list[Block]:
    """The section's blocks in order; a picture below the block in which it stands, or in front of all."""
    levels = {start: level for level, _title, start, _end in headings}
    waiting = [one for one in pictures if section.start < one.at <= section.end or one.at == section.start == 0]
    found: list[Block] = []
    for span in block_spans(text, section, heading_edges(headings) | {one.at for one in waiting}):
        found += _taken(waiting, span[0])
        block = block_of(text, span, levels.get(span[0], 0), passage, quote)
        if block.kind == "table" and _is_grid(text[span[0] : span[1]]):
            block = replace(grid_of(text, span, passage, quote), opens_passage=block.opens_passage)
        found.append(block)
    return [*found, *_taken(waiting, section.end)]


def _taken(waiting: list[Picture], until: int) -> Iterator[Block]:
    due = list(takewhile(lambda one: one.at <= until, waiting))
    del waiting[: len(due)]
    return (Block("picture", 0, one.at, (), picture=one) for one in due)


def _is_grid(content: str) -> bool:
    return all(line.startswith("|") and line.endswith("|") for line in content.split("\n"))
