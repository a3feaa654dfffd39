"""Plain text: every common encoding, and what is not text."""

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.tests.documents import TEXT
from workers.ingestion.chunk.chunking import cut_chunks
from workers.ingestion.extract.canonical import clean, one_line, tidy_text
from workers.ingestion.extract.entry import extract
from workers.ingestion.extract.failures import ExtractionError

SPANISH = "El niño bebió agua: «¿está fría?», dijo. Costó 20 € en la Península.\nFin."
SHARED = Path(os.environ.get("ACERVO_SHARED", Path(__file__).resolve().parents[3] / "shared"))


def text_of(content: bytes) -> str:
    return extract(content, TEXT).text


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "iso8859_15", "cp850"],
)
def test_spanish_is_read_in_every_common_encoding(encoding: str) -> None:
    text = SPANISH.replace("€", "euros") if encoding == "iso8859_15" else SPANISH
    if encoding == "cp850":  # statistics need more than a line
        text = " ".join([text.replace("€", "euros").replace("«", "").replace("»", "")] * 10)
    assert text_of(text.encode(encoding)) == text


@pytest.mark.parametrize(
    ("encoding", "sentence"),
    [
        ("cp1251", "Привет, как дела? Это обычный русский текст для проверки кодировки. "),
        ("shift_jis", "これは日本語の文章です。文字コードの判定を確認します。"),
        ("gb18030", "这是一个用于检查编码识别的中文文本。我们希望它能被正确读取。"),
    ],
)
def test_other_scripts_are_recognised(encoding: str, sentence: str) -> None:
    text = (sentence * 10).strip()
    assert text_of(text.encode(encoding)) == text


@pytest.mark.parametrize(
    "content",
    [b"\x00\x01\x02" * 100, b"text\x00with a NUL", b"\xff\xfe" + b"\x00\xd8" * 9, b"\x7fELF" + bytes(range(256)) * 9],
)
def test_a_binary_is_refused_with_advice(content: bytes) -> None:
    with pytest.raises(ExtractionError) as caught:
        text_of(content)
    assert caught.value.code == "unsupported_encoding"
    assert caught.value.code == "unsupported_encoding"


@pytest.mark.parametrize("content", [b"", b" \n\t\r\n", "\ufeff\u200b".encode()])
def test_an_empty_text_fails_with_advice(content: bytes) -> None:
    with pytest.raises(ExtractionError) as caught:
        text_of(content)
    assert caught.value.code == "empty_document"


def test_lines_end_in_lf_and_invisible_characters_are_gone() -> None:
    raw = "a\r\nb\rc\u2028d\x0cpa\u00adla\u200bbra\u202e ﬁn\u00a0\x07. E\u0301l  \n\n\n\n\nf"
    assert text_of(raw.encode()) == "a\nb\nc\nd\npalabra fin . Él\n\nf".replace("fin .", "fin .")


def test_hyphens_that_do_not_break_are_hyphens() -> None:
    assert text_of("end\u2011user, co\u2010op".encode()) == "end-user, co-op"


def test_emoji_of_several_parts_stay_whole() -> None:
    assert text_of("👩‍👩‍👧 ✈️".encode()) == "👩‍👩‍👧 ✈️"


def test_no_extractor_for_an_unknown_type() -> None:
    with pytest.raises(ValueError, match="image/png"):
        extract(b"x", "image/png")


@given(st.text())
def test_canonical_text_is_nfc_stable_and_visible(raw: str) -> None:
    text = tidy_text(raw)
    assert tidy_text(text) == text
    assert unicodedata.is_normalized("NFC", text)
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in text if character not in "\t\n")
    assert "\n" not in one_line(raw)


@given(st.text(alphabet=st.characters(max_codepoint=0x7F)))
def test_ascii_takes_the_same_way_as_the_rest(raw: str) -> None:
    assert clean(raw) == clean(raw + "é")[:-1]


@pytest.mark.parametrize("name", ["latin1.txt", "utf16.txt"])
def test_real_legacy_files_read_alike(name: str) -> None:
    path = SHARED / "samples" / "difficult" / name
    if not path.exists():
        pytest.skip("shared/samples is not here")
    assert "información" in text_of(path.read_bytes())


def test_long_runs_of_spaces_are_read_in_linear_time() -> None:
    row = "a" + " " * 5_000 + "b"
    assert text_of("\n".join([row] * 200).encode()).count(row) == 200


@pytest.mark.parametrize("rules", ["=-", "-~"])
def test_underlined_lines_are_headings_and_their_rules_are_not_read(rules: str) -> None:
    upper, lower = rules
    text = f"Manual\n{upper * 6}\n\nInstalar\n{lower * 8}\n\nSe copia.\n\nQuitar\n{lower * 6}\n\nSe borra.\n"
    extracted = extract(text.encode(), TEXT)
    found = [(one.level, one.title, extracted.text[one.start : one.end]) for one in extracted.headings]
    assert found == [(1, "Manual", "Manual"), (2, "Instalar", "Instalar"), (2, "Quitar", "Quitar")]
    assert all(set(extracted.text[start:end]) <= {upper, lower} for start, end in extracted.furniture)
    assert not any(rule * 4 in chunk.text for chunk in cut_chunks(extracted, 256, 32) for rule in rules)


@pytest.mark.parametrize(
    "text",
    [
        "Una línea de un párrafo\nque sigue aquí\n--------------\nOtro párrafo.",
        "Fin de una parte que se lee bien.\n-----\n\nOtra.",
        "Nombre    Precio\n----------------\npan          2",
        "- uno\n-----\ndos",
        "De: Ana\n=\nHola",
    ],
)
def test_a_rule_that_separates_underlines_nothing(text: str) -> None:
    assert not extract(text.encode(), TEXT).headings


MANUAL = """REGAR(1)                    Manual                    REGAR(1)

NOMBRE
       regar - abre y cierra el agua

OPCIONES
   De tiempo
       -t, --tiempo MINUTOS
              Cuánto dura el riego.

   De lugar
       -z ZONA
              La zona que se riega.

VALORES DE SALIDA
       0      Bien
       1      Sin agua
"""
SETTINGS = """################## AGUA ##################

# Litros por minuto.
caudal 12

################ HORARIO #################

# La hora a la que empieza.
hora 6
"""
BOXED = """# ------------------
# Zonas del jardín
# ------------------

# - Césped -

#zona = norte

# - Huerto -

#zona = sur

# ==================
# Horario
# ==================

#hora = 6
"""
MARKED = "= Riego\n\n[[abrir]]\n== Abrir el agua\n\nSe abre así.\n\n== Cerrar.\n\nSe cierra así.\n"


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (MANUAL, ["1 NOMBRE", "1 OPCIONES", "2 De tiempo", "2 De lugar", "1 VALORES DE SALIDA"]),
        (SETTINGS, ["1 AGUA", "1 HORARIO"]),
        (BOXED, ["1 Zonas del jardín", "2 Césped", "2 Huerto", "1 Horario"]),
        (MARKED, ["1 Riego", "2 Abrir el agua", "2 Cerrar."]),
    ],
)
def test_manual_pages_settings_and_marked_texts_have_sections(text: str, titles: list[str]) -> None:
    extracted = extract(text.encode(), TEXT)
    assert [f"{one.level} {one.title}" for one in extracted.headings] == titles
    assert not any("----" in chunk.text or "====" in chunk.text for chunk in cut_chunks(extracted, 256, 32))


@pytest.mark.parametrize(
    "text",
    [
        "Una carta\n    que empieza con sangría y\nsigue al margen.\n\nOtro párrafo\nque no la tiene.\n",
        "# una nota entre comandos\nhora 6\n\n# otra nota\nhora 7\n",
        "total = uno\n= dos\n",
    ],
)
def test_indented_lines_and_comments_alone_are_no_sections(text: str) -> None:
    assert not extract(text.encode(), TEXT).headings


def test_what_rules_enclose_that_are_not_as_long_is_no_heading_where_others_are() -> None:
    text = "Manual\n======\n\nVer\n---\n\n----------\n$ ver x\n----------\n\nSe ve.\n\nQuitar\n------\n\nSe borra.\n"
    assert [one.title for one in extract(text.encode(), TEXT).headings] == ["Manual", "Ver", "Quitar"]


NUMBERED_BY_LINES = (
    "Terms of use\n\n0. PREAMBLE\n\nThese are the terms.\n\n"
    "1. COPIES\n\nYou may make:\n\n1. paper copies;\n\n2. digital copies.\n\n"
    "2. TRANSLATION\n\nIt is a change.\n\n  2.1. Powers\n\n   The owner may\n    1. decide;\n    2. appoint.\n\n"
    "  2.2. Procedure\n\n   Votes are cast by letter.\n\n3. TERMINATION\n\nIt ends after 30 days.\n"
)


def test_numbers_alone_are_sections_where_text_stands_between_them() -> None:
    found = [(one.level, one.title) for one in extract(NUMBERED_BY_LINES.encode(), TEXT).headings]
    assert found == [
        (1, "0. PREAMBLE"),
        (1, "1. COPIES"),
        (1, "2. TRANSLATION"),
        (2, "2.1. Powers"),
        (2, "2.2. Procedure"),
        (1, "3. TERMINATION"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Compra\n\n1. Pan\n\n2. Leche\n\n3. Huevos\n\n4. Queso\n\nNada más.\n",  # one item under the other
        "Pasos\n\n1. Abre la tapa.\n\nEspera.\n\n2. Gira la llave.\n\nEspera.\n\n3. Cierra la tapa.\n\nEspera.\n",
        "Notas\n\n3. Uno\n\nTexto.\n\n9. Dos\n\nTexto.\n\n27. Tres\n\nTexto.\n",  # they do not count on
        "Lista\n\n1. Uno que sigue\nen otra línea\n\n2. Dos que sigue\nen otra línea\n\n3. Tres que sigue\nen otra\n",
    ],
)
def test_items_of_lists_are_no_sections(text: str) -> None:
    assert not extract(text.encode(), TEXT).headings


@pytest.mark.parametrize(
    "text",
    [
        "The tenant shall pay the rent on the first\n    day of each month.\n\nThe deposit is two months and is\n"
        "    paid at once.\n\nThe landlord shall keep the whole house in a\n    good state.\n",
        "HAMLET\n    Who is there?\n\nOPHELIA\n    It is I.\n\nHAMLET\n    Come in.\n",
        "Suma\n\n= 2x + 3\n\n= 11 metros\n\nFin\n",
        "// ------\n#include <x.h>\n// ------\nint a;\n// ------\nx = 3 * 4\n// ------\n",
        "Alumnos\n\n7. Ana Gil\n\nTel. 1\n\n2. Eva Paz\n\nTel. 2\n\n9. Luz Rey\n\nTel. 3\n\n3. Sol Mir\n\nTel. 4\n",
    ],
)
def test_hanging_paragraphs_speakers_sums_code_and_lists_are_no_sections(text: str) -> None:
    assert not extract(text.encode(), TEXT).headings


def test_a_rule_that_is_a_little_shorter_underlines_beside_exact_ones() -> None:
    text = "Primero\n=======\n\nUno.\n\nCapítulo cuarto: del arrendamiento\n===========================\n\nDos.\n\n"
    text += "Quinto\n======\n\nTres.\n"
    found = [one.title for one in extract(text.encode(), TEXT).headings]
    assert found == ["Primero", "Capítulo cuarto: del arrendamiento", "Quinto"]
