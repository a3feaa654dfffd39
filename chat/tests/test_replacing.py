"""A follow-up that says only another term is the question before with that term in the place of the one it replaces."""

import pytest

from chat.understanding.replacing import with_other_term
from chat.understanding.topics import carry_topic


@pytest.mark.parametrize(
    ("asked", "question", "meant"),
    [
        ("¿Qué función tienen los discos duros?", "¿y los discos ópticos?", "¿Qué función tienen los discos ópticos?"),
        ("¿Cuántos días de vacaciones hay?", "¿y de permiso?", "¿Cuántos días de permiso hay?"),
        ("¿Cuándo vence el plazo de inscripción?", "¿Y el de matrícula?", "¿Cuándo vence el plazo de matrícula?"),
        ("permiso por matrimonio", "¿y por mudanza?", "permiso por mudanza"),
        ("What does --archive do?", "and --delete?", "What does --delete do?"),
        ("How many vacation days do I get?", "and sick days?", "How many sick days do I get?"),
        ("What is the limit for office supplies?", "And for travel?", "What is the limit for travel?"),
        ("What is the maximum file size?", "And the maximum A/V size?", "What is the maximum A/V size?"),
        ("What does --keep do in tar?", "and --delete?", "What does --delete do in tar?"),
        ("What is code 12 in the AB series?", "And for the CD series?", "What is code 12 in the CD series?"),
        ("¿Qué hace la opción -H de grep?", "¿y -h?", "¿Qué hace la opción -h de grep?"),
        ("¿Qué guarda el tipo TIMESTAMP?", "¿y DATE?", "¿Qué guarda el tipo DATE?"),
        (
            "When must a data leak be reported to the board?",
            "And to the data subject?",
            "When must a data leak be reported to the data subject?",
        ),
        ("¿Qué se paga a los tutores?", "¿y a los becarios?", "¿Qué se paga a los becarios?"),
    ],
)
def test_another_term_takes_the_place_of_the_one_before(asked: str, question: str, meant: str) -> None:
    assert with_other_term(asked, question) == meant
    assert carry_topic([asked], question) == meant


@pytest.mark.parametrize(
    "question",
    [
        "¿y cuánto cuesta?",
        "¿y si lo pierdo?",
        "¿y cómo se renueva?",
        "And for how long?",
        "and who may use it?",
        "¿y 24?",
        "¿Qué es la latencia?",
        "la latencia",
        "¿y los plazos que fija la norma de cada una de las universidades públicas?",
        "¿y?",
    ],
)
def test_what_says_more_or_less_than_a_term_replaces_none(question: str) -> None:
    assert with_other_term("¿Cuánto dura la garantía del robot?", question) == ""


@pytest.mark.parametrize(
    ("asked", "question"),
    [
        ("¿Quién firma el contrato?", "¿y el precio?"),
        ("¿Cuántos miembros tiene el comité?", "¿y el presidente?"),
        ("How many members does the committee have?", "and the chair?"),
        ("¿En qué año nació Cervantes?", "¿y Lope de Vega?"),
        ("When does the library open?", "and the swimming pool?"),
        ("¿Puedo tener perro en el piso?", "¿y gato?"),
        ("¿Cuánto dura la garantía del robot?", "¿y ahora?"),
        ("¿Cuánto dura la garantía del robot?", "y gracias"),
        ("How long is the warranty for the battery?", "and the screen?"),
    ],
)
def test_what_may_be_something_of_it_replaces_nothing(asked: str, question: str) -> None:
    assert with_other_term(asked, question) == ""


def test_documents_and_places_stay_where_they_are() -> None:
    asked = "¿Qué es la historia clínica según la Ley 7/2011?"
    assert carry_topic([asked], "¿y la historia social?") == "¿Qué es la historia social según la Ley 7/2011?"
    assert "artículo 14" in carry_topic(["¿Qué dice el artículo 14 sobre los plazos?"], "¿y sobre las multas?")


def test_another_term_after_another_term_is_still_of_the_same_question() -> None:
    asked = ["¿Qué función tienen los discos duros?", "¿y los discos ópticos?"]
    assert carry_topic(asked, "¿y los discos flexibles?") == "¿Qué función tienen los discos flexibles?"
