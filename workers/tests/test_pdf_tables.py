"""Tables of a PDF: rows with their head, cells whole, nothing lost; and what only looks like a table."""

import io
from collections.abc import Sequence

import pytest
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph, SimpleDocTemplate, Table

from corpora.tests import documents
from workers.ingestion.chunk.chunking import cut_chunks
from workers.ingestion.extract.entry import extract
from workers.ingestion.extract.extracted import Extracted
from workers.ingestion.extract.tables.grid import PrintedPiece, grids_among
from workers.ingestion.extract.tables.rows import TableRow, are_clauses, is_data, row_of, table_rows, with_rules

STYLE = getSampleStyleSheet()["Normal"]
RULED = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
LONG = "Un texto que es más largo de lo que cabe en una línea de su celda y que por eso ocupa varias líneas"
PROSE = "Aquí sigue el texto corrido, que llega de un margen de la página al otro y no es de ninguna tabla. " * 3


def pdf_of(*flowables: Flowable, columns: int = 1) -> Extracted:
    buffer = io.BytesIO()
    if columns == 1:
        SimpleDocTemplate(buffer, pagesize=A4).build(list(flowables))
    else:
        width = 480 / columns
        frames = [Frame(50 + place * (width + 20), 60, width, 700) for place in range(columns)]
        template = BaseDocTemplate(buffer, pagesize=A4)
        template.addPageTemplates([PageTemplate(frames=frames)])
        template.build(list(flowables))
    return extract(buffer.getvalue(), documents.PDF)


def rows_in(extracted: Extracted) -> list[str]:
    return [line for line in extracted.text.split("\n") if line.startswith("|")]


def table(rows: Sequence[Sequence[object]], **options: object) -> Table:
    return Table([list(row) for row in rows], **{"style": RULED, **options})


SEDES = [
    ("Sede", "Laborables", "Sábado"),
    ("Central", "8:30 a 21:00", "9:30 a 14:00"),
    ("Puerto", "10 a 20", "cerrada"),
]


@pytest.mark.parametrize("style", [RULED, []])
def test_a_table_is_rows_with_their_head_ruled_or_not(style: list[object]) -> None:
    extracted = pdf_of(Paragraph(PROSE, STYLE), table(SEDES, style=style), Paragraph(PROSE, STYLE))
    rows = [
        "| Sede | Laborables | Sábado |", "| --- | --- | --- |",
        "| Central | 8:30 a 21:00 | 9:30 a 14:00 |", "| Puerto | 10 a 20 | cerrada |",
    ]  # fmt: skip
    assert f"\n\n{chr(10).join(rows)}\n\nAquí sigue" in extracted.text
    assert " ".join(extracted.text.split()).count(PROSE.strip()) == 2


@pytest.mark.parametrize("valign", ["TOP", "MIDDLE", "BOTTOM"])
def test_a_wrapped_cell_stays_one_and_an_empty_one_keeps_its_place(valign: str) -> None:
    rows = [("Clave", "Qué es", "Nivel"), ("A", Paragraph(LONG, STYLE), "1"), ("B", "corto", ""), ("C", "", "3")]
    extracted = pdf_of(table(rows, colWidths=[60, 150, 60], style=[*RULED, ("VALIGN", (0, 0), (-1, -1), valign)]))
    assert rows_in(extracted)[2:] == [f"| A | {LONG} | 1 |", "| B | corto |  |", "| C |  | 3 |"]


def test_a_table_over_the_page_is_one_and_has_its_head_once() -> None:
    rows = [("Código", "Importe"), *((f"Tasa {n}", f"{n},50") for n in range(1, 90))]
    extracted = pdf_of(table(rows, repeatRows=1))
    assert extracted.page_count > 1
    assert rows_in(extracted) == [
        "| Código | Importe |",
        "| --- | --- |",
        *(f"| Tasa {n} | {n},50 |" for n in range(1, 90)),
    ]
    assert "|\n\n|" not in extracted.text
    second = next(page for page in extracted.pages if page.number == 2)
    assert extracted.text[second.start :].lstrip().startswith("| Tasa")
    later = list(cut_chunks(extracted, 256, 32))[1:]
    assert later
    assert all(chunk.heading_path[-1] == "Código · Importe" for chunk in later)
    assert all(extracted.text[chunk.start : chunk.end] == chunk.text and "Código" not in chunk.text for chunk in later)


def test_a_heading_between_two_tables_is_of_neither() -> None:
    heading = getSampleStyleSheet()["Heading1"]
    pumps = [("Característica", "HV-320", "HV-450"), ("Peso", "38 kg", "57 kg"), ("Cable", "10 m", "15 m")]
    last = Paragraph("El fabricante recoge las bombas de más de diez años cuando se compra otra.", STYLE)
    between = [Paragraph("9. Datos técnicos", heading), table(pumps, colWidths=[180, 110, 110]), last]
    parts = [("Pieza", "Referencia", "Otra"), ("Juntas", "RJ-1", "RJ-2"), ("Cierre", "RC-1", "RC-2")]
    extracted = pdf_of(
        Paragraph(PROSE, STYLE), table(SEDES, colWidths=[180, 110, 110]), *between,
        Paragraph("12. Repuestos", heading), table(parts, colWidths=[180, 110, 110]),
    )  # fmt: skip
    assert [one.title for one in extracted.headings] == ["9. Datos técnicos", "12. Repuestos"]
    assert rows_in(extracted)[4:6] == ["| Característica | HV-320 | HV-450 |", "| --- | --- | --- |"]
    assert "| Pieza | Referencia | Otra |" in rows_in(extracted)


CODES = [(str(n), f"Avería de la bomba {'del circuito exterior ' * (n % 3)}") for n in range(1, 70)]


def test_codes_below_a_head_are_a_table_also_on_the_page_where_it_goes_on_without_its_head() -> None:
    extracted = pdf_of(table([("N.º", "Avería"), *CODES], style=[]))
    assert extracted.page_count > 1
    assert rows_in(extracted) == [
        "| N.º | Avería |",
        "| --- | --- |",
        *(f"| {n} | {said.strip()} |" for n, said in CODES),
    ]


def test_a_head_that_is_centred_over_its_column_is_of_that_column() -> None:
    rows = [
        ("Clave", "Qué es", "Nivel"),
        ("A", "corto", "alto"),
        ("B", "Un texto que llega más lejos que su nombre", "bajo"),
    ]
    styles: list[list[object]] = [[], [("ALIGN", (0, 0), (-1, 0), "CENTER")], [("ALIGN", (1, 1), (1, -1), "RIGHT")]]
    for style in styles:
        extracted = pdf_of(table(rows, colWidths=[90, 300, 90], style=style))
        assert rows_in(extracted)[:1] + rows_in(extracted)[2:] == [f"| {' | '.join(row)} |" for row in rows]


def test_a_list_behind_letters_is_no_table_also_with_gaps_inside() -> None:
    rows = [("o", "0", "-", "Success"), ("o", "1", "-", "Usage error"), ("o", "", "", ""), ("", "o", "4", "-")]
    assert not is_data(rows)


def test_headings_behind_their_numbers_are_no_table() -> None:
    rows = [("22.", "Soporte"), ("22.1.", "Por voluntarios"), ("22.1.1.", "En inglés"), ("22.2.", "De pago")]
    assert not is_data(rows)
    assert rows_in(pdf_of(table(rows, style=[]))) == []


def test_a_bar_in_a_cell_is_no_border() -> None:
    rows = [("Orden", "Qué hace"), ("a | b", "une"), ("c", "nada"), ("d", "menos")]
    assert rows_in(pdf_of(table(rows)))[2] == r"| a \| b | une |"


def test_cells_that_are_written_in_one_go_are_told_apart() -> None:
    buffer = io.BytesIO()
    canvas = Canvas(buffer)
    canvas.drawString(60, 780, "Tabla 3. Qué contiene cada una")
    for number, (name, what) in enumerate([("Nombre", "Contiene"), ("uno", "lo primero"), ("dos", "lo otro")] * 2):
        text = canvas.beginText(60, 750 - 16 * number)
        text._code.append(f"[({name}) -{6000 - 500 * len(name)} ({what})] TJ".encode("latin-1").decode("latin-1"))
        canvas.drawText(text)
    canvas.save()
    rows = rows_in(extract(buffer.getvalue(), documents.PDF))
    assert "| uno | lo primero |" in rows
    assert "| dos | lo otro |" in rows


def test_text_in_two_columns_is_read_column_by_column() -> None:
    extracted = pdf_of(*(Paragraph(f"{n} {PROSE}", STYLE) for n in range(40)), columns=2)
    assert rows_in(extracted) == []


def test_lists_contents_and_lines_with_a_gap_are_no_tables() -> None:
    listed = table([(f"{n}.", f"Paso número {n} de esta lista") for n in range(1, 6)], style=[])
    contents = table(
        [(f"Capítulo de {name}", str(n)) for n, name in enumerate(("altas", "bajas", "multas"), 3)], style=[]
    )
    heads = table([("Manual de uso", "mayo de 2025")], style=[])
    for one in (listed, contents, heads):
        assert rows_in(pdf_of(Paragraph(PROSE, STYLE), one, Paragraph(PROSE, STYLE))) == []


def test_clauses_stay_sections() -> None:
    rows = [("#", "Requisito", "Nivel"), *((f"1.2.{n}", f"{LONG} {n}", "1") for n in range(1, 5))]
    assert are_clauses(rows)
    assert not are_clauses([("#", "Qué", "Precio"), *((f"1.{n}", f"{LONG} {n}", "3,50") for n in range(1, 5))])
    flowables = [(key, Paragraph(text, STYLE), level) for key, text, level in rows]
    extracted = pdf_of(table(flowables, colWidths=[60, 300, 60]))
    assert [heading.title.split(" ")[0] for heading in extracted.headings] == ["1.2.1", "1.2.2", "1.2.3", "1.2.4"]


def test_what_is_drawn_with_characters_stays_as_it_is() -> None:
    assert not is_data([("NAME", "|", "2"), ("DEPT", "|", "3"), ("JOB", "|", "4")])
    assert is_data([("Por defecto", "+"), ("Nulo", "–"), ("Otro", "!")])


def test_typed_lines_whose_spaces_fall_below_one_another_are_no_table() -> None:
    assert not is_data([("", "", "program", "is", "free"), ("20", "it", "under", "", "")])
    assert not is_data(
        [("#", "Crea", "el primer usuario", "con", "el", "UID"), ("#", "al", "que", "se", "le", "da")] * 3
    )
    assert is_data([("paquete", "tamaño", "orden"), ("whois", "380", "")])
    assert is_data([("Servicio", "a", "b", "c"), ("uno", "sí", "no", "no"), ("dos", "no", "sí", "no")])


def test_a_row_alone_is_nothing() -> None:
    pieces = [PrintedPiece(50, 700, 90, 710), PrintedPiece(200, 700, 260, 710), PrintedPiece(50, 600, 500, 610)]
    assert grids_among(pieces) == []


def test_many_pieces_that_make_no_table_take_little() -> None:
    """Each line steps right once and stands alone twice: none is a table, and each is looked at but a few times."""
    pieces = []
    for line in range(1_000):
        y = 30_000 - 18.0 * line
        pieces += [PrintedPiece(50 + x, y, 60 + x, y + 8) for x in ((0, 40) if line % 3 == 0 else (40,))]
    assert grids_among(pieces) == []


def test_another_table_is_another_one_also_with_as_many_columns() -> None:
    marks, ports = (
        table_rows([["Alumno", "Nota"], ["Ana", "9"]]),
        table_rows([["Servicio", "Puerto"], ["Correo", "25"]]),
    )
    rule = "| --- | --- |"
    both = ["", "| Alumno | Nota |", rule, "| Ana | 9 |", "", "| Servicio | Puerto |", rule, "| Correo | 25 |"]
    assert with_rules([[*marks, *ports]]) == [both]
    over_a_page = with_rules([marks, ports])  # there were figures in the second column, and here are none
    assert [line for page in over_a_page for line in page] == both


def test_a_table_goes_on_over_a_page_with_its_head_again_or_with_figures_below_figures() -> None:
    first = table_rows([["Alumno", "Nota"], ["Ana", "9"]])
    for more in (table_rows([["Luis", "7"]]), table_rows([["Alumno", "Nota"], ["Luis", "7"]])):
        assert with_rules([first, more])[1] == ["| Luis | 7 |"]


def test_the_rule_stands_below_the_head_and_blank_lines_around() -> None:
    first, second = row_of(["a", "b"]), row_of(["1", "2"])
    assert with_rules([["antes", first, second, "después"]]) == [
        ["antes", "", "| a | b |", "| --- | --- |", "| 1 | 2 |", "", "después"]
    ]
    assert with_rules([["| a | b |", "| 1 | 2 |"]]) == [["| a | b |", "| 1 | 2 |"]]  # the document's own
    assert isinstance(first, TableRow)


def test_the_head_of_a_table_is_no_heading_in_bold() -> None:
    style = [*RULED, ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")]
    extracted = pdf_of(Paragraph(PROSE, STYLE), table(SEDES, style=style), Paragraph(PROSE, STYLE))
    assert extracted.headings == ()
    assert rows_in(extracted)[:2] == ["| Sede | Laborables | Sábado |", "| --- | --- | --- |"]
