"""How long something lasts, without a language model: a duration of it, and neither a fine nor a price."""

import pytest

from agents.llm.base import Passage
from agents.llm.extractive import answer as reply_of
from agents.llm.quoting.asked_for.kinds import Wish, kind_of_question

LENT = Passage(
    1,
    "## Préstamo\n\n### ¿Cuántos libros puedo llevarme y durante cuánto tiempo?\n\n"
    "Con el carné General, ocho libros durante 21 días. Las novedades, con etiqueta verde, se prestan 10 días.\n\n"
    "### ¿Qué pasa si devuelvo un libro tarde?\n\n"
    "Por cada día de retraso hay un día de suspensión del préstamo, hasta un máximo de 90 días.\n",
    "Preguntas frecuentes",
)
PERMIT = Passage(
    1,
    "The parking permit costs 30 euros, and 5 % more when paid late. A parking permit that is overdue is fined after "
    "10 days. The permit expires two years after it was issued.",
    "Parking rules",
    headings=("Parking permit",),
)


@pytest.mark.parametrize("question", ["¿Cuánto dura el préstamo de un libro?", "¿Cuántos días dura el préstamo?"])
def test_it_is_told_by_its_duration_and_not_by_that_of_a_fine(question):
    said = reply_of(question, [LENT], "es")
    assert not said.is_doubtful
    assert "durante 21 días" in said.text
    assert "suspensión" not in said.text


def test_the_fine_s_own_duration_is_told_where_it_is_asked_for():
    said = reply_of("¿Cuánto dura la suspensión del préstamo?", [LENT], "es")
    assert "hasta un máximo de 90 días" in said.text
    assert not said.is_doubtful


def test_neither_a_price_nor_a_percentage_is_a_duration():
    said = reply_of("How long does a parking permit last?", [PERMIT], "en").text
    assert said.startswith("The permit expires two years")


def test_a_term_of_payment_beside_a_price_is_no_duration():
    text = (
        "La matrícula del curso cuesta 120 euros y se rebaja a quien pague en 15 días. Se imparte durante doce semanas."
    )
    said = reply_of("¿Cuánto dura el curso?", [Passage(1, text, "Curso", headings=("Curso de encuadernación",))], "es")
    assert said.text.startswith("Se imparte durante doce semanas.")
    assert not said.is_doubtful


def test_a_duration_of_something_else_is_only_the_nearest():
    text = "El proceso de edición tiene cinco pasos y dura veinte semanas en la editorial."
    assert reply_of("¿Cuánto dura la suspensión?", [Passage(1, text, "Manual")], "es").is_doubtful


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("¿Cuánto dura el curso?", Wish.SPAN),
        ("¿Cuántas semanas dura el curso?", Wish.SPAN),
        ("¿Qué vigencia tiene el permiso?", Wish.SPAN),
        ("How long does the permit last?", Wish.SPAN),
        ("How long is the bridge?", Wish.TIME),
        ("¿Cuándo vence el permiso?", Wish.TIME),
        ("¿Cuántos libros puedo llevarme?", Wish.NUMBER),
    ],
)
def test_what_asks_how_long(question, kind):
    assert kind_of_question(question) is kind


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "El préstamo dura 21 días y el retraso lleva una multa. El préstamo se renueva dos días antes.",
            0,
        ),
        ("El préstamo es por quince días. El préstamo se reserva con tres días de antelación.", 0),
        ("El préstamo se tramita en dos días. El préstamo dura hasta el final del curso.", 1),
        ("El préstamo exige dos semanas de prácticas. El préstamo dura 90 min cada tarde.", 1),
        ("El retraso de un préstamo se sanciona con 15 días. El préstamo dura 21 días.", 1),
    ],
)
def test_what_lasts_is_told_and_neither_a_deadline_nor_what_is_counted_beside_it(text: str, told: int) -> None:
    reply = reply_of("¿Cuánto dura el préstamo?", [Passage(1, text, "Guía")], "es")
    wanted, other = text.split(". ")[told].rstrip("."), text.split(". ")[1 - told].rstrip(".")
    assert not reply.is_doubtful
    assert wanted in reply.text
    assert other not in reply.text


def test_a_number_that_a_sentence_tells_of_something_else_is_doubted() -> None:
    assert reply_of("¿Cuánto dura el curso?", [Passage(1, "El curso exige dos años de experiencia.", "Guía")], "es")[1]
