"""A picture inside of a document, drawn by PDFium like a page: as the only thing on a page of a PDF of its size.

No decoder of images is needed beside it: what a PNG has compressed is what a PDF's Flate filter reads with the same
predictors, and a JPEG is one there, too. Runs in the sandbox's child.
"""

import struct
import zlib
from collections.abc import Iterator
from itertools import islice

from corpora.media_types import DOCX, MARKDOWN
from corpora.reader.printed import PagePixels, PageRequest
from workers.ingestion.extract.docx import pictures_in_docx
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.extract.markdown import pictures_in_markdown
from workers.ingestion.pictures.formats import Drawable, drawable
from workers.ingestion.showing.page import show_page

_LARGEST_PAGE = 14_000  # points: PDF's own limit is 14,400
_INDEXED = 3
_GREY_AND_ALPHA, _COLOUR_AND_ALPHA = 4, 6
# What is transparent is laid on white paper: each colour becomes 1 - alpha × (1 - colour).
_LAID = {
    _GREY_AND_ALPHA: (b"[/Grey /Alpha] /DeviceGray", b"{ exch 1 exch sub mul 1 exch sub }", 1),
    _COLOUR_AND_ALPHA: (
        b"[/Red /Green /Blue /Alpha] /DeviceRGB",
        b"{ 4 1 roll 1 exch sub 3 index mul 1 exch sub 3 1 roll 1 exch sub 3 index mul 1 exch sub 3 1 roll"
        b" 1 exch sub 3 index mul 1 exch sub 3 1 roll 4 3 roll pop }",
        3,
    ),
}
_DEVICE = {1: b"/DeviceGray", 3: b"/DeviceRGB", 4: b"/DeviceCMYK"}


def show_picture(content: bytes, request: PageRequest) -> PagePixels:
    """Raises ExtractionError: corrupt_document, also for a picture that is not there."""
    found = next(islice(pictures_of(content, request.picture_of), request.number - 1, None), b"")
    head = drawable(found)
    if head is None:
        raise ExtractionError("corrupt_document", cause="has no such picture")
    pixels = show_page(page_around(found, head), PageRequest(1, min(request.width, head.width)))
    assert isinstance(pixels, PagePixels)
    return pixels


def pictures_of(content: bytes, media_type: str) -> Iterator[bytes]:
    """In the order in which extraction has numbered them."""
    if media_type == DOCX:
        yield from pictures_in_docx(content)
    elif media_type == MARKDOWN:
        yield from pictures_in_markdown(content)


def warm_up() -> None:
    """Have PDFium load what it needs for an image: the child cannot open a file."""
    pixel = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack("!I4s", len(piece), kind) + piece + bytes(4)
        for kind, piece in ((b"IHDR", struct.pack("!IIBBBBB", 1, 1, 8, 6, 0, 0, 0)), (b"IDAT", zlib.compress(bytes(5))))
    )
    head = drawable(pixel)
    assert head is not None
    show_page(page_around(pixel, head), PageRequest(1, 1))


def page_around(content: bytes, head: Drawable) -> bytes:
    """A PDF of one page that is this picture. Raises ExtractionError."""
    filters, stream, colours = _jpeg(content, head) if head.kind == "jpeg" else _png(content, head)
    scale = min(1.0, _LARGEST_PAGE / max(head.width, head.height))
    across, high = head.width * scale, head.height * scale
    image = b"/Type /XObject /Subtype /Image /Width %d /Height %d /BitsPerComponent %d /ColorSpace %b %b" % (
        head.width,
        head.height,
        head.bits,
        colours,
        filters,
    )
    drawing = b"%.3f 0 0 %.3f 0 0 cm /Picture Do" % (across, high)
    box = b"[0 0 %.3f %.3f]" % (across, high)
    return _pdf(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox %b /Contents 4 0 R /Resources << /XObject << /Picture 5 0 R >> >> >>"
        % box,
        _stream(b"", drawing),
        _stream(image, stream),
        _stream(*_tint(head)),
    )


def _jpeg(content: bytes, head: Drawable) -> tuple[bytes, bytes, bytes]:
    inverted = b" /Decode [1 0 1 0 1 0 1 0]" if head.channels == 4 and b"Adobe" in content[:4096] else b""
    return b"/Filter /DCTDecode" + inverted, content, _DEVICE[head.channels]


def _png(content: bytes, head: Drawable) -> tuple[bytes, bytes, bytes]:
    pieces = dict[bytes, bytes]()
    for kind, piece in _pieces(content):
        pieces[kind] = pieces.get(kind, b"") + piece if kind == b"IDAT" else piece
    if b"IDAT" not in pieces or (head.colour == _INDEXED and not pieces.get(b"PLTE")):
        raise ExtractionError("corrupt_document", cause="a picture without its pixels")
    filters = b"/Filter /FlateDecode /DecodeParms << /Predictor 15 /Colors %d /BitsPerComponent %d /Columns %d >>" % (
        head.channels,
        head.bits,
        head.width,
    )
    if head.colour == _INDEXED:
        palette = _on_paper(pieces[b"PLTE"][: 3 * 256], pieces.get(b"tRNS", b""))
        colours = b"[/Indexed /DeviceRGB %d <%b>]" % (len(palette) // 3 - 1, palette.hex().encode())
    elif head.colour in _LAID:
        colours = b"[/DeviceN %b 6 0 R]" % _LAID[head.colour][0]
    else:
        colours = _DEVICE[head.channels]
    return filters, pieces[b"IDAT"], colours


def _on_paper(palette: bytes, alphas: bytes) -> bytes:
    """The colours of a palette, those that are transparent on white."""
    return bytes(
        255 - alphas[at // 3] * (255 - colour) // 255 if at // 3 < len(alphas) else colour
        for at, colour in enumerate(palette)
    )


def _pieces(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at + 8 <= len(content):
        length, kind = struct.unpack_from("!I4s", content, at)
        yield kind, content[at + 8 : at + 8 + length]
        at += 12 + length


def _tint(head: Drawable) -> tuple[bytes, bytes]:
    """The function that lays what is transparent on paper; an empty one where nothing is."""
    _names, program, outputs = _LAID.get(head.colour if head.kind == "png" else 0, (b"", b"{ }", head.channels))
    domain, spread = b"0 1 " * head.channels, b"0 1 " * outputs
    return b"/FunctionType 4 /Domain [%b] /Range [%b]" % (domain, spread), program


def _stream(entries: bytes, content: bytes) -> bytes:
    return b"<< %b /Length %d >>\nstream\n%b\nendstream" % (entries, len(content), content)


def _pdf(*objects: bytes) -> bytes:
    written, places = [b"%PDF-1.7\n"], []
    length = len(written[0])
    for number, one in enumerate(objects, 1):
        places.append(length)
        written.append(b"%d 0 obj\n%b\nendobj\n" % (number, one))
        length += len(written[-1])
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    written.append(b"xref\n0 %d\n0000000000 65535 f \n%b" % (size, rows))
    written.append(b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (size, length))
    return b"".join(written)
