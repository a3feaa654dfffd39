"""Items of a PDF's lists whose bullets are drawn and not typed, as a browser saves a page: their text has none."""

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium_c

BULLET = "• "
MOST_OBJECTS, MOST_BULLETS = 8_000, 300  # of one page: more is a drawing, or made to take long
SMALLEST, LARGEST = 1.2, 10.0  # points: how high a bullet is
EQUAL = 0.75  # its narrower side, of its wider one
OF_LINE = 0.6  # of the height of its line: how high it is at most
NEAR = 2.5  # heights of its line: how far before its text it stands at most

# Stands for the return before a line in a page's text: as long as that, and nothing but a space to what reads on.
BREAK_BEFORE_ITEM, _BREAK = "\x1e\n", "\r\n"


class _Drawn(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float


def with_drawn_bullets(page: Any, text_page: Any, raw: str) -> tuple[str, bool]:
    """The text of a page with BREAK_BEFORE_ITEM before each line that has a bullet drawn before it, no longer than it
    was; and whether its first line has one."""
    parts: list[str] = []
    done, is_first = 0, False
    for start in sorted(set(_items(page, text_page, raw))):
        is_first = is_first or start == 0
        if raw[:start].endswith(_BREAK):
            parts += (raw[done : start - len(_BREAK)], BREAK_BEFORE_ITEM)
            done = start
    return "".join((*parts, raw[done:])), is_first


def _items(page: Any, text_page: Any, raw: str) -> Iterator[int]:
    """Where lines with a bullet begin in the text."""
    box = pdfium_c.FS_RECTF()
    for drawn in _small_shapes(page):
        height, middle = drawn.top - drawn.bottom, (drawn.top + drawn.bottom) / 2
        reach = NEAR * height / OF_LINE
        at = pdfium_c.FPDFText_GetCharIndexAtPos(text_page.raw, drawn.right + reach / 2, middle, reach, height)
        if at < 0 or not pdfium_c.FPDFText_GetLooseCharBox(text_page.raw, at, box):
            continue
        line = box.top - box.bottom
        if not (box.bottom < middle < box.top and height <= OF_LINE * line):
            continue
        start = pdfium_c.FPDFText_GetTextIndexFromCharIndex(text_page.raw, at)
        begin = raw.rfind("\n", 0, max(start, 0)) + 1
        first = pdfium_c.FPDFText_GetCharIndexFromTextIndex(text_page.raw, begin)
        if start >= 0 and pdfium_c.FPDFText_GetLooseCharBox(text_page.raw, first, box):
            gap = box.left - drawn.right
            if 0 < gap <= NEAR * line and box.bottom < middle < box.top:
                yield begin


def _small_shapes(page: Any) -> Iterator[_Drawn]:
    """Discs, rings and squares of a bullet's size, in the order in which they are drawn."""
    count = pdfium_c.FPDFPage_CountObjects(page.raw)
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    found = 0
    for number in range(count if count <= MOST_OBJECTS else 0):
        one = pdfium_c.FPDFPage_GetObject(page.raw, number)
        if pdfium_c.FPDFPageObj_GetType(one) != pdfium_c.FPDF_PAGEOBJ_PATH:
            continue
        if not pdfium_c.FPDFPageObj_GetBounds(one, left, bottom, right, top):
            continue
        drawn = _Drawn(left.value, bottom.value, right.value, top.value)
        sides = sorted((drawn.right - drawn.left, drawn.top - drawn.bottom))
        if sides[0] >= SMALLEST and sides[1] <= LARGEST and sides[0] >= EQUAL * sides[1]:
            found += 1
            yield drawn
        if found >= MOST_BULLETS:
            return
