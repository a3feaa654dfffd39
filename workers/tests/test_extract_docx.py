"""DOCX: document order, headings, lists, tables; archives that are not what they declare."""

import io
import time
import zipfile
from typing import Any

import pytest

from corpora.tests import documents
from workers.ingestion.extract.entry import extract
from workers.ingestion.extract.extracted import Extracted
from workers.ingestion.extract.failures import CODES, ExtractionError
from workers.ingestion.extract.word.styles import numeral


def read(content: bytes) -> Extracted:
    extracted = extract(content, documents.DOCX)
    assert all(extracted.text[h.start : h.end] == h.title for h in extracted.headings)
    return extracted


def failure(content: bytes) -> str:
    with pytest.raises(ExtractionError) as caught:
        read(content)
    assert caught.value.code in CODES
    return caught.value.code


def course(document: Any) -> None:
    document.add_heading("Redes", 0)
    document.add_heading("Unidad 1", 1)
    document.add_paragraph("Introducción.")
    document.add_heading("Medios", 2)
    for item in ("cobre", "fibra"):
        document.add_paragraph(item, style="List Bullet")
    table = document.add_table(2, 2)
    for cell, text in zip(table._cells, ("Medio", "Gb/s", "fibra | multimodo", "100"), strict=True):
        cell.text = text
    document.add_paragraph("Pasos:")
    for item in ("medir", "cortar"):
        document.add_paragraph(item, style="List Number")
    document.add_heading("Unidad 2", 1)


def test_everything_stands_in_document_order() -> None:
    extracted = read(documents.docx(course))
    assert extracted.text == (
        "Redes\n\nUnidad 1\n\nIntroducción.\n\nMedios\n\n- cobre\n- fibra\n\n"
        "| Medio | Gb/s |\n| --- | --- |\n| fibra \\| multimodo | 100 |\n\nPasos:\n\n1. medir\n2. cortar\n\nUnidad 2"
    )
    levels = [(heading.level, heading.title) for heading in extracted.headings]
    assert levels == [(1, "Redes"), (1, "Unidad 1"), (2, "Medios"), (1, "Unidad 2")]
    assert (extracted.title, extracted.pages, extracted.page_count) == ("Redes", (), 0)


def test_the_declared_title_stands_in_for_a_missing_one() -> None:
    def build(document: Any) -> None:
        document.add_paragraph("texto")
        document.core_properties.title = "Guía de laboratorio"

    assert read(documents.docx(build)).title == "Guía de laboratorio"


def text_of(body: str) -> str:
    return read(documents.docx_of_xml(body)).text


def run(text: str) -> str:
    return f"<w:r><w:t>{text}</w:t></w:r>"


def test_tracked_changes_read_as_if_accepted() -> None:
    deleted = "<w:del><w:r><w:delText>fuera</w:delText></w:r></w:del>"
    assert text_of(f"<w:p>{run('queda ')}{deleted}<w:ins>{run('dentro')}</w:ins></w:p>") == "queda dentro"


def test_content_controls_are_read() -> None:
    inner = f"<w:p>{run('control')}</w:p>"
    assert text_of(f"<w:sdt><w:sdtContent>{inner}</w:sdtContent></w:sdt><w:p>{run('después')}</w:p>") == (
        "control\n\ndespués"
    )


def test_breaks_tabs_and_layout_tables() -> None:
    assert text_of("<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r></w:p>") == "a b\nc"
    cell = f"<w:tc><w:p>{run('uno')}</w:p><w:p>{run('dos')}</w:p></w:tc>"
    assert text_of(f"<w:tbl><w:tr>{cell}</w:tr></w:tbl>") == "uno\ndos"


def test_an_outline_level_makes_a_heading() -> None:
    body = f'<w:p><w:pPr><w:outlineLvl w:val="1"/></w:pPr>{run("Título")}</w:p><w:p>{run("texto")}</w:p>'
    assert [h.level for h in read(documents.docx_of_xml(body)).headings] == [2]


@pytest.mark.parametrize(
    ("number", "style", "shown"),
    [
        (3, "decimal", "3"),
        (3, "lowerLetter", "c"),
        (28, "upperLetter", "BB"),
        (49, "upperRoman", "XLIX"),
        (1994, "lowerRoman", "mcmxciv"),
        (18, "lowerRoman", "xviii"),
    ],
)
def test_list_numbers_as_word_shows_them(number: int, style: str, shown: str) -> None:
    assert numeral(number, style) == shown


def test_tables_nested_a_hundred_deep_are_read() -> None:
    body = "<w:tbl><w:tr><w:tc>" * 60 + f"<w:p>{run('fondo')}</w:p>" + "</w:tc></w:tr></w:tbl>" * 60
    assert text_of(body) == "fondo"


def test_nesting_beyond_what_xml_parsers_take_is_corrupt() -> None:
    assert failure(documents.docx_of_xml("<w:sdt>" * 1_000 + "</w:sdt>" * 1_000)) == "corrupt_document"


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = documents.docx_bomb(50)
    assert len(bomb) < 400_000
    started = time.perf_counter()
    assert failure(bomb) == "archive_bomb"
    assert time.perf_counter() - started < 1


def test_declared_sizes_are_not_trusted() -> None:
    assert failure(documents.lying_docx(50)) == "corrupt_document"


@pytest.mark.parametrize(
    "extra",
    [
        [(f"word/media/{n}.bin", b"") for n in range(2_000)],
        [("word/media/image.bmp", bytes(60 << 20)), ("word/media/other.bmp", bytes(60 << 20))],
        [("word/header1.xml", b"<a>" + b"ab" * (11 << 20))],
        [("word/media/image.bmp", bytes(5 << 20))],
    ],
    ids=["entries", "total", "part", "ratio"],
)
def test_every_limit_of_an_archive_holds(extra: list[tuple[str, bytes]]) -> None:
    assert failure(documents.docx_of_xml(f"<w:p>{run('a')}</w:p>", extra)) == "archive_bomb"


def test_entities_are_not_expanded() -> None:
    lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    xml = f'<!DOCTYPE w [<!ENTITY l0 "ja">{lol}]>'
    content = documents.docx_of_xml(f"<w:p>{run('antes &l9; después')}</w:p>")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["word/document.xml"] = xml.encode() + parts["word/document.xml"]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    assert failure(buffer.getvalue()) == "corrupt_document"


@pytest.mark.parametrize("keep", [100, 5_000, -30])
def test_a_truncated_docx_fails_with_advice(keep: int) -> None:
    assert failure(documents.docx(course)[:keep]) == "corrupt_document"


def test_an_encrypted_docx_fails_with_advice() -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500) + "EncryptedPackage".encode("utf-16-le")
    assert failure(ole) == "encrypted_document"


@pytest.mark.parametrize("body", ["", "<w:p/>", f"<w:p>{run(' ')}</w:p>"])
def test_an_empty_docx_fails_with_advice(body: str) -> None:
    assert failure(documents.docx_of_xml(body)) == "empty_document"
