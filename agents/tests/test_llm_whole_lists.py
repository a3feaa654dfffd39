"""Of a list several of whose items answer all is told, of a heading that says what is asked how its section begins."""

import pytest

from agents.llm.base import Passage
from agents.llm.extractive import answer
from agents.llm.quoting.asked_for.kinds import Wish, asks_for_list, kind_of_question
from agents.llm.quoting.features import Weighing
from agents.llm.quoting.selecting import select_statements
from agents.llm.quoting.statements import statements_of

RULES = """## b) Conservación de las pistas

Para que el suelo dure, queda prohibido llevar a las pistas de tenis:

- Juguetes a control remoto
- Patines y bicicletas de cualquier tamaño
- Objetos que no sean para la práctica del tenis
- Muebles que estropeen el suelo de las pistas

## c) Vestimenta

Toda persona que entra en las pistas de tenis lleva zapatos adecuados.
"""


def test_of_a_list_all_is_told_where_several_items_would_be() -> None:
    said = answer(
        "¿Qué objetos o muebles no se pueden llevar a las pistas de tenis?", [Passage(1, RULES, "Normas")], "es"
    )
    items = [line.partition(" [")[0] for line in said.text.splitlines() if line.startswith("- ")]
    assert items == [line for line in RULES.splitlines() if line.startswith("- ")]


DUES = """## Cuotas

Las cuotas al mes son:

- Socio adulto: 30 euros
- Socio jubilado: 15 euros
- Socio jubilado con pareja: 25 euros
"""


def test_what_asks_for_one_thing_is_not_answered_by_all_of_a_list() -> None:
    said = answer("¿Cuánto paga un socio jubilado?", [Passage(1, DUES, "Club")], "es")
    assert "15 euros" in said.text
    assert "30 euros" not in said.text
    assert not said.is_doubtful


STEPS = """# Socios

El club detalla el proceso completo para registrar y dar de alta nuevos socios, con sus datos y sus cuotas.

## Registro de nuevos socios

Se hace en la entrada:

1. Rellenar el impreso
2. Traer una foto
3. Pagar la cuota

## Renovación

Quien renueva da los mismos pasos, salvo el de la foto.
"""


def test_the_word_for_steps_is_not_what_they_are_of() -> None:
    question, statements = (
        "¿Cuáles son los pasos del registro de nuevos socios?",
        statements_of([Passage(1, STEPS, "")]),
    )
    whole = next(number for number, one in enumerate(statements) if one.is_whole)
    assert Weighing(question, statements).topic_in(whole) == 1.0
    assert Weighing("¿Cómo se mide el paso de los nuevos socios?", statements).topic_in(whole) < 1.0


KAYAK = """# Notes

The Kayak Delta 3 is made for lakes.

## Plastics

These plastics are allowed on the hull: PVC, acrylic and polyethylene.
"""


def test_a_documents_title_stands_above_all_its_sentences() -> None:
    def likelihood(title: str) -> float:
        statements = statements_of([Passage(1, KAYAK, title)])
        chosen = select_statements("Which plastics are allowed on the Kayak Delta 3?", statements)
        return next(one.probability for one in chosen if one.statement.text.startswith("These plastics"))

    assert likelihood("Kayak Delta 3 manual") > 1.2 * likelihood("Manual")


START = """## Lo que necesitas para empezar

La forma fácil es comprar un juego completo. O bien reúne estas piezas:

- Una placa
- Un cable

## Cómo empezar

Si nada de esto funciona hay que averiguar la dirección de la placa.
"""


@pytest.mark.parametrize("question", ["¿Qué necesito para empezar?", "¿Qué necesito para empezar con Placabox?"])
def test_a_question_that_says_what_a_heading_says_is_answered_by_how_its_section_begins(question: str) -> None:
    said = answer(question, [Passage(1, START, "Manual de Placabox")], "es")
    assert [line for line in said.text.splitlines() if line] == [
        "**Lo que necesitas para empezar**",
        "La forma fácil es comprar un juego completo. [1]",
        "O bien reúne estas piezas: [1]",
        "- Una placa [1]",
        "- Un cable [1]",
    ]


@pytest.mark.parametrize(
    ("question", "is_for_list"),
    [
        ("¿Qué roles de usuario tiene el programa?", True),
        ("¿Qué archivos se guardan en la carpeta?", True),
        ("Which plastics are allowed?", True),
        ("¿Quiénes forman el jurado?", True),
        ("¿Qué hacemos con los remos?", False),
        ("What does the captain do?", False),
        ("What was the price?", False),
        ("¿Qué es un remo?", False),
        ("¿Qué debes pagar al darte de baja?", False),
        ("¿Qué haces con los residuos de aceite?", False),
        ("What comes after the trial period?", False),
    ],
)
def test_what_asks_for_several_of_a_kind_asks_for_a_list(question: str, *, is_for_list: bool) -> None:
    assert asks_for_list(question) is is_for_list


@pytest.mark.parametrize(
    "question", ["What is the monthly spending limit of the card?", "Which is the lowest monthly price?"]
)
def test_a_quantity_may_be_told_more_closely_by_two_words(question: str) -> None:
    assert kind_of_question(question) is Wish.NUMBER


@pytest.mark.parametrize(
    ("said", "is_doubtful"),
    [("La fianza se utilizará para:", False), ("La fianza se devuelve en verano a quien trae:", True)],
)
def test_what_something_is_for_is_said_by_what_it_is_used_for(said: str, *, is_doubtful: bool) -> None:
    text = f"## Fianza\n\n{said}\n\n- Los daños de la sala\n- La limpieza de la sala\n"
    told = answer("¿Para qué se utiliza la fianza?", [Passage(1, text, "Normas")], "es")
    assert told.is_doubtful is is_doubtful
