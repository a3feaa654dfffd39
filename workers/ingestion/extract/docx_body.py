"""A DOCX body as blocks of text in document order, read from its XML."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from workers.ingestion.extract.docx_styles import Numbering, Styles, W, numbering_of, outline_level, value

# Not what the document says: deleted text, field codes, phonetic guides; and the second copy of a text box.
_SKIPPED = frozenset(f"{W}{name}" for name in ("del", "delText", "instrText", "rt", "moveFrom", "pPr", "rPr"))
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_CONTAINERS = frozenset(f"{W}{name}" for name in ("sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"))
_CHARACTERS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-", "p": "\n"}
_TEXT = {f"{W}{name}": character for name, character in _CHARACTERS.items()}
_T = f"{W}t"
_INDENT = "  "


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, list item or table. `level` 0: not a heading."""

    text: str
    level: int = 0
    is_title: bool = False
    in_list: bool = False


def blocks(body: Any, styles: Styles, numbering: Numbering) -> Iterator[Block]:
    """The body's paragraphs and tables, also those inside content controls and tracked insertions."""
    for element in _children(body, "p", "tbl"):
        if element.tag == f"{W}p":
            yield _paragraph(element, styles, numbering)
        else:
            yield Block(_table(element))


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


def _paragraph(paragraph: Any, styles: Styles, numbering: Numbering) -> Block:
    text = text_of(paragraph).strip()
    if not text:
        return Block("")
    properties = paragraph.find(f"{W}pPr")
    style = styles.of(value(properties.find(f"{W}pStyle")) or "" if properties is not None else "")
    level = outline_level(properties) or style.level
    numbered = numbering_of(properties) or style.numbering
    marker = numbering.marker(*numbered) if numbered else ""
    if level:
        return Block(f"{marker} {text}" if marker != "-" else text, level, style.is_title)
    if not marker or numbered is None:
        return Block(text)
    return Block(f"{_INDENT * numbered[1]}{marker} {text}", in_list=True)


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
