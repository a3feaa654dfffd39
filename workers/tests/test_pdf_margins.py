"""Heads, feet and title blocks of PDFs of a few pages: what is taken for one, and what of their text never is."""

import io
from collections.abc import Sequence

import pytest
from reportlab.pdfgen.canvas import Canvas

from corpora.tests import documents
from workers.ingestion.extract.entry import extract
from workers.ingestion.extract.extracted import Extracted

HEAD, FOOT, TOP = 805, 30, 760
BODY, SMALL, BIG = 11, 8, 18
FILLED = "Una frase que llega hasta el margen derecho de su página y por eso sigue en la de abajo salvo acuerdo"

Printed = tuple[str, float, float]  # text, height on the page, size


def read(pages: Sequence[Sequence[Printed]], bold: str = "") -> Extracted:
    canvas = Canvas(buffer := io.BytesIO())
    for lines in pages:
        for text, height, size in lines:
            canvas.setFont("Helvetica-Bold" if text == bold else "Helvetica", size)
            canvas.drawString(40, height, text)
        canvas.showPage()
    canvas.save()
    return extract(buffer.getvalue(), documents.PDF)


def body(*texts: str, size: float = BODY) -> list[Printed]:
    return [(text, TOP - 14 * number, size) for number, text in enumerate(texts)]


def labels(extracted: Extracted) -> list[str]:
    return [page.label for page in extracted.pages]


@pytest.mark.parametrize(
    "foot",
    ["— {} —", "- {} -", "Pág. {}", "Página {} de 1500", "{} | Boletín de la Provincia de Ávila", "Hoja {}/1500"],
)
@pytest.mark.parametrize("pages", [2, 3, 5])
def test_a_foot_that_counts_is_the_pages_label_and_no_text(foot: str, pages: int) -> None:
    texts = [body(FILLED), *(body(f"escrito entre {'abcd'[n]}. {FILLED}") for n in range(pages - 1))]
    printed = [[(foot.format(1412 + n), FOOT, SMALL), *text] for n, text in enumerate(texts)]
    extracted = read(printed)
    assert labels(extracted) == [str(1412 + n) for n in range(pages)]
    assert "14" not in extracted.text
    assert "salvo acuerdo escrito entre a." in extracted.text


def test_what_counts_nothing_is_told_once_where_it_cuts_no_sentence() -> None:
    edges = [("Ayuntamiento de Ávila", HEAD, SMALL), ("Calle Mayor 1, teléfono 920 000 000", FOOT, SMALL)]
    text = read([[*edges, *body("La primera.", FILLED)], [*body("escrito."), *edges]]).text
    assert text.split("\n\n") == [
        "Ayuntamiento de Ávila",
        f"La primera.\n{FILLED} escrito.",
        "Calle Mayor 1, teléfono 920 000 000",
    ]


def test_a_head_as_large_as_the_text_is_one_beside_what_counts_the_pages() -> None:
    def pages(foot: str) -> list[list[Printed]]:
        edges = [("Memoria de la obra", HEAD, BODY)]
        return [[*edges, *body(f"{FILLED} {'ab'[n]}", "y otra."), (foot.format(n + 1), FOOT, BODY)] for n in range(2)]

    assert read(pages("{}")).text.count("Memoria de la obra") == 1
    assert read(pages("Fin del apartado {}.")).text.count("Memoria de la obra") == 2


@pytest.mark.parametrize("title", ["Ejercicio {}", "{}. Medidas", "Lección {} de la primera parte del curso", "{}"])
def test_titles_of_pages_that_count_are_no_heads(title: str) -> None:
    pages = [[(title.format(n), HEAD, BODY), *body(f"Lo de la página {'ab'[n - 1]}.")] for n in (1, 2)]
    text = read(pages).text
    assert all(title.format(n) in text for n in (1, 2))


def test_titles_of_slides_stay() -> None:
    pages = [[("Tipos de redes", HEAD, BIG), *body(f"Las de {kind}.")] for kind in ("anillo", "bus", "estrella")]
    assert read(pages).text.count("Tipos de redes") == 3


def test_two_copies_of_a_form_stay_whole() -> None:
    form = [
        (text, HEAD - 40 * n, SMALL) for n, text in enumerate(["Solicitud", "Nombre:", "Fecha:", "Pide:", "Firma:"])
    ]
    pages = [[*form, (f"Ejemplar para {whom}", 400, BODY)] for whom in ("quien solicita", "la oficina de registro")]
    assert read(pages).text.count("Nombre:") == 2


def test_letters_to_several_people_keep_what_they_say() -> None:
    said = ["Le esperamos el martes.", "Atentamente, la dirección"]
    pages = [[*body(f"Estimada {name}:", *said), ("La directora", FOOT + 80, BODY)] for name in ("Ana", "Eva")]
    text = read(pages).text
    assert [text.count(line) for line in (*said, "La directora")] == [2, 2, 2]


def test_small_lines_near_the_text_are_part_of_it() -> None:
    pages = [[("Concepto Importe", TOP + 12, SMALL), *body(f"Papel {n} euros")] for n in (11, 12)]
    assert read(pages).text.count("Concepto Importe") == 2


def test_a_title_in_another_type_begins_no_sentence() -> None:
    title = "Ordenanza municipal que regula el uso y el aprovechamiento de los huertos de la villa"
    lines = [("Ayuntamiento de la villa y de su tierra, que por extenso se llama así y llega al margen", HEAD, SMALL)]
    text = read(
        [[*lines, *body(title, "Aprobada por el Pleno el 19 de noviembre.", f"{FILLED} {FILLED[:20]}")]], title
    ).text
    assert text.split("\n\n")[:3] == [lines[0][0], title, text.split("\n\n")[2]]
    assert text.split("\n\n")[2].startswith("Aprobada")


def test_a_word_in_bold_begins_no_paragraph() -> None:
    text = read([body(FILLED, "escrito entre las dos partes.", FILLED, FILLED)], "escrito entre las dos partes.").text
    assert f"{FILLED} escrito entre las dos partes." in text
