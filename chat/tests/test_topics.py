"""A follow-up without a model: what was asked before is searched for with it, and only then."""

import pytest

from chat.understanding.topics import LONGEST, carry_topic

HISTORY = "¿Qué es la historia clínica según la Ley 7/2011?"
ARTICLE = "¿Qué dice el artículo 14 de la Ley 7/2011?"


@pytest.mark.parametrize(
    ("asked", "question", "has"),
    [
        (HISTORY, "¿y cuánto dura?", ("historia", "clínica", "Ley 7/2011")),
        (HISTORY, "¿Quién puede acceder a ella?", ("historia", "clínica", "Ley 7/2011")),
        ("How is a loan renewed?", "And for how long?", ("loan", "renewed")),
        ("¿Quién es Irene?", "¿Dónde vive?", ("Irene",)),
        ("¿Qué es el carné infantil?", "¿Cómo se renueva?", ("carné", "infantil")),
        (ARTICLE, "¿y el 15?", ("artículo 15", "Ley 7/2011")),
        (ARTICLE, "¿Y el 15.2?", ("artículo 15.2", "Ley 7/2011")),
        ("cláusula cuarta del contrato de obra", "¿y la tercera?", ("cláusula tercera", "contrato de obra")),
        ("disposición adicional segunda de la Ley 7/2011", "¿y la primera?", ("disposición adicional primera",)),
        ("¿Qué dice el anexo II de la Ley 7/2011?", "¿y el III?", ("anexo iii", "Ley 7/2011")),
        (ARTICLE, "¿y el artículo 15?", ("artículo 15", "Ley 7/2011")),
        (ARTICLE, "¿Y el artículo siguiente?", ("articulo 15", "Ley 7/2011")),
        ("artículo 15 de la Constitución", "¿Y el siguiente?", ("articulo 16", "Constitución")),
        (ARTICLE, "¿Y qué dice el anterior?", ("articulo 13", "Ley 7/2011")),
        ("article 14 of the Water Act", "And the next one?", ("articulo 15", "Water Act")),
        (ARTICLE, "¿y el apartado 3?", ("apartado 3 de articulo 14", "Ley 7/2011")),
        (
            ARTICLE,
            "¿Qué dice el párrafo segundo sobre los plazos?",
            ("párrafo segundo de articulo 14 sobre", "Ley 7/2011"),
        ),
        (ARTICLE, "¿Y en la Ley 9/1999?", ("artículo 14", "Ley 9/1999")),
        (ARTICLE, "¿Y en la Ley General de Archivos?", ("artículo 14", "Ley General de Archivos")),
        (ARTICLE, "¿y en la de archivos?", ("artículo 14", "ley de archivos")),
        ("art. 3 de la ordenanza de terrazas", "¿y qué dice la de Huertos?", ("art. 3", "ordenanza de Huertos")),
        (
            "What does section 4 of the handbook of Larkspur say?",
            "and the one of Webb?",
            ("section 4", "handbook de Webb"),
        ),
        ("art. 3 de la ordenanza de terrazas", "¿y el de la Ley 7/2011?", ("art. 3", "de la Ley 7/2011?")),
        ("¿Qué es la segunda forma normal?", "¿y la tercera?", ("¿Qué es la tercera forma normal?",)),
        ("What is the second normal form?", "And the third?", ("What is the third normal form?",)),
    ],
)
def test_a_question_without_a_topic_gets_the_last_one(asked: str, question: str, has: tuple[str, ...]) -> None:
    carried = carry_topic([asked], question)
    assert all(one in carried for one in has)
    assert not ("9/1999" in carried and "7/2011" in carried)


@pytest.mark.parametrize(
    "question",
    [
        "¿Qué es una zona de salud?",
        "¿Qué es DHCP?",
        "¿Cómo imprimir?",
        "¿Cuándo abre la biblioteca?",
        "What is a subnet?",
        "art. 3 de la Ley 9/1999",
        "How do seeds germinate?",
    ],
)
def test_a_question_that_stands_alone_stays_as_it_is(question: str) -> None:
    assert carry_topic([HISTORY], question) == ""


@pytest.mark.parametrize(
    "question",
    [
        "no lo entiendo, ponme un ejemplo",
        "No entiendo",
        "¿Puedes explicármelo otra vez?",
        "Dame otro ejemplo",
        "I don't understand, give me an example",
        "Explain it again, please.",
    ],
)
def test_what_only_asks_to_be_told_again_is_searched_for_as_what_it_asks_again(question: str) -> None:
    """Its own words are in no document, or everywhere: "por ejemplo"."""
    assert carry_topic([HISTORY, "¿y cuánto dura?"], question) == HISTORY
    assert carry_topic([HISTORY, question], question) == HISTORY
    assert carry_topic([], question) == ""


@pytest.mark.parametrize("question", ["Ponme un ejemplo de préstamo", "No entiendo el artículo 9 de la Ley 9/1999"])
def test_who_asks_for_an_example_of_something_is_not_told_of_something_else(question: str) -> None:
    assert "historia" not in carry_topic([HISTORY], question)


def test_a_follow_up_of_a_follow_up_goes_on_with_the_same_topic() -> None:
    assert "historia" in carry_topic([HISTORY, "¿y cuánto dura?"], "¿Y quién puede acceder a ella?")


def test_a_place_that_a_follow_up_named_is_the_topic_of_the_next() -> None:
    asked = ["¿Qué dice la cláusula cuarta del contrato de obra?", "¿y la tercera?"]
    carried = carry_topic(asked, "¿y cuándo se aplica?")
    assert "tercera" in carried
    assert "cuarta" not in carried
    assert "contrato de obra" in carried


def test_another_place_without_a_number_is_none_of_the_one_before() -> None:
    carried = carry_topic([ARTICLE], "¿y la disposición final?")
    assert "Ley 7/2011" in carried
    assert "14" not in carried


def test_another_number_needs_no_document() -> None:
    assert carry_topic(["¿Qué dice el artículo 14?"], "¿y el 15?") == "artículo 15"
    assert carry_topic(["¿Qué dice el artículo 14?"], "¿y el artículo 15?") == ""


def test_a_part_is_of_the_place_before_it() -> None:
    asked = ["¿Qué dice el artículo 14 de la Ley 7/2011?", "¿y el apartado 3?"]
    assert carry_topic(asked, "¿y el 4?") == "apartado 4 de articulo 14 Ley 7/2011"
    assert "de articulo" not in carry_topic(["¿Qué dice el capítulo 2 del manual?"], "¿y el apartado 3?")
    assert "de articulo" not in carry_topic(asked, "¿y el apartado 2.1?")


def test_without_anything_before_nothing_is_carried() -> None:
    assert carry_topic([], "¿y cuánto dura?") == ""
    assert carry_topic(["  "], "¿y cuánto dura?") == ""


def test_a_hostile_conversation_is_carried_in_part() -> None:
    assert len(carry_topic(["tema " * 100_000], "y " * 100_000)) <= LONGEST


def test_what_counts_nothing_is_no_other_place() -> None:
    assert "cláusula mayor" not in carry_topic(["cláusula cuarta del contrato de obra"], "¿y la mayor?")


@pytest.mark.parametrize(
    ("question", "which"),
    [("¿y en los huertos?", "ordenanza de huertos"), ("¿Y para las terrazas?", "ordenanza de terrazas")],
)
def test_another_document_takes_the_place_of_the_one_before_where_one_is_called_so(question: str, which: str) -> None:
    asked = ["¿Qué multa hay por hacer fuego según la ordenanza de playas?"]
    said = carry_topic(asked, question, is_there=lambda name: name == which)
    assert which in said
    assert "multa" in said
    assert "playas" not in said


def test_where_no_document_is_called_so_it_is_still_the_one_before() -> None:
    asked = ["¿Qué multa hay por hacer fuego según la ordenanza de playas?"]
    said = carry_topic(asked, "¿y en los merenderos?")
    assert "ordenanza de playas" in said
    assert said.count("playas") == 1


@pytest.mark.parametrize(
    ("before", "question", "meant"),
    [
        ("What does rsync exit code 25 mean?", "and 24?", "What does rsync exit code 24 mean?"),
        ("¿Cuánto fue el presupuesto en 2022?", "¿y en 2023?", "¿Cuánto fue el presupuesto en 2023?"),
        ("¿Cuánto fue el presupuesto en 2022?", "¿y 15?", "¿y 15? presupuesto 2022"),
    ],
)
def test_another_number_is_put_in_the_place_of_the_one_before(before: str, question: str, meant: str) -> None:
    assert carry_topic([before], question) == meant
