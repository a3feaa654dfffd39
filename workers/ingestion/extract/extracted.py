"""What extraction yields: one canonical text, its pages and headings as character offsets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from corpora.metadata.names import FREE_FIELD, METADATA_FIELDS

MAX_PAGES = 5_000  # RELIABILITY R13
MAX_LABEL = 20  # characters of a printed page number
MAX_HEADINGS = 50_000  # further ones stay text
MOST_FURNITURE = 0.5  # of a text: a document that is little else is meant to be found by it
MOST_BETWEEN = 2  # characters of white space within one piece of furniture
MAX_SAID = 300  # characters that are said of a picture
MAX_VALUE, MAX_VALUES = 255, 20  # of what a document declares: characters of a text, words of a list
DECLARABLE = frozenset((*METADATA_FIELDS, FREE_FIELD, "date"))
LISTED = frozenset(("tags", FREE_FIELD))  # several words: "name=value" each of the latter

Declared = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageSpan:
    """Page `number` (from 1) is text[start:end]. Spans tile the text; a blank page is empty.

    `label` is what is printed on it, as the file says ("xii", "A-3"); empty where that is its number or is not said.
    """

    number: int
    start: int
    end: int
    label: str = ""

    @property
    def row(self) -> list[int | str]:
        """As `DocumentText.pages` keeps it."""
        return [self.number, self.start, self.end, *([self.label] if self.label else [])]


@dataclass(frozen=True, slots=True)
class HeadingSpan:
    """The heading's line is text[start:end]; `title` is it without marks; `level` is 1 (highest) to 9."""

    level: int
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PictureSpot:
    """Picture `number` (from 1) of the document stands behind character `at`; `width` and `height` are its pixels,
    `said` what its author says of it and the text does not."""

    at: int
    number: int
    width: int
    height: int
    said: str = ""

    @property
    def row(self) -> list[int | str]:
        """As `DocumentText.pictures` keeps it."""
        return [self.at, self.number, self.width, self.height, self.said]


Span = tuple[int, int]


def furniture_of(spans: Sequence[Span], length: int) -> tuple[Span, ...]:
    """Rising spans, those that only white space parts made one; none where they are most of a text of `length`."""
    united: list[Span] = []
    for start, end in spans:
        near = united and start - united[-1][1] <= MOST_BETWEEN
        united[-1:] = [(united[-1][0], end)] if near else [*united[-1:], (start, end)]
    return tuple(united) if sum(end - start for start, end in united) <= MOST_FURNITURE * length else ()


@dataclass(frozen=True, slots=True)
class Extracted:
    """A document as text: NFC, lines end in LF, no control characters.

    Offsets count code points. `pages` is empty and `page_count` 0 for formats without pages (DOCX, Markdown,
    plain text). `headings` are in order and never overlap. `title` is empty when the document declares none.
    `furniture` are spans of tables of contents and the like, in order and apart from headings: read, not retrieved.
    `pictures` are those that can be shown, in order: JPEG and PNG inside of the file.
    `metadata` is what else it declares, by DECLARABLE name: a stranger's words, to be checked before they are used.
    """

    text: str
    pages: tuple[PageSpan, ...] = ()
    headings: tuple[HeadingSpan, ...] = ()
    title: str = ""
    page_count: int = 0
    metadata: Mapping[str, Declared] = field(default_factory=dict)
    furniture: tuple[Span, ...] = ()
    pictures: tuple[PictureSpot, ...] = ()
