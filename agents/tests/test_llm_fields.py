"""Fields, signatures and the columns of plain text are read as what they are, and told one by one."""

import time

import pytest

from agents.llm.base import Passage
from agents.llm.extractive import answer
from agents.llm.quoting.asked_for.offices import asked_office, holds_office, is_signed
from agents.llm.quoting.laid.layout import Form, blocks_of
from retrieval.text.lines.fields import fields_in, label_of

SHEET = """Ficha del servicio

Titular: Ayuntamiento de Aldemar
Empresa gestora: Pedalia Movilidad, S.L.
NIF: B48275913
Oficina: calle del Tinte, 5

Modelo mecánico
Peso: 16,8 kg
Marchas: 3

Modelo eléctrico
Peso: 24,2 kg
Autonomía: 55 km
"""
LETTER = """# Informe anual de Oleosierra

La campaña fue corta y el director se lo agradece a todos los socios de la casa.

Rosario Beltrán Cuesta
Presidenta del Consejo de Administración

Nuria Casals Ferrer, directora financiera

Aprobado: Pedro Lozano, secretario del Consejo
"""
PRICES = """Hall prices

   Room         Villagers   Others
   Main Hall    £14.00      £21.00
   Small Room    £8.50      £12.50
   Kitchen       £6.00       £9.00
"""


@pytest.mark.parametrize(
    ("lines", "title", "fields"),
    [
        (["Peso: 12 kg", "**CIF:** A-1"], "", ["Peso: 12 kg", "**CIF:** A-1"]),
        (["Modelo eléctrico", "Peso: 12 kg", "Color: azul"], "Modelo eléctrico", ["Peso: 12 kg", "Color: azul"]),
        (["Present: Ana Gil (Chair), Rashida", "Khan, Tom Oakley", "Apologies: Deborah"], "",
         ["Present: Ana Gil (Chair), Rashida Khan, Tom Oakley", "Apologies: Deborah"]),
        (["Peso: 12 kg"], "", ["Peso: 12 kg"]),
    ],
)  # fmt: skip
def test_lines_that_are_fields_are_a_list(lines: list[str], title: str, fields: list[str]) -> None:
    assert fields_in(lines) == (title, fields)


@pytest.mark.parametrize(
    "lines",
    [
        ["Nota: el plazo no se puede ampliar."],
        ["Son dos:", "la primera y la segunda, que se abre después."],
        ["El plazo es corto.", "Nota: no se amplía."],
        ["Ana: — ¿Vienes?", "Luis: — Voy."],
        ["What is it?", "Which: that?"],
        ["https://example.org/one", "https://example.org/two"],
        ["La sala abre a las 10:30 y cierra", "a las 20:00 de lunes a viernes"],
    ],
)
def test_what_is_a_paragraph_stays_one(lines: list[str]) -> None:
    assert fields_in(lines) is None


def test_a_field_is_called_by_what_stands_before_its_colon() -> None:
    assert label_of("**Código postal:** 08080") == "**Código postal"
    assert label_of("Se abre a las diez.") == ""


@pytest.mark.parametrize(
    ("question", "told", "not_told"),
    [
        ("NIF de la empresa gestora", "NIF: B48275913", "Pedalia"),
        ("¿Cuánto pesa el modelo eléctrico?", "24,2 kg", "16,8"),
        ("peso del modelo mecánico", "16,8 kg", "24,2"),
        ("¿Qué autonomía tiene el modelo eléctrico?", "55 km", "24,2"),
    ],
)
def test_a_field_answers_and_its_neighbours_do_not(question: str, told: str, not_told: str) -> None:
    said = answer(question, [Passage(1, SHEET, "RuedaViva")], "es")
    assert told in said.text
    assert not_told not in said.text
    assert not said.is_doubtful


def test_what_no_field_has_is_told_with_doubt() -> None:
    assert answer("garantía del modelo mecánico", [Passage(1, SHEET, "RuedaViva")], "es").is_doubtful
    assert answer("¿Qué potencia tiene el modelo eléctrico?", [Passage(1, SHEET, "RuedaViva")], "es").is_doubtful


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("¿Quién es la directora financiera de Oleosierra?", "Nuria Casals Ferrer, directora financiera"),
        ("quién es la presidenta del consejo", "Rosario Beltrán Cuesta, Presidenta del Consejo de Administración"),
        ("secretario del consejo de Oleosierra", "Pedro Lozano"),
    ],
)
def test_a_signature_answers_who_somebody_is(question: str, told: str) -> None:
    said = answer(question, [Passage(1, LETTER, "Informe anual de Oleosierra")], "es")
    assert told in said.text
    assert not said.is_doubtful


def test_nobody_is_told_for_an_office_that_is_another_s() -> None:
    passage = [Passage(1, LETTER, "Informe anual de Oleosierra")]
    assert answer("¿Quién es el director de ventas de Oleosierra?", passage, "es").is_doubtful


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Helen Marchetti, Chief Executive Officer", True),
        ("Dr. Rajan Mehta — Curator of the museum", True),
        ("Martin Skeggs (caretaker)", True),
        ("Torreperales, a 21 de marzo de 2024", False),
        ("El director de la escuela, que vive en Madrid.", False),
        ("Ana Gil, de la sierra", False),
    ],
)
def test_a_name_and_an_office_are_a_signature(line: str, expected: bool) -> None:
    assert is_signed(line) is expected


@pytest.mark.parametrize(
    ("question", "office"),
    [
        ("Who is the head of product engineering?", "head of product engineering"),
        ("Who is the treasurer of the club?", "treasurer"),
        ("¿Quién es la nueva directora financiera de Oleosierra?", "directora financiera"),
        ("presidente del Club Náutico", "presidente"),
        ("Who was the museum's first director?", "director"),
        ("peso del barco", ""),
        ("Who is the person in charge?", ""),
        ("Who is the ???", ""),
    ],
)
def test_the_office_that_is_asked_for(question: str, office: str) -> None:
    assert asked_office(question) == office


@pytest.mark.parametrize(
    ("office", "text", "expected"),
    [
        ("ceo", "Helen Marchetti, Chief Executive Officer", True),
        ("chief executive", "Julian Frith, Chief Financial Officer", False),
        ("director general", "the finance director, at the annual general meeting", False),
        ("director general", "Ana Gil es directora general", True),
    ],
)
def test_an_office_is_held_by_all_of_its_words(office: str, text: str, expected: bool) -> None:
    assert holds_office(office, text) is expected


def test_columns_of_plain_text_are_a_table() -> None:
    table = next(block for block in blocks_of(PRICES) if block.form is Form.TABLE)
    assert table.header == ("Room", "Villagers", "Others")
    assert table.lines[3] == "| Kitchen | £6.00 | £9.00 |"
    said = answer("What does the kitchen cost for others?", [Passage(1, PRICES, "Hall")], "en").text
    assert "| Kitchen | £6.00 | £9.00 [1] |" in said


@pytest.mark.parametrize(
    "text",
    [
        "ls    list files\ncd    change folder\nrm    remove files",
        "A line  with room.\nAnother  line.\nThe last  one here 3.",
        "Room   Price\nHall   £3",
        "One   1   a\nTwo   2\nThree   3   c",
    ],
)
def test_what_only_has_room_between_its_words_is_no_table(text: str) -> None:
    assert all(block.form is not Form.TABLE for block in blocks_of(text))


SIGNED = """La secretaria, Uxía Lamela Prado, leyó el acta. Ramiro Chulvi Bonet, tesorero, explicó las cuentas.

Fdo.: Bieito Castiñeira, gerente
Fdo.: Olga Rey, directora médica

El primer presidente fue Isaac Mora. Ana Gil es la presidenta de la comunidad.
"""


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("¿Quién es la secretaria de la comunidad?", "Uxía Lamela"),
        ("tesorero de la comunidad", "Ramiro Chulvi"),
        ("¿Quién es el gerente de la comunidad?", "Bieito Castiñeira"),
        ("¿Quién es la presidenta de la comunidad?", "Ana Gil"),
    ],
)
def test_who_holds_an_office_stands_beside_it(question: str, told: str) -> None:
    said = answer(question, [Passage(1, SIGNED, "Acta de la comunidad")], "es")
    assert told in said.text
    assert not said.is_doubtful


def test_who_held_an_office_first_is_not_who_holds_it() -> None:
    text = "Ana Gil es la presidenta de la comunidad de regantes."
    assert answer("¿Quién fue la primera presidenta de la comunidad?", [Passage(1, text, "Acta")], "es").is_doubtful


@pytest.mark.parametrize(
    ("question", "is_told"), [("nombre del barco de la comunidad", True), ("nombre de la mujer del farero", False)]
)
def test_a_name_is_told_by_a_name(question: str, is_told: bool) -> None:
    text = (
        "El barco de la comunidad se llama Estrella del Norte. El farero vivió en la torre con su mujer y cinco hijos."
    )
    assert answer(question, [Passage(1, text, "Historia")], "es").is_doubtful is not is_told


PUMP = """Modelo: Tajo 320
Peso: 12 kg
Peso del embalaje: 1,8 kg
Precio: 480 €
Garantía: 3 años
"""


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("¿Cuál es el precio de la Tajo 320?", "480 €"),
        ("¿Cuánto cuesta la Tajo 320?", "480 €"),
        ("¿Cuánto pesa el embalaje de la Tajo 320?", "1,8 kg"),
        ("¿Qué garantía tiene la Tajo 320?", "3 años"),
    ],
)
def test_the_model_s_own_field_does_not_hide_what_is_asked_of_it(question: str, told: str) -> None:
    said = answer(question, [Passage(1, PUMP, "Ficha")], "es")
    assert told in said.text
    assert not said.is_doubtful


def test_the_model_s_own_field_is_no_answer() -> None:
    assert answer("¿Qué tensión tiene la Tajo 320?", [Passage(1, PUMP, "Ficha")], "es").is_doubtful


def test_hundreds_of_fields_of_one_name_cost_no_more_than_their_number() -> None:
    """Each was held against all of its list, several times: of eight lists of 200 that took 2.7 s."""
    lists = [
        Passage(n, "\n".join(f"Garantía: {n}{place} años" for place in range(200)), f"Ficha {n}") for n in range(1, 9)
    ]
    started = time.thread_time()
    answer("¿Qué garantía tiene la bomba Tajo del catálogo?", lists, "es")
    assert time.thread_time() - started < 2
