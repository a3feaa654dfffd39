"""Sets blocks as a PDF: A4, running foot, bookmarks, tables; the same bytes at every build."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape

from markdown_blocks import MarkdownBlock, Runs
from reportlab.lib.colors import HexColor
from reportlab.lib.enums import TA_LEFT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

INK, ACCENT, RULE, SHADE = (HexColor(c) for c in ("#1f2430", "#1d4e6b", "#b9c4cc", "#eef3f6"))
MARGIN = 29 * mm
WIDTH = A4[0] - 2 * MARGIN - 12  # the frame keeps 6 points of padding on each side

_BODY = ParagraphStyle(
    "body", fontName="Times-Roman", fontSize=11.5, leading=17, textColor=INK, spaceAfter=7, alignment=TA_LEFT
)
_CELL = ParagraphStyle("cell", parent=_BODY, fontName="Helvetica", fontSize=8.6, leading=11.4, spaceAfter=0)
_ITEM = ParagraphStyle("item", parent=_BODY, leftIndent=18, bulletIndent=3, bulletFontName="Times-Roman", spaceAfter=4)
_QUOTE = ParagraphStyle("quote", parent=_BODY, leftIndent=20, rightIndent=20)
_SUBTITLE = ParagraphStyle("subtitle", parent=_BODY, fontName="Helvetica", fontSize=10.5, spaceAfter=20)
_HEADINGS = {
    1: ParagraphStyle("h1", fontName="Helvetica-Bold", fontSize=26, leading=31, textColor=ACCENT, spaceAfter=4),
    2: ParagraphStyle(
        "h2",
        fontName="Helvetica-Bold",
        fontSize=15,
        leading=19,
        textColor=ACCENT,
        spaceBefore=14,
        spaceAfter=7,
    ),
    3: ParagraphStyle(
        "h3", fontName="Helvetica-Bold", fontSize=12, leading=16, textColor=INK, spaceBefore=9, spaceAfter=5
    ),
}
_GRID = TableStyle(
    [
        ("BACKGROUND", (0, 0), (-1, 0), SHADE),
        ("LINEBELOW", (0, 0), (-1, -1), 0.5, RULE),
        ("LINEABOVE", (0, 0), (-1, 0), 1, ACCENT),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
        ("TOPPADDING", (0, 0), (-1, -1), 4),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 5),
    ]
)


class _Heading(Paragraph):
    """A heading that also becomes a bookmark of the PDF's outline."""

    def __init__(self, markup: str, level: int, key: str) -> None:
        super().__init__(markup, _HEADINGS[level])
        self.level, self.key = level, key
        self.keepWithNext = 1

    def draw(self) -> None:
        self.canv.bookmarkPage(self.key)
        self.canv.addOutlineEntry(self.getPlainText(), self.key, level=self.level - 1, closed=False)
        super().draw()


def write(blocks: list[MarkdownBlock], path: Path, author: str, language: str) -> None:
    """Writes `path`. `invariant` fixes ReportLab's date and file id, so that a rebuild changes no byte."""
    title = blocks[0].text

    def foot(canvas: Canvas, _document: SimpleDocTemplate) -> None:
        canvas.setFont("Helvetica", 8.5)
        canvas.setFillColor(ACCENT)
        canvas.drawString(MARGIN + 6, 13 * mm, f"{author} · {title}")
        canvas.drawRightString(A4[0] - MARGIN - 6, 13 * mm, str(canvas.getPageNumber()))

    document = SimpleDocTemplate(
        str(path),
        pagesize=A4,
        leftMargin=MARGIN,
        rightMargin=MARGIN,
        topMargin=22 * mm,
        bottomMargin=24 * mm,
        title=title,
        author=author,
        lang=language,
        invariant=1,
    )
    document.build(list(_flowables(blocks)), onFirstPage=foot, onLaterPages=foot)


def _flowables(blocks: list[MarkdownBlock]) -> Iterator[Flowable]:
    for position, block in enumerate(blocks):
        if block.kind == "heading":
            yield _Heading(_markup(block.runs), block.level, f"h{position}")
        elif block.kind == "table":
            yield from (_table(block), Spacer(1, 10))
        elif block.kind in ("bullet", "number"):
            mark = "•" if block.kind == "bullet" else f"{block.level}."
            yield Paragraph(_markup(block.runs), _ITEM, bulletText=mark)
        else:
            style = _QUOTE if block.kind == "quote" else _SUBTITLE if position == 1 else _BODY
            paragraph = Paragraph(_markup(block.runs), style)
            paragraph.keepWithNext = position + 1 < len(blocks) and blocks[position + 1].kind == "table"
            yield paragraph


def _markup(runs: Runs) -> str:
    parts = []
    for run in runs:
        text = escape(run.text)
        text = f'<font face="Courier">{text}</font>' if run.code else text
        text = f"<i>{text}</i>" if run.italic else text
        parts.append(f"<b>{text}</b>" if run.bold else text)
    return "".join(parts)


def _table(block: MarkdownBlock) -> Table:
    head, *body = block.rows
    cells = [[Paragraph(f"<b>{_markup(cell)}</b>", _CELL) for cell in head]]
    cells += [[Paragraph(_markup(cell), _CELL) for cell in row] for row in body]
    return Table(cells, colWidths=_widths(block), repeatRows=1, style=_GRID, hAlign="LEFT")


def _widths(block: MarkdownBlock) -> list[float]:
    """Shares the page's width by each column's text: total length counts, and no column breaks a word."""
    columns = [["".join(run.text for run in cell) for cell in column] for column in zip(*block.rows, strict=True)]
    weights = [
        max(sum(map(len, column)) ** 0.6, 2.2 * max(len(word) for cell in column for word in cell.split()))
        for column in columns
    ]
    return [WIDTH * weight / sum(weights) for weight in weights]
