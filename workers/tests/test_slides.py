"""Slides of a PDF without an outline: each is a section under its title."""

import io

from reportlab.lib.pagesizes import A4, landscape
from reportlab.pdfgen.canvas import Canvas

from corpora.tests import documents
from workers.ingestion.extract.entry import extract

SLIDES = [("Qué es una pila", ["Último en entrar", "Primero en salir"]), ("Operaciones", ["apilar", "desapilar"])] * 3


def slides(size: tuple[float, float]) -> bytes:
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=size)
    for number, (title, points) in enumerate(SLIDES, start=1):
        canvas.setFont("Helvetica", 30)
        canvas.drawString(60, size[1] - 80, f"{title} ({number})")
        canvas.setFont("Helvetica", 16)
        for place, point in enumerate(points):
            canvas.drawString(80, size[1] - 140 - 30 * place, point)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def test_each_slide_is_a_section_under_its_title() -> None:
    extracted = extract(slides(landscape(A4)), documents.PDF)
    assert [one.title for one in extracted.headings] == [f"{title} ({n})" for n, (title, _) in enumerate(SLIDES, 1)]
    for heading, page in zip(extracted.headings, extracted.pages, strict=True):
        assert page.start <= heading.start < heading.end <= page.end


def test_pages_of_a_text_are_no_slides() -> None:
    assert extract(slides(A4), documents.PDF).headings == ()
