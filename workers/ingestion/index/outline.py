"""A document's headings and captions as rows: what a question that names a place is answered from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpora.models import Document, Section
from retrieval.text.passages import page_at
from retrieval.text.references import HEADING, heading_key, heading_words, place_key, provision_key
from workers.ingestion.extract.extracted import Extracted
from workers.ingestion.extract.outline.captions import Caption, captions_of

LONGEST_TITLE = 500
WITHOUT_WORDS = ("articulo:", "disposicion")  # asked for by number: their titles would double a statute's rows
SHORTENED = "…"  # behind the first words of a clause, which are no title


@dataclass(frozen=True, slots=True)
class _Row:
    """A section by one of its names; `level` from 1, characters into the text."""

    key: str
    title: str
    level: int
    start: int
    end: int


def sections_of(document: Document, version: int, extracted: Extracted) -> Iterator[Section]:
    """Rows, not saved yet: of each heading, from it to the next one of its level or above; then of those that have a
    number their words as well, and the captions of tables and figures."""
    pages = [(page.number, page.start) for page in extracted.pages]
    ends = _ends(extracted)
    for index, row in enumerate(_rows(extracted, ends)):
        yield Section(
            document=document,
            version=version,
            index=index,
            level=row.level,
            title=row.title[:LONGEST_TITLE],
            key=row.key,
            start=row.start,
            end=row.end,
            page_start=page_at(pages, row.start),
            page_end=page_at(pages, max(row.start, row.end - 1)),
        )


def _ends(extracted: Extracted) -> list[int]:
    headings = extracted.headings
    ends = [len(extracted.text)] * len(headings)
    open_ones: list[int] = []
    for index, heading in enumerate(headings):
        while open_ones and headings[open_ones[-1]].level >= heading.level:
            ends[open_ones.pop()] = heading.start
        open_ones.append(index)
    return ends


def _rows(extracted: Extracted, ends: Sequence[int]) -> Iterator[_Row]:
    doubled: list[_Row] = []
    group = ""
    for heading, end in zip(extracted.headings, ends, strict=True):
        key, name = provision_key(group, heading.title), heading_words(heading.title)
        if not key:
            key, group = heading_key(heading.title), heading.title
        by_words = place_key(HEADING, name) if name else ""
        yield _Row(key or by_words, heading.title, heading.level, heading.start, end)
        if key and by_words and not key.startswith(WITHOUT_WORDS) and not heading.title.endswith(SHORTENED):
            doubled.append(_Row(by_words, heading.title, heading.level, heading.start, end))
    yield from doubled
    yield from map(_of_caption, captions_of(extracted))


def _of_caption(caption: Caption) -> _Row:
    return _Row(place_key(caption.kind, caption.number), caption.title, caption.level, caption.start, caption.end)
