"""A page as it is printed on the wire: a line of JSON, then its text and boxes, or its pixels, as they are.

Pixels and not a picture: a child that a document has taken over can paint what it likes, but a browser is never given
a file that the child has made.
"""

import math
from array import array
from typing import Any

import orjson

from corpora.reader.printed import (
    MOST_CHARACTERS,
    MOST_PIXELS,
    PageCharacters,
    PagePixels,
    PageRequest,
    PrintedPage,
)

_ROUNDED_UP = 2  # rows or columns more than were asked for
_PADDING = 64  # bytes that a row may have beside its pixels


def encode_page_request(request: PageRequest) -> bytes:
    return orjson.dumps({"page": request.number, "width": request.width, "picture_of": request.picture_of})


def decode_page_request(fields: dict[str, Any]) -> PageRequest | None:
    """None where something else is asked."""
    return PageRequest(fields["page"], fields["width"], fields["picture_of"]) if "page" in fields else None


def encode_page(page: PrintedPage) -> bytes:
    if isinstance(page, PagePixels):
        return orjson.dumps({"size": [page.width, page.height], "stride": page.stride}) + b"\n" + page.rows
    text = page.text.encode()
    head = orjson.dumps({"size": [page.width, page.height], "bytes": len(text)})
    return b"".join((head, b"\n", text, page.boxes.tobytes()))


def decode_page(answer: bytes | bytearray, request: PageRequest) -> PrintedPage:
    """What the child says of a page. Raises ValueError, TypeError or KeyError for a lie."""
    head, _, rest = bytes(answer).partition(b"\n")
    fields = orjson.loads(head)
    return _pixels(fields, rest, request) if request.width else _characters(fields, rest)


def _pixels(fields: dict[str, Any], rows: bytes, request: PageRequest) -> PagePixels:
    (width, height), stride = fields["size"], fields["stride"]
    if not all(type(number) is int and number > 0 for number in (width, height, stride)):
        raise ValueError("not the size of an image")
    too_large = width > request.width + _ROUNDED_UP or (width - _ROUNDED_UP) * (height - _ROUNDED_UP) > MOST_PIXELS
    if too_large or not 0 <= stride - 3 * width <= _PADDING or len(rows) != stride * height:
        raise ValueError("not the pixels that were asked for")
    return PagePixels(width, height, stride, rows)


def _characters(fields: dict[str, Any], rest: bytes) -> PageCharacters:
    (width, height), length = fields["size"], fields["bytes"]
    if not all(type(side) in (int, float) and math.isfinite(side) and side > 0 for side in (width, height)):
        raise ValueError("not the size of a page")
    if type(length) is not int or not 0 <= length <= len(rest):
        raise ValueError("not a page's text")
    text, boxes = rest[:length].decode(), array("H")
    boxes.frombytes(rest[length:])
    if len(text) > MOST_CHARACTERS or len(boxes) != 4 * len(text):
        raise ValueError("not a box for each character")
    if any(boxes[at] > boxes[at + 2] or boxes[at + 1] > boxes[at + 3] for at in range(0, len(boxes), 4)):
        raise ValueError("a box that ends before it begins")
    return PageCharacters(float(width), float(height), text, boxes)
