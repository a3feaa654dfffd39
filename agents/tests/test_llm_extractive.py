"""The answerer without a language model: what it quotes, how it reads."""

import re

import pytest

from agents.llm.base import Finished, ModelRequest, Passage, TextDelta, Usage
from agents.llm.extractive import ExtractiveClient, answer
from agents.llm.quotable import quotable

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


def body(text):
    return text.partition("\n\n")[2]


def test_it_says_first_that_it_is_no_language_model_in_the_questions_language():
    assert answer("¿Qué es una lista?", [LISTS], "es").startswith("*No soy un modelo de lenguaje")
    assert answer("What is a list?", [LISTS], "en").startswith("*I am not a language model")


def test_it_quotes_the_sentence_that_answers_with_its_citation():
    text = body(answer("¿Qué método añade un elemento al final de una lista?", [LISTS, CLASSES], "es"))
    assert "El método append añade un elemento al final de una lista ya creada y no devuelve nada. [2]" in text


def test_a_definition_comes_before_other_mentions():
    text = body(answer("¿Qué es una lista?", [CLASSES, LISTS], "es"))
    assert text.splitlines()[0].startswith("- Una lista es una colección ordenada y mutable de elementos que puede")


def test_one_dominant_passage_makes_a_paragraph_and_several_make_a_list():
    paragraph = body(answer("¿Cómo se escriben los elementos de las listas?", [LISTS], "es"))
    assert not paragraph.startswith("- ")
    listed = body(answer("¿Cómo añade elementos una lista?", [LISTS, CLASSES], "es"))
    assert all(line.startswith("- ") and re.search(r"\[\d\]$", line) for line in listed.splitlines())


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
    assert body(text).count("- ") == 2


def test_overlapping_passages_are_quoted_once():
    twice = [CLASSES, Passage(3, CLASSES.text, "Copia")]
    assert answer("¿Qué añade append al final de una lista?", twice, "es").count("append") == 1


def test_at_most_five_sentences_are_quoted():
    many = " ".join(f"La red número {word} conecta los equipos del edificio {word} entre ellos." for word in "abcdefgh")
    assert len(re.findall(r"\[1\]", answer("¿Qué red conecta los equipos?", [Passage(1, many, "Redes")], "es"))) <= 5


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
    assert "".join(deltas) == answer("¿Qué es una lista?", (LISTS,), "es")
    assert events[-2:] == [Usage(0, 0), Finished("stop")]
