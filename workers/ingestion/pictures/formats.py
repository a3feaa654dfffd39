"""Pictures inside of a document: which of them can be drawn, told by the first bytes of each. Pure; nothing is decoded.

Drawn are JPEG and PNG, as PDFium reads them (`workers.ingestion.pictures.drawing`). What is only named by an address is
no picture of the document: nothing is ever fetched.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

MOST_PICTURES = 500  # of a document
LARGEST = 20_000  # pixels of a side
MOST_BYTES = 30_000_000
_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8\xff"
_FRAMES = frozenset({0xC0, 0xC1, 0xC2})  # baseline, extended, progressive
_ALONE = frozenset({0x01, *range(0xD0, 0xD9)})  # markers without a length
_CHANNELS_OF_PNG = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


@dataclass(frozen=True, slots=True)
class Drawable:
    """An image file that can be drawn: `kind` is "png" or "jpeg", `colour` the colour type that a PNG says."""

    kind: str
    width: int
    height: int
    channels: int
    bits: int = 8
    colour: int = 0


def drawable(content: bytes) -> Drawable | None:
    """None for every other format, for what is too large, and for a PNG that is interlaced."""
    if len(content) > MOST_BYTES:
        return None
    if content.startswith(_PNG):
        found = _png(content)
    elif content.startswith(_JPEG):
        found = _jpeg(content)
    else:
        return None
    return found if found and 0 < found.width <= LARGEST and 0 < found.height <= LARGEST else None


def _png(content: bytes) -> Drawable | None:
    if len(content) < 33 or content[12:16] != b"IHDR":
        return None
    width, height, bits, colour, _packed, _filter, interlaced = struct.unpack_from("!IIBBBBB", content, 16)
    channels = _CHANNELS_OF_PNG.get(colour)
    if channels is None or interlaced or bits not in (1, 2, 4, 8, 16):
        return None
    return Drawable("png", width, height, channels, bits, colour)


def _jpeg(content: bytes) -> Drawable | None:
    for marker, at in _segments(content):
        if marker in _FRAMES and len(content) >= at + 8:
            bits, height, width, channels = struct.unpack_from("!BHHB", content, at + 2)
            return Drawable("jpeg", width, height, channels) if bits == 8 and channels in (1, 3, 4) else None
    return None


def _segments(content: bytes) -> Iterator[tuple[int, int]]:
    """Each marker with where its length stands, up to where the picture itself begins."""
    at = 2
    while at + 4 <= len(content) and content[at] == 0xFF:
        marker = content[at + 1]
        if marker == 0xFF or marker in _ALONE:  # filling, or without a length
            at += 1 if marker == 0xFF else 2
            continue
        yield marker, at + 2
        if marker == 0xDA:
            return
        at += 2 + struct.unpack_from("!H", content, at + 2)[0]
