"""PDF: pages, readable sentences, outline headings, and files that must fail with advice."""

import io
import os
from pathlib import Path

import pytest
from pypdf import PdfWriter
from reportlab.pdfgen.canvas import Canvas

from corpora.tests import documents
from retrieval.text.passages import label_at, page_at
from workers.ingestion.extract.entry import extract
from workers.ingestion.extract.extracted import Extracted
from workers.ingestion.extract.failures import CODES, ExtractionError
from workers.ingestion.extract.outline import structure
from workers.ingestion.extract.outline.lines import Bookmark
from workers.ingestion.extract.pdf_text import LINE_HYPHEN, assemble

SHARED = Path(os.environ.get("ACERVO_SHARED", Path(__file__).resolve().parents[3] / "shared"))
LONG = "Esta línea llega hasta el margen derecho de la página y por eso se parte"


def read(content: bytes) -> Extracted:
    extracted = extract(content, documents.PDF)
    position = 0
    for number, page in enumerate(extracted.pages, start=1):
        assert (page.number, page.start) == (number, position)
        position = page.end
    assert position == len(extracted.text)
    assert len(extracted.pages) == extracted.page_count
    return extracted


def page_texts(extracted: Extracted) -> list[str]:
    return [extracted.text[page.start : page.end].strip() for page in extracted.pages]


def failure(content: bytes) -> str:
    with pytest.raises(ExtractionError) as caught:
        read(content)
    assert caught.value.code in CODES
    return caught.value.code


def test_pages_are_spans_of_one_text() -> None:
    extracted = read(documents.pdf([["Uno."], [], ["Tres."]], title="Apuntes"))
    assert page_texts(extracted) == ["Uno.", "", "Tres."]
    assert extracted.title == "Apuntes"


def test_soft_breaks_are_joined_and_hyphens_healed() -> None:
    lines = [f"{LONG} en", "dos mitades que hablan de la infor-", "mación del paciente.", "Otro párrafo."]
    text = read(documents.pdf([lines])).text
    assert f"{LONG} en dos mitades que hablan de la información del paciente." in text
    assert text.endswith("\nOtro párrafo.")


def test_a_compound_keeps_its_hyphen() -> None:
    filled = "relleno " * 8
    text = assemble([[f"{filled} franco-", "alemán y el tratado franco-alemán", "de siempre"]], []).text
    assert "franco-alemán y el tratado franco-alemán" in text


@pytest.mark.parametrize(
    "name",
    ["/var/lib/plinth/firstboot-wizard", "(~/notes/on-line", "set_up-later"],
)
def test_a_path_keeps_the_hyphen_at_which_it_is_broken(name: str) -> None:
    filled, (begin, end) = "relleno " * 8, name.split("-")
    assert name in assemble([[f"{filled} {begin}-", f"{end} dice qué hacer.", "Lo demás."]], []).text
    assert name in assemble([[f"{filled} {begin}{LINE_HYPHEN}{end} dice qué hacer.", "Lo demás."]], []).text


def test_what_only_has_a_slash_is_no_path() -> None:
    filled = "relleno " * 8
    assert "y/o administrativo" in assemble([[f"{filled} y/o admi-", "nistrativo de siempre.", "Lo demás."]], []).text


def test_lists_and_short_lines_stay_apart() -> None:
    lines = [LONG, "1. primero de la lista", "2. segundo de la lista", "• tercero", "Corta", "Otra corta"]
    assert read(documents.pdf([lines])).text.split("\n")[1:] == lines[1:]


def test_a_sentence_over_two_pages_is_one_sentence() -> None:
    extracted = read(documents.pdf([[LONG], ["por la mitad."]]))
    assert extracted.text == f"{LONG} por la mitad."
    assert page_texts(extracted)[1] == "por la mitad."


def test_running_headers_and_footers_go_but_for_the_first() -> None:
    pages = [["Manual de usuario", f"Contenido propio número {n * 7}.", f"Página {n} de 9"] for n in range(1, 10)]
    text = read(documents.pdf(pages)).text
    assert text.count("Manual de usuario") == 1
    assert "Página" not in text
    assert all(f"propio número {n * 7}." in text for n in range(1, 10))


@pytest.mark.parametrize("line", ["Estándar de verificación 5.0 de mayo de 2025", "cve: BOE-A-2012-10477"])
def test_a_running_line_may_have_a_number_that_does_not_count_the_pages(line: str) -> None:
    half = "palabras " * 9 + "que"
    text = read(documents.pdf([[line, f"de la página {n} {half}", f"siguen con {half}"] for n in "abcdefgh"])).text
    assert text.count(line) == 1
    assert f"{half} de la página c" in text, "a sentence over two pages is one sentence"


def test_columns_of_figures_are_no_running_lines() -> None:
    pages = [[f"Requisito {n * 11} que se verifica en {n} sitios.", "2"] for n in range(1, 9)]
    assert read(documents.pdf(pages)).text.split("\n").count("2") == 8


def test_a_running_head_that_names_the_section_is_known_by_its_page_number() -> None:
    pages = [[f"Del texto {'abcdefghi'[n]}.", f"{n // 3 + 4}.2. Sobre los paquetes {n}"] for n in range(1, 9)]
    assert "Sobre los paquetes" not in read(documents.pdf(pages)).text


def test_a_running_head_that_names_the_chapter_goes_but_for_its_first() -> None:
    head = ["CAPÍTULO 3. ANTES DE… 3.1. COPIAS", "CAPÍTULO 3. ANTES DE… 3.2. REDES", "CAPÍTULO 3. ANTES DE… 3.3. FIN"]
    other = ["CAPÍTULO 4. AHORA… 4.1. DISCOS", "CAPÍTULO 4. AHORA… 4.2. MEMORIAS"]
    firsts = ["Capítulo 3", *head, "Capítulo 4", *other]
    pages = [[first, f"Texto {'abcdefg'[n]}.", f"Y otro {'hijklmn'[n]}."] for n, first in enumerate(firsts)]
    assert [line for line in read(documents.pdf(pages)).text.split("\n") if "tulo" in line.casefold()] == [
        "Capítulo 3",
        "Capítulo 4",
    ]


def test_chapters_that_begin_anew_are_no_running_heads() -> None:
    firsts = ["CAPÍTULO I", "CAPÍTULO II", "Texto.", "CAPÍTULO I", "CAPÍTULO II", "Texto.", "CAPÍTULO I", "CAPÍTULO II"]
    text = read(documents.pdf([[first, f"Cosas {'abcdefgh'[n]}."] for n, first in enumerate(firsts)])).text
    assert text.count("CAPÍTULO") == 6


@pytest.mark.parametrize("label", ["Lección", "Pregunta", "Artículo"])
def test_numbered_titles_are_not_running_headers(label: str) -> None:
    pages = [[f"{label} {n}", f"Texto distinto {'abcdefghi'[n]}."] for n in range(1, 9)]
    text = read(documents.pdf(pages)).text
    assert all(f"{label} {n}\n" in text for n in range(1, 9))


def test_three_pages_are_too_few_to_call_a_line_running() -> None:
    assert read(documents.pdf([["Factura", f"Cosa {n}"] for n in "abc"])).text.count("Factura") == 3


def test_outline_entries_become_headings_of_printed_lines() -> None:
    outline = [("Capítulo I. Principios", 0, 0), ("Artículo 1. Ámbito", 1, 0), ("No impreso", 1, 1), ("Final", 0, 1)]
    pages = [["CAPÍTULO I", "Principios", "Artículo 1. Ámbito", "El texto."], ["1.2 Final", "Se acabó."]]
    extracted = read(documents.pdf(pages, outline))
    found = [(h.level, h.title, extracted.text[h.start : h.end]) for h in extracted.headings]
    assert found == [
        (1, "Capítulo I. Principios", "CAPÍTULO I Principios"),
        (2, "Artículo 1. Ámbito", "Artículo 1. Ámbito"),
        (2, "1.2 Final", "1.2 Final"),
    ]
    assert "Artículo 1. Ámbito\n\nEl texto." in extracted.text


def test_bookmarks_out_of_range_are_harmless() -> None:
    assert assemble([["a"]], [Bookmark(1, "a", 7), Bookmark(1, "", 0)]).headings == ()


def test_an_empty_user_password_opens_a_document() -> None:
    assert read(documents.pdf([["Se puede leer."]], password="")).text == "Se puede leer."


def test_a_password_fails_with_advice() -> None:
    assert failure(documents.pdf([["Secreto."]], password="clave")) == "encrypted_document"


@pytest.mark.parametrize(("pages", "stamp"), [(1, ""), (3, ""), (9, "CamScanner"), (6, "1")])
def test_a_scan_fails_with_advice(pages: int, stamp: str) -> None:
    assert failure(documents.scanned_pdf(pages, stamp)) == "scanned_document"


def test_a_little_text_beside_a_picture_is_a_document() -> None:
    assert read(documents.scanned_pdf(1, "Aviso importante")).text == "Aviso importante"


def test_blank_pages_are_empty() -> None:
    assert failure(documents.pdf([[], []])) == "empty_document"


@pytest.mark.parametrize(
    "content",
    [b"%PDF-1.7\n", b"no PDF at all", documents.pdf([["a"]])[:300], documents.cyclic_pdf(), documents.docx_of_xml("")],
)
def test_a_damaged_pdf_fails_with_advice(content: bytes) -> None:
    assert failure(content) == "corrupt_document"


@pytest.mark.parametrize("depth", [100, 5_000])
def test_deep_structures_end_in_a_code(depth: int) -> None:
    assert failure(documents.deep_pdf(depth)) in ("corrupt_document", "empty_document")


def test_too_many_pages_fail_before_they_are_read() -> None:
    assert failure(documents.many_pages_pdf(5_001)) == "too_many_pages"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("encrypted-password.pdf", "encrypted_document"),
        ("scanned.pdf", "scanned_document"),
        ("zero_bytes.pdf", "empty_document"),
        ("docx-renamed.pdf", "corrupt_document"),
    ],
)
def test_real_difficult_files(name: str, code: str) -> None:
    path = SHARED / "samples" / "difficult" / name
    if not path.exists():
        pytest.skip("shared/samples is not here")
    assert failure_of(path) == code


def failure_of(path: Path) -> str:
    with pytest.raises(ExtractionError) as caught:
        extract(path.read_bytes(), documents.PDF)
    return caught.value.code


def test_a_real_law_keeps_its_articles_as_headings() -> None:
    path = SHARED / "samples" / "leyes" / "ley-41-2002-autonomia-del-paciente.pdf"
    if not path.exists():
        pytest.skip("shared/samples is not here")
    extracted = read(path.read_bytes())
    assert sum(heading.title.startswith("Artículo") for heading in extracted.headings) == 23
    assert "LEGISLACIÓN CONSOLIDADA" not in extracted.text
    assert "autonomía de su voluntad y a su intimidad orientarán toda la actividad" in extracted.text


def test_a_page_has_the_number_that_is_printed_on_it() -> None:
    writer = PdfWriter(clone_from=io.BytesIO(documents.pdf([["Prólogo."], ["Más."], ["Capítulo."]])))
    writer.set_page_label(0, 1, "/r")
    writer.set_page_label(2, 2, "/D", prefix="A-", start=7)
    written = io.BytesIO()
    writer.write(written)
    rows = [page.row for page in read(written.getvalue()).pages]
    assert [row[3] for row in rows] == ["i", "ii", "A-7"]
    assert (label_at(rows, 0), page_at(rows, rows[2][1]), label_at(rows, rows[2][1])) == ("i", 3, "A-7")


def test_numbers_that_heads_and_feet_print_are_taken_where_the_file_has_none() -> None:
    pages = [["Portada."], *([f"Cosa {'abcdefg'[n]}.", f"Núm. 9 Lunes 3 de mayo Pág. {700 + n}"] for n in range(7))]
    assert [page.label for page in read(documents.pdf(pages)).pages] == ["", *map(str, range(700, 707))]
    own = [[f"Cosa {'abcdefg'[n]}.", f"Página {n + 1}"] for n in range(7)]
    assert {page.label for page in read(documents.pdf(own)).pages} == {""}


def test_numbers_that_are_the_pages_own_are_not_repeated() -> None:
    assert [page.row for page in read(documents.pdf([["Uno."], ["Dos."]])).pages] == [[1, 0, 6], [2, 6, 10]]


def test_what_a_form_holds_is_read_on_its_page() -> None:
    canvas = Canvas(buffer := io.BytesIO())
    canvas.drawString(60, 800, "Solicitud.")
    canvas.showPage()
    canvas.drawString(60, 800, "Datos.")
    canvas.acroForm.textfield(name="apellido", tooltip="Apellido", value="Quiroga", x=60, y=700)
    canvas.acroForm.textfield(name="vacio", tooltip="Nada", value="", x=60, y=600)
    canvas.save()
    assert page_texts(read(buffer.getvalue())) == ["Solicitud.", "Datos.\nApellido: Quiroga"]


def test_pypdf_finds_the_same_outline_and_forgives() -> None:
    content = documents.pdf([["Uno."], ["Dos."]], [("Primero", 0, 0), ("Segundo", 1, 1)])
    assert structure.other_bookmarks(content) == [Bookmark(1, "Primero", 0), Bookmark(2, "Segundo", 1)]
    assert structure.other_bookmarks(content[:300] + b"/Outlines") == []
    assert structure.form_values(content[:300] + b"/AcroForm") == {}


def test_pypdf_gets_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    def forever(_: object) -> None:
        while True:
            pass

    monkeypatch.setattr(structure, "SECONDS", 0.05)
    monkeypatch.setattr(structure, "_reader", forever)
    assert structure.other_bookmarks(b"/Outlines") == []


@pytest.mark.parametrize(
    "declared",
    [
        *("bop_2023_118", "Microsoft Word - acta.doc", "Presentación de PowerPoint", "a.html", "(anonymous)"),
        *(r"C:\wp\FILE94\MT_r1.wpd [PFP#1181]", r"\\server\share\acta", "/home/ana/acta final", "file:///tmp/acta"),
        *("about:blank", "https://example.org/acta?id=7", "Untitled", "untitled-2", "untitled.indd", "20231118"),
    ],
)
def test_a_title_that_is_a_files_name_is_none(declared: str) -> None:
    pages = [["Ordenanza de terrazas", "TÍTULO I", "Objeto", "Se regulan las terrazas."]]
    outline = [("Ordenanza de terrazas", 0, 0), ("TÍTULO I", 1, 0)]
    assert read(documents.pdf(pages, outline, title=declared)).title == "Ordenanza de terrazas"
