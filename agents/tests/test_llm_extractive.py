"""The answerer without a language model: what it quotes, how it reads."""

import re

import pytest

from agents.llm.base import Finished, ModelMessage, ModelRequest, Passage, TextDelta, Usage
from agents.llm.extractive import ExtractiveClient, answer, reply_to
from agents.llm.quoting.question_kinds import kind_of_question
from agents.llm.quoting.quotable import quotable

LISTS = Passage(
    1,
    "# Listas\n\n| función | hace |\n|---|---|\n| append | añade |\n\n"
    "Una lista es una colección ordenada y mutable de elementos\nque puede contener valores distintos. "
    "Las listas se escriben entre corchetes y sus elementos se separan con comas.\n\n"
    "```python\nx = [1, 2]\n```\n",
    "Curso de Python",
    20,
)
CLASSES = Passage(
    2,
    "Una clase define los atributos y los métodos que tendrán sus objetos. El método append añade un "
    "elemento al final de una lista ya creada y no devuelve nada.",
    "Curso de Python",
    63,
)


def asked(question, passages, language="es", messages=()):
    return reply_to(
        ModelRequest("extractive", "", messages, question=question, passages=tuple(passages), language=language)
    )


def test_it_says_once_in_a_conversation_that_it_is_no_language_model_in_the_questions_language():
    first = asked("¿Qué es una lista?", [LISTS])
    assert first.endswith("*No soy un modelo de lenguaje: cito literalmente lo que dicen las fuentes.*")
    assert asked("What is a list?", [LISTS], "en").count("*I am not a language model") == 1
    said = (ModelMessage("user", "¿Qué es una lista?"), ModelMessage("assistant", first))
    assert "No soy un modelo" not in asked("¿Y una clase?", [CLASSES], messages=said)


def test_it_quotes_the_sentence_that_answers_with_its_citation():
    text = answer("¿Qué método añade un elemento al final de una lista?", [LISTS, CLASSES], "es")
    assert "El método append añade un elemento al final de una lista ya creada y no devuelve nada. [2]" in text


def test_a_definition_comes_before_other_mentions():
    text = answer("¿Qué es una lista?", [CLASSES, LISTS], "es")
    assert text.lstrip("- ").startswith("Una lista es una colección ordenada y mutable de elementos que puede")


def test_the_number_that_was_asked_for_comes_first():
    text = "La biblioteca presta libros a sus socios. El préstamo se renueva dos veces. Cada socio tiene cinco libros."
    said = answer("¿Cuántas veces se renueva el préstamo de libros?", [Passage(1, text, "Normas")], "es")
    assert said.startswith("El préstamo se renueva dos veces. [1]")


def test_one_passage_makes_a_paragraph_and_several_make_a_list():
    paragraph = answer("¿Cómo se escriben los elementos de las listas?", [LISTS], "es")
    assert not paragraph.startswith("- ")
    listed = answer("¿Qué elementos añade o contiene una lista?", [LISTS, CLASSES], "es")
    assert all(re.search(r"\[\d\]$", line) for line in listed.splitlines())


STEPS = Passage(
    1,
    "## Cómo se renueva el carné\n\nPara renovar el carné de socio:\n\n1. Rellene la solicitud de renovación.\n"
    "2. Entréguela en el mostrador con su DNI.\n3. Recoja el carné a los dos días.\n\nEl carné es gratuito.",
    "Guía",
)


def test_steps_are_told_in_their_order_where_the_question_wants_them():
    assert answer("¿Cómo renuevo el carné de socio?", [STEPS], "es").splitlines() == [
        "1. Rellene la solicitud de renovación. [1]",
        "2. Entréguela en el mostrador con su DNI. [1]",
        "3. Recoja el carné a los dos días. [1]",
    ]
    assert "1. Rellene" not in answer("¿Cuánto cuesta el carné?", [STEPS], "es")


def test_a_row_of_a_table_answers_under_its_header():
    table = Passage(
        1, "Los plazos son estos.\n\n| Material | Plazo |\n|---|---|\n| Libro | 21 días |\n| DVD | 7 días |", "G"
    )
    assert answer("¿Qué plazo tiene un DVD?", [table], "es").splitlines() == [
        "| Material | Plazo |",
        "|---|---|",
        "| DVD | 7 días [1] |",
    ]


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("¿Cuántos días dura el préstamo?", "number"),
        ("¿Cuánto dura el préstamo?", "time"),
        ("¿En qué año se fundó?", "time"),
        ("¿Quién firma el carné?", "person"),
        ("¿Dónde está la sede?", "place"),
        ("¿Cómo renuevo el carné?", "steps"),
        ("¿Qué es una lista?", "definition"),
        ("¿Por qué se multa?", "reason"),
        ("How many days does a loan last?", "number"),
        ("When was it founded?", "time"),
        ("Who signs?", "person"),
        ("How do I renew the card?", "steps"),
        ("What is a list?", "definition"),
        ("¿Se puede renovar?", "other"),
    ],
)
def test_what_kind_of_thing_a_question_asks_for(question, kind):
    assert kind_of_question(question) == kind


def test_headings_tables_and_code_are_not_quoted():
    text = answer("¿Qué función append de las listas añade x?", [LISTS, CLASSES], "es")
    assert "|" not in text
    assert "#" not in text
    assert "x = " not in text


def test_without_passages_it_has_not_enough_information():
    assert "No tengo información suficiente" in answer("¿Qué?", [], "es")
    assert "don't have enough information" in answer("What?", [], "en")
    assert "don't have enough information" in answer("What?", [Passage(1, "| a | b |\n12", "t")], "fr")


def test_without_a_common_word_it_says_that_it_shows_the_nearest():
    text = answer("zzz", [LISTS, CLASSES], "es")
    assert "más cercano" in text
    assert text.count("\n- ") == 2


def test_overlapping_passages_are_quoted_once():
    twice = [CLASSES, Passage(3, CLASSES.text, "Copia")]
    assert answer("¿Qué añade append al final de una lista?", twice, "es").count("append") == 1


def test_at_most_three_sentences_are_quoted():
    many = " ".join(f"La red número {word} conecta los equipos del edificio {word} entre ellos." for word in "abcdefgh")
    assert len(re.findall(r"\[1\]", answer("¿Qué red conecta los equipos?", [Passage(1, many, "Redes")], "es"))) <= 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Según el art. 5 de la Ley, el paciente debe ser informado. Fin.",
            ["Según el art. 5 de la Ley, el paciente debe ser informado."],
        ),
        (
            "El consenti-\nmiento se pres-\ntará por escrito siempre.",
            ["El consentimiento se prestará por escrito siempre."],
        ),
        (
            "Como se vio en [12], el **protocolo** es [fiable](http://x.es) y rápido.",
            ["Como se vio en, el protocolo es fiable y rápido."],
        ),
        (
            "1. Los equipos se conectan al conmutador.\n2. El conmutador aprende las direcciones.",
            ["Los equipos se conectan al conmutador.", "El conmutador aprende las direcciones."],
        ),
        (
            "BOLETÍN OFICIAL DEL ESTADO\nNúm. 186 Sec. I. Pág. 55775\nLa presente ley regula los derechos.",
            ["La presente ley regula los derechos."],
        ),
        ("¿Qué diferencia hay entre una red y otra?", []),
        ("1.2 Introducción ........ 7\nCapítulo primero de la obra", []),
        ("`break` abandona el bucle. y sigue.", ["`break` abandona el bucle. y sigue."]),
        ("cve: BOE-A-2012-10477 Verificable en la sede electrónica.", []),
        ("19 CAPÍTULO I Disposiciones generales de esta norma.", []),
        (
            "Artículo quince. 1. […] Las sanciones prescriben a los dos años.",
            ["Las sanciones prescriben a los dos años."],
        ),
        ("y por tanto queda fuera del ámbito de esta norma.", []),
    ],
)
def test_sentences_read_well_by_themselves(text, expected):
    assert list(quotable(text)) == expected


async def test_it_streams_groups_of_words_and_then_ends():
    request = ModelRequest("extractive", "", (), question="¿Qué es una lista?", passages=(LISTS,), language="es")
    events = [event async for event in ExtractiveClient().stream(request)]
    deltas = [event.text for event in events if isinstance(event, TextDelta)]
    assert len(deltas) > 5
    assert "".join(deltas) == asked("¿Qué es una lista?", (LISTS,))
    assert events[-2:] == [Usage(0, 0), Finished("stop")]
