"""What crosses the sandbox's border: a request in, and JSON out of the child, checked before it becomes a Reading.

JSON and not pickle: a child that a document has taken over can then lie about a text, and nothing more.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import orjson

from corpora.reader.printed import PageRequest, PrintedPage
from workers.ingestion.extract.extracted import (
    DECLARABLE,
    LISTED,
    MAX_HEADINGS,
    MAX_LABEL,
    MAX_PAGES,
    MAX_SAID,
    MAX_VALUE,
    MAX_VALUES,
    MOST_FURNITURE,
    Declared,
    Extracted,
    HeadingSpan,
    PageSpan,
    PictureSpot,
    Span,
)
from workers.ingestion.extract.failures import CODES, ExtractionError
from workers.ingestion.pictures.formats import LARGEST, MOST_PICTURES
from workers.ingestion.reading import Reading, ReadRequest
from workers.ingestion.sandbox.wire_pages import decode_page, decode_page_request, encode_page
from workers.ingestion.sandbox.wire_passages import decode_passages, encode_passages

MAX_REQUEST_BYTES = 4096
MAX_RESULT_BYTES = 64 * 1024 * 1024
MAX_TITLE = 500
MAX_CAUSE = 200
MAX_LEVEL = 9


_LANGUAGE = re.compile(r"([a-z]{2,3})?")


def encode_read_request(request: ReadRequest) -> bytes:
    """What the server asks. The columns that its values come from bound it; ValueError if not."""
    message = orjson.dumps(asdict(request))
    if len(message) > MAX_REQUEST_BYTES:
        raise ValueError("a title or file name of more than 255 characters")
    return message


def decode_read_request(message: bytes) -> ReadRequest | PageRequest:
    fields = orjson.loads(message)
    if page := decode_page_request(fields):
        return page
    return ReadRequest(**{**fields, "granularities": tuple(fields["granularities"])})


def encode_answer(outcome: Reading | Extracted | PrintedPage, request: ReadRequest | PageRequest) -> bytes:
    """Of the child, to what it was asked."""
    if isinstance(outcome, Reading | Extracted):
        return encode_reading(outcome, request.granularities if isinstance(request, ReadRequest) else ())
    return encode_page(outcome)


def encode_reading(outcome: Reading | Extracted, granularities: Sequence[int]) -> bytes:
    """What was read as compact JSON; without its passages, where they would not fit beside a long text.

    Raises ExtractionError when the text alone exceeds MAX_RESULT_BYTES.
    """
    if isinstance(outcome, Reading):
        passages = encode_passages(granularities, outcome.chunks, outcome.terms)
        fields = {**_text_fields(outcome.extracted), "language": outcome.language, "passages": passages}
        result = orjson.dumps(fields)
        return result if len(result) <= MAX_RESULT_BYTES else encode_reading(outcome.extracted, granularities)
    result = orjson.dumps(_text_fields(outcome))
    if len(result) > MAX_RESULT_BYTES:
        raise ExtractionError("extraction_memory", cause="more than 64 MB of text")
    return result


def _text_fields(extracted: Extracted) -> dict[str, Any]:
    return {
        "text": extracted.text,
        "pages": [(page.start, page.end) for page in extracted.pages],
        "headings": [(h.level, h.title, h.start, h.end) for h in extracted.headings],
        "title": extracted.title,
        "page_count": extracted.page_count,
        "metadata": dict(extracted.metadata),
        "furniture": extracted.furniture,
        "pictures": [one.row for one in extracted.pictures],
        "labels": [(page.number, page.label) for page in extracted.pages if page.label],
    }


def encode_error(error: ExtractionError) -> bytes:
    """An ExtractionError as JSON."""
    return orjson.dumps({"error": error.code, "cause": error.cause[:MAX_CAUSE]})


def decode_reading(result: bytes | bytearray, request: ReadRequest) -> Reading | Extracted:
    """The child's JSON, its offsets and numbers checked. Raises ExtractionError: its own, or extraction_crashed."""
    try:
        fields = orjson.loads(result)
        if "error" in fields:
            raise _failure(fields)
        extracted = _read_text(fields)
        if "passages" not in fields:
            return extracted
        chunks, terms = decode_passages(fields["passages"], extracted, request.granularities)
        return Reading(extracted, request.language or _language(fields["language"]), chunks, terms)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ExtractionError("extraction_crashed", cause="the child's answer is malformed") from error


def decode_shown(result: bytes | bytearray, request: PageRequest) -> PrintedPage:
    """As `decode_reading`, of a page."""
    try:
        if result.startswith(b'{"error"'):
            raise _failure(orjson.loads(result))
        return decode_page(result, request)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ExtractionError("extraction_crashed", cause="the child's answer is malformed") from error


def _failure(fields: dict[str, Any]) -> ExtractionError:
    code, cause = fields["error"], _string(fields["cause"], MAX_CAUSE)
    if code not in CODES:
        raise ValueError("unknown error")
    return ExtractionError(code, cause=cause)


def _read_text(fields: dict[str, Any]) -> Extracted:
    text, title = _string(fields["text"]), _string(fields["title"], MAX_TITLE)
    page_count = fields["page_count"]
    if "\0" in text or type(page_count) is not int or not 0 <= page_count <= MAX_PAGES:
        raise ValueError("bad text or page count")
    pages = _pages(fields["pages"], len(text))
    if pages and len(pages) != page_count:
        raise ValueError("pages do not match their count")
    headings, metadata = _headings(fields["headings"], len(text)), _metadata(fields["metadata"])
    furniture = _furniture(fields["furniture"], headings, len(text))
    pages, pictures = _labelled(pages, fields["labels"]), _pictures(fields["pictures"], len(text))
    return Extracted(text, pages, headings, title, page_count, metadata, furniture, pictures)


def _pages(rows: list[list[int]], length: int) -> tuple[PageSpan, ...]:
    """Spans must tile the text."""
    position = 0
    pages = []
    for number, (start, end) in enumerate(rows, start=1):
        if start != position or type(end) is not int or end < start:
            raise ValueError("pages do not tile the text")
        pages.append(PageSpan(number, position, end))
        position = end
    if rows and (position != length or len(rows) > MAX_PAGES):
        raise ValueError("pages do not tile the text")
    return tuple(pages)


def _headings(rows: list[list[Any]], length: int) -> tuple[HeadingSpan, ...]:
    """Spans must be in order and apart."""
    if len(rows) > MAX_HEADINGS:
        raise ValueError("too many headings")
    position = 0
    headings = []
    for level, title, start, end in rows:
        integers = type(level) is type(start) is type(end) is int
        if not integers or not 1 <= level <= MAX_LEVEL or not position <= start < end <= length:
            raise ValueError("bad heading")
        headings.append(HeadingSpan(level, _string(title, MAX_TITLE), start, end))
        position = end
    return tuple(headings)


def _furniture(rows: list[list[int]], headings: Sequence[HeadingSpan], length: int) -> tuple[Span, ...]:
    """Spans in order, apart from one another and from headings, and not most of the text."""
    if len(rows) > MAX_HEADINGS or any(type(start) is not int or type(end) is not int for start, end in rows):
        raise ValueError("not furniture")
    if sum(end - start for start, end in rows) > MOST_FURNITURE * length:
        raise ValueError("hardly anything but furniture")
    position = 0
    for start, end in sorted([*((one.start, one.end) for one in headings), *map(tuple, rows)]):
        if not position <= start < end <= length:
            raise ValueError("bad furniture")
        position = end
    return tuple((start, end) for start, end in rows)


def _pictures(rows: list[list[Any]], length: int) -> tuple[PictureSpot, ...]:
    """Spots in order, of pictures that have a size."""
    if len(rows) > MOST_PICTURES:
        raise ValueError("too many pictures")
    position, found = 0, []
    for at, number, width, height, said in rows:
        if not all(type(one) is int for one in (at, number, width, height)) or not position <= at <= length:
            raise ValueError("bad picture")
        if not (1 <= number <= MOST_PICTURES and 1 <= width <= LARGEST and 1 <= height <= LARGEST):
            raise ValueError("bad picture")
        if "\0" in _string(said, MAX_SAID):
            raise ValueError("no words")
        found.append(PictureSpot(at, number, width, height, said))
        position = at
    return tuple(found)


def _labelled(pages: tuple[PageSpan, ...], rows: list[list[Any]]) -> tuple[PageSpan, ...]:
    """Pages with the labels that some of them have, in one line and short."""
    if not rows:
        return pages
    labels = {number: _string(label, MAX_LABEL) for number, label in rows}
    if len(rows) > len(pages) or not all(label.isprintable() for label in labels.values()):
        raise ValueError("bad page labels")
    return tuple(replace(page, label=labels.get(page.number, "")) for page in pages)


def _metadata(declared: dict[str, Any]) -> dict[str, Declared]:
    """Known names with one text, or with a few words for tags and `meta`; what they say is checked later."""
    if not isinstance(declared, dict) or declared.keys() - DECLARABLE:
        raise ValueError("not the declarations of a document")
    return {name: _words(value) if name in LISTED else _string(value, MAX_VALUE) for name, value in declared.items()}


def _words(values: object) -> tuple[str, ...]:
    if not isinstance(values, list) or len(values) > MAX_VALUES:
        raise ValueError("not a list of the expected length")
    return tuple(_string(value, MAX_VALUE) for value in values)


def _language(value: object) -> str:
    if not _LANGUAGE.fullmatch(code := _string(value, 3)):
        raise ValueError("not a language")
    return code


def _string(value: object, limit: int = MAX_RESULT_BYTES) -> str:
    if not isinstance(value, str) or len(value) > limit:
        raise ValueError("not a string of the expected length")
    return value
