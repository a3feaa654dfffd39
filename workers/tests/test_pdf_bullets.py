"""Lists of a PDF whose bullets are drawn, as a browser saves a page; and small shapes that are none."""

import io
from collections.abc import Callable

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from corpora.tests import documents
from workers.ingestion.extract.entry import extract
from workers.ingestion.extract.outline.bullets import MOST_BULLETS

Draw = Callable[[Canvas, float, float], None]
ITEMS = ["Toalla de baño", "Gorro de goma, del color que a cada grupo se le diga en la", "taquilla", "Chanclas"]


def disc(canvas: Canvas, x: float, y: float) -> None:
    canvas.circle(x, y + 4, 1.9, stroke=0, fill=1)


def ring(canvas: Canvas, x: float, y: float) -> None:
    canvas.circle(x, y + 4, 1.9, stroke=1, fill=0)


def square(canvas: Canvas, x: float, y: float) -> None:
    canvas.rect(x - 2, y + 2, 4, 4, stroke=0, fill=1)


def printed(draw: Draw, lines: list[str], marked: set[int], *, left: float = 70, mark: float = 62) -> str:
    """Lines below one another, some with something drawn at `mark`."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    canvas.setFont("Helvetica", 12)
    canvas.drawString(50, 780, "Hay que traer:")
    for number, line in enumerate(lines):
        canvas.drawString(left, 760 - 15 * number, line)
        if number in marked:
            draw(canvas, mark, 760 - 15 * number)
    canvas.drawString(50, 600, "Y nada más que eso se pide a quien viene a nadar en verano.")
    canvas.save()
    return extract(buffer.getvalue(), documents.PDF).text


def test_each_line_with_a_drawn_bullet_is_an_item() -> None:
    for draw in (disc, ring, square):
        assert [line for line in printed(draw, ITEMS, {0, 1, 3}).split("\n") if line.startswith("•")] == [
            "• Toalla de baño",
            "• Gorro de goma, del color que a cada grupo se le diga en la taquilla",
            "• Chanclas",
        ]


def test_the_first_line_of_a_page_may_be_one() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=A4)
    canvas.drawString(70, 780, "Toalla")
    disc(canvas, 62, 780)
    canvas.drawString(70, 765, "Gorro")
    disc(canvas, 62, 765)
    canvas.save()
    assert extract(buffer.getvalue(), documents.PDF).text.split("\n")[:2] == ["• Toalla", "• Gorro"]


def test_what_stands_elsewhere_is_no_bullet() -> None:
    for shown in (
        printed(disc, ITEMS, {0, 1}, mark=110),  # in the line
        printed(disc, ITEMS, {0, 1}, left=150, mark=62),  # far off
        printed(lambda canvas, x, y: canvas.circle(x, y + 4, 6, fill=1), ITEMS, {0, 1}),  # as high as the line
        printed(lambda canvas, x, y: canvas.rect(x - 3, y + 4, 7, 1, fill=1), ITEMS, {0, 1}),  # a dash's shape
        printed(lambda canvas, x, y: disc(canvas, x, y + 20), ITEMS[:1], {0}),  # above it
    ):
        assert "•" not in shown


def test_of_a_page_of_many_small_shapes_so_many_are_looked_at() -> None:
    def scatter(canvas: Canvas, x: float, y: float) -> None:
        for number in range(2 * MOST_BULLETS):
            canvas.circle(x + number % 7, y + 4, 1.9, fill=1)

    assert "• Toalla" in printed(scatter, ITEMS, {0})
    assert "• Chanclas" not in printed(scatter, ITEMS, {0, 3})
