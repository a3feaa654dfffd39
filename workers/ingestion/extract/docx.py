"""DOCX: paragraphs, headings, lists and tables in document order.

python-docx opens the package; the body is then walked on its XML, because its `paragraph.style` and `.text`
cost 1.4 s on an 872-page handbook (this walk: 0.2 s) and pass over content controls and tracked insertions.
"""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import docx

from corpora.uploads.archives import ArchiveBomb, NotADocx, check_docx
from workers.ingestion.extract.canonical import clean, one_line
from workers.ingestion.extract.docx_styles import Numbering, Styles, W, numbering_of, outline_level, value
from workers.ingestion.extract.extracted import MAX_HEADINGS, Extracted, HeadingSpan, Span, furniture_of
from workers.ingestion.extract.failures import ExtractionError
from workers.ingestion.extract.outline.levels import FoundHeading, levels_of
from workers.ingestion.extract.outline.numbered import LONGEST_TITLE, numbered_lines
from workers.ingestion.extract.titles import title_among

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # Office wraps an encrypted DOCX in an OLE file
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
_LINE_BREAK = re.compile(r"(?<![ \t])[ \t]*\n[ \t\n]*")  # the lookbehinds keep long runs linear
_TAB = re.compile(r"(?<! ) *\t[ \t]*")
_NO_TITLE = re.compile(r"(?:word )?document|documento|untitled|sin título|normal", re.IGNORECASE)
# Not what the document says: deleted text, field codes, phonetic guides; and the second copy of a text box.
_SKIPPED = frozenset(f"{W}{name}" for name in ("del", "delText", "instrText", "rt", "moveFrom", "pPr", "rPr"))
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_CONTAINERS = frozenset(f"{W}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"))
_CHARACTERS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "p": "\n"}
_TEXT = {f"{W}{name}": character for name, character in _CHARACTERS.items()}
_T = f"{W}t"
_INDENT = "  "
UNTOLD = -1  # the level of a heading that no style tells


@dataclass(frozen=True, slots=True)
class DocxBlock:
    """One paragraph, list item or table. `level` 0: not a heading."""

    text: str
    level: int = 0
    is_title: bool = False
    in_list: bool = False
    is_contents: bool = False
    rank: int = 0  # of the place that a heading names


def extract_docx(content: bytes) -> Extracted:
    """A DOCX as text; headings from heading styles and outline levels; it has no pages.

    Raises ExtractionError: archive_bomb (before anything is unpacked), encrypted_document, corrupt_document;
    and whatever the libraries raise on a damaged package (`extract` makes it corrupt_document).
    """
    _check(content)
    document: Any = docx.Document(io.BytesIO(content))
    found = list(body_blocks(document.element.body, Styles(document), Numbering(document)))
    declared = one_line(document.core_properties.title or "")
    return _assemble(with_numbered_blocks(found), "" if _NO_TITLE.fullmatch(declared) else declared)


def _check(content: bytes) -> None:
    if content.startswith(_OLE) and _ENCRYPTED_STREAM in content:
        raise ExtractionError("encrypted_document", cause="an encrypted Office file")
    try:
        check_docx(io.BytesIO(content))
    except ArchiveBomb as error:
        raise ExtractionError("archive_bomb", cause=str(error)) from error
    except NotADocx as error:
        raise ExtractionError("corrupt_document", cause=str(error)) from error


def _tidy(text: str) -> str:
    """A block's text; only the indentation of a nested list item survives in front."""
    return _LINE_BREAK.sub("\n", _TAB.sub(" ", clean(text).rstrip()))


def _assemble(found: list[DocxBlock], declared_title: str) -> Extracted:
    parts: list[str] = []
    headings: list[HeadingSpan] = []
    furniture: list[Span] = []
    position = 0
    title = ""
    previous: DocxBlock | None = None
    for block in found:
        text = one_line(block.text) if block.level else _tidy(block.text)
        if not text:
            continue
        together = previous is not None and (
            (previous.in_list and block.in_list) or (previous.is_contents and block.is_contents)
        )
        separator = "" if previous is None else "\n" if together else "\n\n"
        position += len(separator)
        if block.level and len(headings) < MAX_HEADINGS:
            headings.append(HeadingSpan(block.level, text, position, position + len(text)))
        if block.is_contents:
            furniture.append((position, position + len(text)))
        if block.is_title and not title:
            title = text
        parts += (separator, text)
        position += len(text)
        previous = block
    return Extracted(
        "".join(parts),
        headings=tuple(headings),
        title=title or declared_title or title_among(headings),
        furniture=furniture_of(furniture, position),
    )


def with_numbered_blocks(found: list[DocxBlock]) -> list[DocxBlock]:
    """The blocks, those as headings that only their numbers tell; a text behind a number stands apart."""
    is_text = [not (one.in_list or one.is_contents or one.text.startswith("|")) for one in found]
    places = numbered_lines([one.text for one in found], is_text, [bool(one.level) for one in found])
    if not any(not found[index].level for index in places):
        return found
    blocks: list[DocxBlock] = []
    for index, block in enumerate(found):
        place = places.get(index)
        if block.level or place is None:
            blocks.append(replace(block, rank=place.rank) if place else block)
        elif len(block.text) <= LONGEST_TITLE and "\n" not in block.text:
            blocks.append(replace(block, level=UNTOLD, rank=place.rank))
        else:
            blocks.append(DocxBlock(block.text[: place.end], UNTOLD, rank=place.rank))
            blocks.append(replace(block, text=block.text[place.end :].strip()))
    headings = [FoundHeading(max(one.level, 0), one.rank) for one in blocks if one.level]
    levels = iter(levels_of(headings))
    return [replace(one, level=next(levels)) if one.level else one for one in blocks]


def body_blocks(body: Any, styles: Styles, numbering: Numbering) -> Iterator[DocxBlock]:
    """The body's paragraphs and tables, also those inside content controls and tracked insertions."""
    for element in _children(body, "p", "tbl"):
        if element.tag == f"{W}p":
            yield _paragraph(element, styles, numbering)
        else:
            yield DocxBlock(_table(element))


def text_of(element: Any) -> str:
    """All visible text below an element; iterative, because XML may nest deeper than Python's stack."""
    parts: list[str] = []
    waiting = [iter(element)]
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
        elif child.tag == _T:
            parts.append(child.text or "")
        elif child.tag not in _SKIPPED and child.tag != _FALLBACK:
            parts.append(_TEXT.get(child.tag, ""))
            waiting.append(iter(child))
    return "".join(parts)


def _paragraph(paragraph: Any, styles: Styles, numbering: Numbering) -> DocxBlock:
    text = text_of(paragraph).strip()
    if not text:
        return DocxBlock("")
    properties = paragraph.find(f"{W}pPr")
    style = styles.of(value(properties.find(f"{W}pStyle")) or "" if properties is not None else "")
    if style.is_contents:
        return DocxBlock(text, is_contents=True)
    level = outline_level(properties) or style.level
    numbered = numbering_of(properties) or style.numbering
    marker = numbering.marker(*numbered) if numbered else ""
    if level:
        return DocxBlock(f"{marker} {text}".strip() if marker != "-" else text, level, style.is_title)
    if not marker or numbered is None:
        return DocxBlock(text)
    return DocxBlock(f"{_INDENT * numbered[1]}{marker} {text}", in_list=True)


def _table(table: Any) -> str:
    """Rows as `| a | b |`, with a rule below the first as in Markdown; a one-cell table is plain text."""
    cells = [[text_of(cell) for cell in _children(row, "tc")] for row in _children(table, "tr")]
    if all(len(row) == 1 for row in cells):
        return "\n".join(row[0].strip() for row in cells)
    rows = [[" ".join(text.split()).replace("|", "\\|") for text in row] for row in cells]
    lines = [f"| {' | '.join(row)} |" for row in rows if any(row)]
    lines[1:1] = ["|" + " --- |" * len(rows[0])] if len(lines) > 1 else []
    return "\n".join(lines)


def _children(element: Any, *names: str) -> Iterator[Any]:
    """The children of these names in order, also those wrapped in content controls or tracked insertions."""
    wanted = frozenset(f"{W}{name}" for name in names)
    waiting = [iter(element)]
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
        elif child.tag in wanted:
            yield child
        elif child.tag in _CONTAINERS:
            waiting.append(iter(child))


def warm_up() -> None:
    """Parse python-docx's own template, so that every lazy import has happened."""
    buffer = io.BytesIO()
    document = docx.Document()
    document.add_heading("Title", 1)
    document.add_paragraph("warming up", style="List Bullet")
    document.add_table(1, 1)
    document.save(buffer)
    extract_docx(buffer.getvalue())
