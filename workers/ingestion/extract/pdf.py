"""PDF through PDFium: pages of lines, printed page numbers and the outline, handed to `pdf_text` as plain values.

PDFium answers the structural questions too (encryption, page count, labels, outline), ten times faster than pypdf
(PERFORMANCE, Measured choices). pypdf is asked where PDFium has no answer (`outline.structure`): for an outline that
leads nowhere, and for the values of a form. As a second reader of text it is of no use: of 144 files that PDFium reads
nothing from, it read two.
"""

import ctypes
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from workers.ingestion.extract.canonical import clean, one_line
from workers.ingestion.extract.extracted import MAX_LABEL, MAX_PAGES, Extracted
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.extract.outline import structure
from workers.ingestion.extract.outline.bullets import BREAK_BEFORE_ITEM, BULLET, with_drawn_bullets
from workers.ingestion.extract.outline.fonts import LONGEST, PrintedLine, headings_by_print, title_in_print
from workers.ingestion.extract.outline.levels import MAX_HEADING_LEVEL
from workers.ingestion.extract.outline.lines import Bookmark
from workers.ingestion.extract.outline.margins import (
    SHORT,
    counted_pages,
    running_lines,
    with_title_block,
    without_running_lines,
)
from workers.ingestion.extract.outline.slides import are_slides, slide_titles
from workers.ingestion.extract.outline.structure import MAX_BOOKMARKS, form_values, other_bookmarks
from workers.ingestion.extract.pdf_running_lines import printed_numbers
from workers.ingestion.extract.pdf_text import assemble
from workers.ingestion.extract.tables.printed import with_tables
from workers.ingestion.extract.tables.rows import TableRow, columns_at_the_end
from workers.ingestion.extract.titles import title_at_the_top

_SCANNED_LETTERS_PER_PAGE = 5  # a scan may carry a page number or a stamp as text
_PAGES_LOOKED_AT_FOR_IMAGES = 20
# Names of files and of nothing: what a program writes where nobody said a title.
_NO_TITLE = re.compile(
    r"untitled[-_ ]?\d{0,3}|\d{1,9}|about:.*|https?:.*"
    r"|\(?anonymous\)?|sin t[ií]tulo|.*\.(?:docx?|pdf|indd|qxd|tex|odt|rtf|dvi|html?|wpd|pptx?)|[^\s_]*_\S*"
    r"|microsoft word - .*|(?:[a-z]:[\\/]|\\\\|/\w+/|file:).*"
    r"|(?:presentaci[óo]n de )?powerpoint(?: presentation)?|(?:documento?|presentaci[óo]n|presentation) ?\d{1,3}",
    re.IGNORECASE,
)
_LONGEST_FONT = 128  # characters of a name
_LEADERS = re.compile(r"(?:\. ?){5,}")
# PDFium writes U+FFFE for a hyphen at a line's end; `clean` would drop it.
_LINE_HYPHEN, _LINE_HYPHEN_KEPT = "\ufffe", "\x02"


def extract_pdf(content: bytes) -> Extracted:
    """Text, page spans and outline headings of a PDF; an empty user password opens it.

    Raises ExtractionError: encrypted_document, corrupt_document, too_many_pages, scanned_document,
    empty_document. Single unreadable pages become empty; when most are unreadable the file is corrupt.
    """
    document = open_pdf(content)
    try:
        count = len(document)
        if count > MAX_PAGES:
            raise ExtractionError("too_many_pages", cause=f"{count} pages")
        bookmarks = list(_bookmarks(document)) or other_bookmarks(content)
        printed: list[PrintedLine] = []  # of a long document's first page alone where the outline tells the headings
        needed = count if count <= SHORT or not bookmarks else 1
        pages: list[list[str] | None] = []
        for n in range(count):
            pages.append(_page_lines(document, n, printed if n < needed else None, columns_at_the_end(pages[-1:])))
        for number, values in form_values(content).items():
            pages[number : number + 1] = [[*(page or []), *values] for page in pages[number : number + 1]]
        if not count or sum(page is None for page in pages) * 2 > count:
            raise ExtractionError("corrupt_document", cause="its pages cannot be read")
        bookmarks = bookmarks or _printed_headings(document, printed)
        lines, numbers = _text_and_numbers([page or [] for page in pages], printed)
        extracted = assemble(lines, bookmarks, _title(document))
        title = extracted.title or title_at_the_top(extracted) or title_in_print(printed)
        extracted = replace(extracted, title=title)
        told = with_labels(extracted, [_label(document, number) for number in range(count)])
        extracted = with_labels(extracted, numbers) if told is extracted else told
        _refuse_scans(document, extracted)
        return extracted
    finally:
        document.close()


def _text_and_numbers(pages: list[list[str]], printed: Sequence[PrintedLine]) -> tuple[list[list[str]], list[str]]:
    """The pages without what their print tells to be no text, and the number that is printed on each."""
    numbers = printed_numbers(pages)
    if len(pages) <= SHORT:
        running = running_lines(printed)
        numbers = [found or number for found, number in zip(counted_pages(running, len(pages)), numbers, strict=True)]
        pages = without_running_lines(pages, running)
    front = [line for line in printed if line.page == 0]
    return [*(with_title_block(page, front) for page in pages[:1]), *pages[1:]], numbers


def _printed_headings(document: Any, printed: Sequence[PrintedLine]) -> list[Bookmark]:
    """What the print says where there is no outline: the titles of slides, else the lines larger than the text."""
    slides = are_slides([document.get_page_size(number) for number in range(len(document))], printed)
    return (slide_titles(printed) if slides else []) or headings_by_print(printed)


def open_pdf(content: bytes) -> Any:
    """PDFium's document. Raises ExtractionError: encrypted_document, corrupt_document."""
    try:
        return pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        if error.err_code in (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY):
            raise ExtractionError("encrypted_document", cause="needs a password") from error
        raise ExtractionError("corrupt_document", cause="not a readable PDF") from error


def _page_lines(
    document: Any, index: int, printed: list[PrintedLine] | None = None, columns_before: int = 0
) -> list[str] | None:
    """The page's lines, cleaned; None for a page that cannot be loaded. `printed` takes them with their size."""
    try:
        page = document[index]
    except pdfium.PdfiumError:
        return None
    try:
        text_page = page.get_textpage()
        raw = text_page.get_text_range()
        if printed is not None:
            printed += _sizes(text_page, raw, index)
        raw, is_item = with_drawn_bullets(page, text_page, raw)
        parts = with_tables(text_page, raw, columns_before)
        text_page.close()
    except pdfium.PdfiumError:
        return None
    finally:
        page.close()
    lines = [line for part in parts for line in _lines(part)]
    first = next((number for number, line in enumerate(lines) if line), None)
    if is_item and first is not None and not isinstance(lines[first], TableRow):
        lines[first] = f"{BULLET}{lines[first]}"
    return lines


def _lines(part: str) -> Iterator[str]:
    """The lines of a part of a page's text, or the row of a table that it is."""
    written = part if isinstance(part, TableRow) else part.replace(BREAK_BEFORE_ITEM, f"\n{BULLET}")
    marked = written.replace(_LINE_HYPHEN_KEPT, _LINE_HYPHEN).split(_LINE_HYPHEN)
    text = _LINE_HYPHEN.join(map(clean, marked))
    if isinstance(part, TableRow):
        yield type(part)(text)
    else:
        yield from map(str.strip, _LEADERS.sub("... ", text).split("\n"))


def _sizes(text_page: Any, raw: str, page: int) -> Iterator[PrintedLine]:
    """Each line with the height of its last word's font as it is printed, by half points: what is in front may be a
    bullet or a few words in bold; and with its font."""
    rect, position = pdfium_c.FS_RECTF(), 0
    for line in raw.split("\n"):
        text = one_line(line) if len(line) <= LONGEST else line
        if text:
            printed = line.rstrip()[:LONGEST]
            last_word = min(len(printed.rpartition(" ")[0]) + 1, len(printed) - 1)
            at = pdfium_c.FPDFText_GetCharIndexFromTextIndex(text_page.raw, position + last_word)
            if pdfium_c.FPDFText_GetLooseCharBox(text_page.raw, at, rect):
                font = _font(text_page, position + len(line) - len(line.lstrip()), at)
                yield PrintedLine(text, page, round(2 * abs(rect.top - rect.bottom)) / 2, rect.top, rect.bottom, font)
        position += len(line) + 1


def _font(text_page: Any, start: int, last: int) -> str:
    """The name of the font of two characters, the first one by its place in the text; "" where they have two."""
    first = pdfium_c.FPDFText_GetCharIndexFromTextIndex(text_page.raw, start)
    names = {_font_name(text_page, at) for at in (first, last)}
    return names.pop() if len(names) == 1 else ""


def _font_name(text_page: Any, at: int) -> str:
    name, flags = ctypes.create_string_buffer(_LONGEST_FONT), ctypes.c_int()
    pdfium_c.FPDFText_GetFontInfo(text_page.raw, at, name, _LONGEST_FONT, flags)
    return name.value.decode("utf-8", "replace")


def _bookmarks(document: Any) -> Iterator[Bookmark]:
    """The outline in its order; entries without a page or with a broken title are left out."""
    try:
        for count, entry in enumerate(document.get_toc()):
            if count >= MAX_BOOKMARKS:
                return
            target = entry.get_dest()
            index = target.get_index() if target else None
            title = one_line(entry.get_title())
            if title and index is not None:
                yield Bookmark(min(entry.level + 1, MAX_HEADING_LEVEL), title, index)
    except (pdfium.PdfiumError, ValueError, UnicodeError):
        return  # a broken outline costs the headings, not the document


def _title(document: Any) -> str:
    try:
        title = one_line(document.get_metadata_value("Title"))
    except (pdfium.PdfiumError, UnicodeError):
        return ""
    return "" if _NO_TITLE.fullmatch(title) else title


def _label(document: Any, index: int) -> str:
    try:
        return one_line(document.get_page_label(index) or "", MAX_LABEL)
    except (pdfium.PdfiumError, UnicodeError):
        return ""


def with_labels(extracted: Extracted, labels: Sequence[str]) -> Extracted:
    """The pages with what is printed on them, where that is not their number."""
    if all(label in ("", str(number)) for number, label in enumerate(labels, 1)):
        return extracted
    pages = (
        replace(page, label="" if label == str(page.number) else label)
        for page, label in zip(extracted.pages, labels, strict=True)
    )
    return replace(extracted, pages=tuple(pages))


def _refuse_scans(document: Any, extracted: Extracted) -> None:
    letters = sum(map(str.isalnum, extracted.text[: _SCANNED_LETTERS_PER_PAGE * len(document) * 4]))
    if letters >= _SCANNED_LETTERS_PER_PAGE * len(document):
        return
    if any(_has_image(document, index) for index in range(min(len(document), _PAGES_LOOKED_AT_FOR_IMAGES))):
        raise ExtractionError("scanned_document", cause="pages hold images and no text")
    if not letters:
        raise ExtractionError("empty_document", cause="no text on any page")


def _has_image(document: Any, index: int) -> bool:
    try:
        page = document[index]
    except pdfium.PdfiumError:
        return False
    try:
        return any(page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE], max_depth=3))
    finally:
        page.close()


SMALLEST = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F<</Type/Font"
    b"/Subtype/Type1/BaseFont/Times-Roman>>>>>>>>endobj\n4 0 obj<</Length 36>>stream\n"
    b"BT /F 9 Tf 9 9 Td (warming up) Tj ET\nendstream endobj\ntrailer<</Root 1 0 R>>\n"
)


def warm_up() -> None:
    """Make PDFium load its library and fonts, and load pypdf."""
    structure.warm_up()
    extract_pdf(SMALLEST)
