"""A follow-up that says only another term is the question before with that term in the place of the one it replaces."""

import pytest

from chat.understanding.replacing import with_other_term
from chat.understanding.topics import carry_topic


@pytest.mark.parametrize(
    ("asked", "question", "meant"),
    [
        ("¿Cuánto dura la garantía del robot?", "¿y la batería?", "¿Cuánto dura la batería del robot?"),
        ("¿Qué función tienen los discos duros?", "¿y los discos ópticos?", "¿Qué función tienen los discos ópticos?"),
        ("¿Qué significa weekly 7?", "¿y hourly?", "¿Qué significa hourly?"),
        ("¿Cuántos días de vacaciones hay?", "¿y de permiso?", "¿Cuántos días de permiso hay?"),
        ("¿Cuándo vence el plazo de inscripción?", "¿Y el de matrícula?", "¿Cuándo vence el plazo de matrícula?"),
        ("¿Cuándo abre la biblioteca los sábados?", "¿y los domingos?", "¿Cuándo abre la biblioteca los domingos?"),
        ("¿Cuándo abre la biblioteca los sábados?", "¿Y el museo?", "¿Cuándo abre el museo los sábados?"),
        ("¿Cuánto cobra un tutor?", "¿y para los becarios?", "¿Cuánto cobra un tutor para los becarios?"),
        ("¿Los tutores tienen vacaciones?", "¿y los becarios?", "¿los becarios tienen vacaciones?"),
        ("permiso por matrimonio", "¿y por mudanza?", "permiso por mudanza"),
        ("What does --archive do?", "and --delete?", "What does --delete do?"),
        ("Who approves travel?", "And training?", "Who approves training?"),
        ("When does the library open?", "what about the pool?", "When does the pool open?"),
        ("How many vacation days do I get?", "and sick days?", "How many sick days do I get?"),
        ("What is the limit for office supplies?", "And for travel?", "What is the limit for travel?"),
        ("What is the limit for office supplies?", "and travel?", "What is the limit for travel?"),
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
        ("How do I renew a loan?", "and cancel?", "How do I cancel a loan?"),
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


def test_documents_and_places_stay_where_they_are() -> None:
    asked = "¿Qué es la historia clínica según la Ley 7/2011?"
    assert carry_topic([asked], "¿y la receta médica?") == "¿Qué es la receta médica según la Ley 7/2011?"
    assert (
        carry_topic(["¿Cuánto dura el descanso según el Estatuto de los Trabajadores?"], "¿Y para los menores de edad?")
        == "¿Cuánto dura el descanso para los menores de edad según el Estatuto de los Trabajadores?"
    )
    assert "artículo 14" in carry_topic(["¿Qué dice el artículo 14 sobre los plazos?"], "¿y sobre las multas?")


def test_another_term_after_another_term_is_still_of_the_same_question() -> None:
    asked = ["¿Cuánto dura la garantía del robot?", "¿y la batería?"]
    assert carry_topic(asked, "¿y el filtro?") == "¿Cuánto dura el filtro del robot?"
