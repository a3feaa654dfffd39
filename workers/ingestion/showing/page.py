"""One page of a PDF through PDFium: its pixels, or its characters with their boxes. Runs in the sandbox's child."""

import math
from array import array
from collections.abc import Callable
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from corpora.reader.printed import (
    MOST_CHARACTERS,
    MOST_PIXELS,
    SCALE,
    PageCharacters,
    PagePixels,
    PageRequest,
    PrintedPage,
)
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.extract.pdf import SMALLEST, open_pdf

_ROUNDED_UP = 1 - 1e-6  # PDFium's binding takes the next whole pixel, and 800.0001 is none more than 800
Corner = tuple[float, float]
MOST_OBLONG = 1_000  # times longer than wide: of what is more, no pixel of the shorter side would be left
_NO_CHARACTER = "\ufffd"  # in the place of a code that is none: each character of the page keeps its index
_TURNED: dict[int, Callable[[float, float], Corner]] = {
    0: lambda across, down: (across, down),
    90: lambda across, down: (1 - down, across),
    180: lambda across, down: (1 - across, 1 - down),
    270: lambda across, down: (down, 1 - across),
}


def show_page(content: bytes, request: PageRequest) -> PrintedPage:
    """Raises ExtractionError: encrypted_document, corrupt_document (also for a page that is not there)."""
    document = open_pdf(content)
    try:
        if request.width:
            document.init_forms()  # what a form's fields say is printed on the page
        if not 1 <= request.number <= len(document):
            raise ExtractionError("corrupt_document", cause="has no such page")
        page = document[request.number - 1]
        return _pixels(page, request.width) if request.width else _characters(page)
    except pdfium.PdfiumError as error:
        raise ExtractionError("corrupt_document", cause="a page cannot be loaded") from error
    finally:
        document.close()


def _pixels(page: Any, width: int) -> PagePixels:
    across, high = _size(page)
    scale = min(width / across, math.sqrt(MOST_PIXELS / (across * high)))
    bitmap = page.render(scale=scale * _ROUNDED_UP, rev_byteorder=True, may_draw_forms=True)
    return PagePixels(bitmap.width, bitmap.height, bitmap.stride, bytes(bitmap.buffer))


def _size(page: Any) -> Corner:
    """In points, as it is shown. Whatever they are, `_pixels` makes no more of them than it may."""
    across, high = page.get_size()
    if not (math.isfinite(across) and math.isfinite(high) and across > 0 and high > 0):
        raise ExtractionError("corrupt_document", cause="a page without area")
    if max(across, high) > MOST_OBLONG * min(across, high):
        raise ExtractionError("corrupt_document", cause="a page that is hardly more than a line")
    return across, high


def _characters(page: Any) -> PageCharacters:
    width, height = _size(page)
    text_page = page.get_textpage()
    get_code, get_box = pdfium_c.FPDFText_GetUnicode, pdfium_c.FPDFText_GetLooseCharBox
    count = min(pdfium_c.FPDFText_CountChars(text_page.raw), MOST_CHARACTERS)
    shown, rect, letters = _shown(page), pdfium_c.FS_RECTF(), []
    boxes = array("H")
    for index in range(count):
        code = get_code(text_page.raw, index)
        letters.append(chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x110000 else _NO_CHARACTER)
        has_box = get_box(text_page.raw, index, rect)
        boxes.extend(shown(rect.left, rect.top, rect.right, rect.bottom) if has_box else (0, 0, 0, 0))
    return PageCharacters(width, height, "".join(letters), boxes)


def _shown(page: Any) -> Callable[[float, float, float, float], tuple[int, int, int, int]]:
    """From a rectangle in the page's own points to where it is shown, in parts of SCALE."""
    left, bottom, right, top = page.get_bbox()
    across, high = right - left, top - bottom
    turned = _TURNED[page.get_rotation()]
    if not (across > 0 and high > 0):
        raise ExtractionError("corrupt_document", cause="a page without area")

    def shown(x: float, y: float, further_x: float, further_y: float) -> tuple[int, int, int, int]:
        if not math.isfinite(x + y + further_x + further_y):
            return 0, 0, 0, 0
        one = turned((x - left) / across, (top - y) / high)
        other = turned((further_x - left) / across, (top - further_y) / high)
        return (
            _part(min(one[0], other[0])),
            _part(min(one[1], other[1])),
            _part(max(one[0], other[0])),
            _part(max(one[1], other[1])),
        )

    return shown


def _part(share: float) -> int:
    return round(SCALE * min(max(share, 0.0), 1.0))


def warm_up() -> None:
    """Make PDFium load what it needs to draw: the child cannot open a file."""
    show_page(SMALLEST, PageRequest(1, 99))
