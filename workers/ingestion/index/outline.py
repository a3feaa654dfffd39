"""A document's headings as rows: what a question that names a place is answered from."""

from collections.abc import Iterator

from corpora.models import Document, Section
from retrieval.text.passages import page_at
from retrieval.text.references import heading_key
from workers.ingestion.extract.extracted import Extracted

LONGEST_TITLE = 500


def sections_of(document: Document, version: int, extracted: Extracted) -> Iterator[Section]:
    """One row for each heading, not saved yet: from the heading to the next one of its level or above."""
    headings = extracted.headings
    pages = [(page.number, page.start) for page in extracted.pages]
    ends = [len(extracted.text)] * len(headings)
    open_ones: list[int] = []
    for index, heading in enumerate(headings):
        while open_ones and headings[open_ones[-1]].level >= heading.level:
            ends[open_ones.pop()] = heading.start
        open_ones.append(index)
    for index, (heading, end) in enumerate(zip(headings, ends, strict=True)):
        yield Section(
            document=document,
            version=version,
            index=index,
            level=heading.level,
            title=heading.title[:LONGEST_TITLE],
            key=heading_key(heading.title),
            start=heading.start,
            end=end,
            page_start=page_at(pages, heading.start),
            page_end=page_at(pages, max(heading.start, end - 1)),
        )
