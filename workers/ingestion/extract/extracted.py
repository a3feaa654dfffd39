"""What extraction yields: one canonical text, its pages and headings as character offsets."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from corpora.metadata.names import METADATA_FIELDS

MAX_PAGES = 5_000  # RELIABILITY R13
MAX_HEADINGS = 50_000  # further ones stay text
MAX_VALUE, MAX_VALUES = 255, 20  # of what a document declares: characters of a text, words of a list
DECLARABLE = frozenset((*METADATA_FIELDS, "date"))

Declared = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageSpan:
    """Page `number` (from 1) is text[start:end]. Spans tile the text; a blank page is empty."""

    number: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class HeadingSpan:
    """The heading's line is text[start:end]; `title` is it without marks; `level` is 1 (highest) to 9."""

    level: int
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Extracted:
    """A document as text: NFC, lines end in LF, no control characters.

    Offsets count code points. `pages` is empty and `page_count` 0 for formats without pages (DOCX, Markdown,
    plain text). `headings` are in order and never overlap. `title` is empty when the document declares none.
    `metadata` is what else it declares, by DECLARABLE name: a stranger's words, to be checked before they are used.
    """

    text: str
    pages: tuple[PageSpan, ...] = ()
    headings: tuple[HeadingSpan, ...] = ()
    title: str = ""
    page_count: int = 0
    metadata: Mapping[str, Declared] = field(default_factory=dict)
