"""Sets blocks as a DOCX with real heading, list and table styles; the same bytes at every build."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from docx import Document
from docx.document import Document as DocxDocument
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Pt, RGBColor
from docx.text.paragraph import Paragraph
from markdown_blocks import MarkdownBlock, Runs

_ACCENT = RGBColor(0x1D, 0x4E, 0x6B)
_STAMP = datetime(2026, 2, 1, tzinfo=UTC)
_STYLES = {"bullet": "List Bullet", "number": "List Number", "quote": "Quote", "paragraph": "Normal"}


def write(blocks: list[MarkdownBlock], path: Path, author: str, language: str) -> None:
    """Writes `path`. Dates in the properties and in the zip are fixed, so that a rebuild changes no byte."""
    document = Document()
    _dress(document, language)
    _describe(document, blocks[0].text, author, language)
    _foot(document, f"{author} · {blocks[0].text} · ")
    for position, block in enumerate(blocks):
        _add(document, block, subtitle=position == 1)
    buffer = BytesIO()
    document.save(buffer)
    _repack(buffer, path)


def _dress(document: DocxDocument, language: str) -> None:
    section = document.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    section.left_margin = section.right_margin = Cm(2.5)
    section.top_margin = section.bottom_margin = Cm(2.5)
    normal = document.styles["Normal"]
    normal.font.name, normal.font.size = "Georgia", Pt(11)
    normal.paragraph_format.space_after = Pt(7)
    normal.paragraph_format.line_spacing = 1.25
    tongue = OxmlElement("w:lang")
    tongue.set(qn("w:val"), language)
    normal.element.get_or_add_rPr().append(tongue)
    for name in ("Title", "Heading 1", "Heading 2"):
        document.styles[name].font.name = "Calibri"
        document.styles[name].font.color.rgb = _ACCENT
    code = document.styles.add_style("Code", WD_STYLE_TYPE.CHARACTER)
    code.font.name = "Consolas"


def _describe(document: DocxDocument, title: str, author: str, language: str) -> None:
    properties = document.core_properties
    properties.title, properties.author, properties.language = title, author, language
    properties.last_modified_by, properties.comments, properties.revision = author, "", 1
    properties.created = properties.modified = _STAMP


def _foot(document: DocxDocument, text: str) -> None:
    paragraph = document.sections[0].footer.paragraphs[0]
    paragraph.add_run(text).font.size = Pt(8.5)
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), "PAGE")
    paragraph._p.append(field)


def _add(document: DocxDocument, block: MarkdownBlock, *, subtitle: bool) -> None:
    if block.kind == "heading":
        document.add_heading(block.text, level=block.level - 1)
    elif block.kind == "table":
        _table(document, block)
    else:
        paragraph = document.add_paragraph(style="Subtitle" if subtitle else _STYLES[block.kind])
        _write_runs(paragraph, block.runs)
        if block.kind == "number" and block.level == 1:
            _restart_numbering(document, paragraph)
        elif block.kind == "number":
            _continue_numbering(document, paragraph)


def _write_runs(paragraph: Paragraph, runs: Runs) -> None:
    for run in runs:
        written = paragraph.add_run(run.text, style="Code" if run.code else None)
        written.bold = run.bold or None
        written.italic = run.italic or None


def _table(document: DocxDocument, block: MarkdownBlock) -> None:
    table = document.add_table(rows=len(block.rows), cols=len(block.rows[0]), style="Light List Accent 1")
    for row, cells in zip(table.rows, block.rows, strict=True):
        for cell, runs in zip(row.cells, cells, strict=True):
            _write_runs(cell.paragraphs[0], runs)
            cell.paragraphs[0].paragraph_format.space_after = Pt(2)
    header = OxmlElement("w:tblHeader")
    table.rows[0]._tr.get_or_add_trPr().append(header)
    document.add_paragraph()


def _restart_numbering(document: DocxDocument, paragraph: Paragraph) -> None:
    """Word counts on from one numbered list to the next unless the second has a numbering of its own."""
    numbering = document.part.numbering_part.element
    style_number = document.styles["List Number"].element.pPr.numPr.numId.val
    abstract = numbering.num_having_numId(style_number).abstractNumId.val
    number = numbering.add_num(abstract)
    number.add_lvlOverride(ilvl=0).add_startOverride(1)
    _number(paragraph, number.numId)


def _continue_numbering(document: DocxDocument, paragraph: Paragraph) -> None:
    _number(paragraph, document.part.numbering_part.element.num_lst[-1].numId)


def _number(paragraph: Paragraph, number: int) -> None:
    properties = paragraph._p.get_or_add_pPr().get_or_add_numPr()
    properties.get_or_add_ilvl().val = 0
    properties.get_or_add_numId().val = number


def _repack(buffer: BytesIO, path: Path) -> None:
    """python-docx stamps each zip entry with the present time: write them again with a fixed one."""
    with zipfile.ZipFile(buffer) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            entry = zipfile.ZipInfo(name, date_time=_STAMP.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, source.read(name))
