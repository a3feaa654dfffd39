"""DOCX as people write them in Word: headings without styles, automatic numbers, footnotes, merged cells."""

import io
import zipfile
from typing import Any

from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from corpora.tests import documents
from workers.ingestion.extract.entry import extract
from workers.ingestion.extract.extracted import Extracted

OUTLINE = ("%1.", "%1.%2.", "%3)")


def numbered(document: Any, patterns: tuple[str, ...], restarts: int = 0) -> list[str]:
    """A list of these levels: its id, and those of others that begin it anew."""
    root = document.part.numbering_part.element
    levels = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/>'
        f'<w:numFmt w:val="{"lowerLetter" if pattern == "%3)" else "decimal"}"/><w:lvlText w:val="{pattern}"/></w:lvl>'
        for level, pattern in enumerate(patterns)
    )
    root.insert(0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="90">{levels}</w:abstractNum>'))
    anew = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    for number in range(restarts + 1):
        root.append(
            parse_xml(
                f'<w:num {nsdecls("w")} w:numId="{90 + number}"><w:abstractNumId w:val="90"/>'
                f"{anew if number else ''}</w:num>"
            )
        )
    return [str(90 + number) for number in range(restarts + 1)]


def item(document: Any, text: str, number: str, level: int = 0, *, bold: bool = False) -> None:
    paragraph = document.add_paragraph()
    paragraph.add_run(text).bold = bold
    mark = f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
    paragraph._p.get_or_add_pPr().append(parse_xml(mark))


def bold(document: Any, text: str) -> None:
    document.add_paragraph().add_run(text).bold = True


def read(build: Any) -> Extracted:
    return extract(documents.docx(build), documents.DOCX)


def told(extracted: Extracted) -> list[tuple[int, str]]:
    assert all(extracted.text[h.start : h.end] == h.title for h in extracted.headings)
    return [(heading.level, heading.title) for heading in extracted.headings]


def contract(document: Any) -> None:
    number = numbered(document, OUTLINE)[0]
    for title, clauses in (
        ("Objeto", ["Se arrienda la nave."]),
        ("Duración", ["Dura siete años.", "Se prorroga con estas salvedades:"]),
    ):
        item(document, title, number, bold=True)
        for clause in clauses:
            item(document, clause, number, 1)
    item(document, "si no hay denuncia;", number, 2)


def test_clauses_that_word_counts_are_sections() -> None:
    extracted = read(contract)
    assert told(extracted) == [
        (1, "1. Objeto"),
        (2, "1.1. Se arrienda la nave."),
        (1, "2. Duración"),
        (2, "2.1. Dura siete años."),
        (2, "2.2. Se prorroga con estas salvedades:"),
    ]
    assert extracted.text.endswith("salvedades:\n\n    a) si no hay denuncia;")


def test_articles_hold_the_sections_that_word_counts_in_figures() -> None:
    level = '<w:lvl w:ilvl="{}"><w:start w:val="1"/><w:numFmt w:val="{}"/>{}<w:lvlText w:val="{}"/></w:lvl>'

    def build(document: Any) -> None:
        levels = level.format(0, "upperRoman", "", "Article %1.") + level.format(
            1, "decimalZero", "<w:isLgl/>", "Section %1.%2"
        )
        root = document.part.numbering_part.element
        root.insert(0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="90">{levels}</w:abstractNum>'))
        list_of = f'<w:num {nsdecls("w")} w:numId="90"><w:abstractNumId w:val="90"/></w:num>'
        root.append(parse_xml(list_of))
        for title, text in (("Fees", "The fee is 4,200 pounds."), ("Term", "The term is three years.")):
            item(document, title, "90")
            item(document, text, "90", 1)
            item(document, "It may be changed.", "90", 1)

    assert told(read(build)) == [
        (1, "Article I. Fees"),
        (2, "Section 1.01 The fee is 4,200 pounds."),
        (2, "Section 1.02 It may be changed."),
        (1, "Article II. Term"),
        (2, "Section 2.01 The term is three years."),
        (2, "Section 2.02 It may be changed."),
    ]


def test_sections_stand_above_the_articles_of_a_code_and_below_those_of_by_laws() -> None:
    def levels(lines: str) -> list[int]:
        return [heading.level for heading in extract(lines.encode(), documents.TEXT).headings]

    bylaws = (
        "ARTICLE I. MEMBERS\n\nSection 1. Who\n\nAll.\n\nSection 2. Fees\n\nTen.\n\nARTICLE II. BOARD\n\nSection 1. Who"
    )
    assert levels(f"{bylaws}\n\nFive.\n") == [1, 2, 2, 1, 2]
    code = "CAPÍTULO I\n\nSección 1. Uno\n\nArtículo 1. A\n\nSí.\n\nCAPÍTULO II\n\nSección 1. Dos\n\nArtículo 2. B"
    assert levels(f"{code}\n\nNo.\n\nSección 2. Tres\n\nArtículo 3. C\n\nQuizá.\n") == [1, 2, 3, 1, 2, 3, 2, 3]


def test_steps_that_word_counts_are_a_list() -> None:
    def build(document: Any) -> None:
        first, second = numbered(document, ("%1.", "%2)"), restarts=1)
        for text in ("Encender.", "Esperar."):
            item(document, text, first)
        document.add_paragraph("Para cerrar:")
        item(document, "Apagar.", second)
        item(document, "Enfriar.", second)

    extracted = read(build)
    assert extracted.text == "1. Encender.\n2. Esperar.\n\nPara cerrar:\n\n1. Apagar.\n2. Enfriar."
    assert not extracted.headings


def test_bold_lines_are_headings_where_no_style_tells_any() -> None:
    def build(document: Any) -> None:
        document.add_paragraph().add_run("Apicultura").font.size = 18 * 12700
        for title in ("La colmena", "La reina"):
            bold(document, title)
            document.add_paragraph("La colmena tiene diez cuadros que se mueven, y se revisa cada quince días.")
            document.add_paragraph("Una obrera vive seis semanas.")
        bold(document, "Atención: no se abre con lluvia.")

    extracted = read(build)
    assert told(extracted) == [(1, "Apicultura"), (1, "La colmena"), (1, "La reina")]
    assert extracted.title == "Apicultura"


def test_a_bold_item_with_text_below_it_is_a_heading() -> None:
    def build(document: Any) -> None:
        number = numbered(document, ("%1.",))[0]
        for title, text in (("Equipment", "The company lends a laptop."), ("Core hours", "From ten to three.")):
            item(document, title, number, bold=True)
            document.add_paragraph(text)

    assert told(read(build)) == [(1, "1. Equipment"), (1, "2. Core hours")]


def test_bold_lines_stay_text_where_styles_tell_the_headings() -> None:
    def build(document: Any) -> None:
        document.add_heading("La colmena", 1)
        bold(document, "Diez cuadros")
        document.add_paragraph("Se mueven.")

    assert told(read(build)) == [(1, "La colmena")]


def test_contents_that_are_typed_are_no_headings() -> None:
    names = ("Objeto", "Ámbito", "Derechos", "Deberes", "Sanciones")

    def law(document: Any) -> None:
        for number, name in enumerate(names, 1):
            document.add_paragraph(f"Artículo {number}. {name}\t{number + 3}")
        for number, name in enumerate(names, 1):
            bold(document, f"Artículo {number}. {name}")
            document.add_paragraph("Lo que este artículo dice, que es más de lo que su título dice. " * 3)

    extracted = read(law)
    assert told(extracted) == [(1, f"Artículo {number}. {name}") for number, name in enumerate(names, 1)]
    assert [start for start, _ in extracted.furniture] == [0]


def test_articles_have_the_title_below_them_where_most_do() -> None:
    names = ("Subject matter", "Scope", "Definitions", "Transposition")

    def law(document: Any, named: int) -> None:
        for number, name in enumerate(names, 1):
            document.add_heading(f"Article {number}", 3)
            if number <= named:
                document.add_paragraph(name)
            document.add_paragraph("Member States shall adopt what is needed to comply with it.")

    titles = [title for _, title in told(read(lambda document: law(document, 3)))]
    assert titles == [*(f"Article {n}. {name}" for n, name in enumerate(names[:3], 1)), "Article 4"]
    assert told(read(lambda document: law(document, 2)))[0] == (3, "Article 1")


def test_an_article_that_word_runs_in_has_its_number_for_a_heading() -> None:
    def law(document: Any) -> None:
        for number in range(1, 4):
            bold(document, f"ARTICULO {number}° — Son objetivos de esta ley los siguientes:")
            document.add_paragraph("a) leer; b) escribir.")
        bold(document, "presente ley serán exigibles")

    assert [title for _, title in told(read(law))] == ["ARTICULO 1°", "ARTICULO 2°", "ARTICULO 3°"]


def test_a_text_all_in_bold_has_no_headings() -> None:
    def build(document: Any) -> None:
        for number in range(6):
            bold(document, f"Punto {number} de la lista")

    assert not read(build).headings


def test_an_annex_has_the_title_below_it() -> None:
    def build(document: Any) -> None:
        for title in ("ANEXO I", "Inventario", "ANEXO II", "Calendario"):
            document.add_heading(title, 1)
            if not title.startswith("ANEXO"):
                document.add_paragraph("Un texto.")

    assert told(read(build)) == [(1, "ANEXO I. Inventario"), (1, "ANEXO II. Calendario")]


def with_notes(content: bytes, notes: str) -> bytes:
    """The package with a part of footnotes."""
    buffer = io.BytesIO()
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            if name == "word/_rels/document.xml.rels":
                relation = f'<Relationship Id="r99" Type="{kind}" Target="footnotes.xml"/></Relationships>'
                part = part.replace(b"</Relationships>", relation.encode())
            if name == "[Content_Types].xml":
                part = part.replace(b"</Types>", b'<Default Extension="notes" ContentType="text/xml"/></Types>')
            new.writestr(name, part)
        new.writestr("word/footnotes.xml", f"<w:footnotes {nsdecls('w')}>{notes}</w:footnotes>")
    return buffer.getvalue()


def test_a_footnote_stands_below_what_refers_to_it() -> None:
    reference = '<w:r {0}><w:footnoteReference w:id="{1}"/></w:r>'

    def build(document: Any) -> None:
        paragraph = document.add_paragraph("La carga es libre")
        for number in (2, 3, 2):
            paragraph._p.append(parse_xml(reference.format(nsdecls("w"), number)))
        paragraph.add_run(".")
        deleted = f"<w:del {nsdecls('w')}>{reference.format('', 4)}</w:del>"
        document.add_paragraph("Fin.")._p.append(parse_xml(deleted))

    def note(number: int, text: str, kind: str = "") -> str:
        return f'<w:footnote {kind} w:id="{number}"><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:footnote>'

    notes = (
        note(0, "raya", 'w:type="separator"') + note(2, "En agosto, no.") + note(3, "Salvo aviso.") + note(4, "Ido.")
    )
    extracted = extract(with_notes(documents.docx(build), notes), documents.DOCX)
    assert extracted.text == "La carga es libre.\n\nEn agosto, no.\n\nSalvo aviso.\n\nFin."


def test_a_merged_cell_is_said_in_each_of_its_rows() -> None:
    def build(document: Any) -> None:
        table = document.add_table(4, 3)
        rows = ("Zona", "Ciudad", "Límite"), ("Norte", "Bilbao", "120"), ("", "Oviedo", "105"), ("Otras", "", "90")
        for row, texts in zip(table.rows, rows, strict=True):
            for cell, text in zip(row.cells, texts, strict=True):
                cell.text = text
        table.cell(1, 0).merge(table.cell(2, 0))
        table.cell(3, 0).merge(table.cell(3, 1))

    assert read(build).text == (
        "| Zona | Ciudad | Límite |\n| --- | --- | --- |\n| Norte | Bilbao | 120 |\n| Norte | Oviedo | 105 |\n"
        "| Otras |  | 90 |"
    )


def test_equations_are_read() -> None:
    def build(document: Any) -> None:
        math = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
        formula = f"<m:oMath {math}><m:r><m:t>E=mc²</m:t></m:r></m:oMath>"
        document.add_paragraph("La energía es ")._p.append(parse_xml(formula))

    assert read(build).text == "La energía es E=mc²"
