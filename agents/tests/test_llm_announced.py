"""What a sentence announces, and what a place has, is told whole: the list, the steps, the table."""

import pytest

from agents.llm.base import Passage
from agents.llm.extractive import Reply, answer
from agents.llm.quoting.asked_for.kinds import asked_pair, asks_for_list


def told(question: str, text: str, language: str = "es", *, is_named: bool = False) -> Reply:
    return answer(question, [Passage(1, text, "t")], language, is_named=is_named)


RISKS = """## 2.1 El riego

Un riego mal medido gasta agua, pero sobre todo provoca daños en las raíces. Se conocen tres:

- **Asfixia**: el agua ocupa el sitio del aire.
- **Pudrición**: un hongo se come la corteza.
- **Lavado**: las sales se van con el agua y la planta se queda sin ellas.

Todo esto se estudió en 1931 en una finca de la vega.
"""


@pytest.mark.parametrize(
    "question", ["¿Cuáles son los tres daños que provoca el riego?", "¿Qué tres daños en las raíces provoca el riego?"]
)
def test_a_list_is_told_with_the_sentence_that_says_what_it_is_of(question: str) -> None:
    said = told(question, RISKS)
    assert said.text.splitlines() == [
        "**2.1 El riego**",
        "",
        "Un riego mal medido gasta agua, pero sobre todo provoca daños en las raíces. [1]",
        "",
        "Se conocen tres: [1]",
        "",
        "- Asfixia: el agua ocupa el sitio del aire. [1]",
        "- Pudrición: un hongo se come la corteza. [1]",
        "- Lavado: las sales se van con el agua y la planta se queda sin ellas. [1]",
    ]
    assert not said.is_doubtful


def test_a_list_that_the_sentence_before_does_not_need_is_not_told() -> None:
    said = told("¿Qué provoca un riego mal medido?", RISKS)
    assert said.text == "Un riego mal medido gasta agua, pero sobre todo provoca daños en las raíces. [1]"


GRADES = """## Scope

The rules apply to bicycles and to carts.

Three safety grades are defined:

- Grade A (plain): carts that stay in the yard.
- Grade B (guarded): bicycles on roads.
- Grade C (strict): whatever carries children.
"""


@pytest.mark.parametrize("question", ["What safety grades are there?", "Which safety grades are defined?"])
def test_all_that_there_are_is_the_whole_list_and_not_its_first_items(question: str) -> None:
    said = told(question, GRADES, "en").text
    assert [mark in said for mark in ("Grade A", "Grade B", "Grade C")] == [True, True, True]


FEES = """## 4 Fees

The fee depends on the length of the boat, as given in Table 4.1.

| Length | Fee |
| --- | --- |
| up to 5 m | 40 |
| up to 8 m | 65 |
| above 8 m | 90 |
"""


def test_the_table_that_a_sentence_points_to_is_told_below_it() -> None:
    said = told("On what does the fee of a boat depend?", FEES, "en").text
    assert "The fee depends on the length of the boat, as given in Table 4.1. [1]" in said
    assert said.count("[1] |") == 3


def test_what_is_announced_and_not_there_is_told_with_doubt() -> None:
    said = told("¿Qué requisitos tiene una licencia?", "Los requisitos de una licencia son los siguientes.\n")
    assert said.is_doubtful


ANNEX = """ANEXO III. Precios

Los precios se revisan cada año en enero. No incluyen el impuesto.

| Sala | Mañana | Tarde |
| --- | --- | --- |
| Grande | 50 € | 70 € |
| Mediana | 30 € | 45 € |
| Pequeña | 20 € | 25 € |
| Taller | 15 € | 15 € |
"""


def test_the_table_of_a_place_is_told_whole_below_its_first_sentences() -> None:
    said = answer("anexo III", [Passage(1, ANNEX, "t", headings=("ANEXO III. Precios",))], "es", is_named=True).text
    assert said.startswith("**ANEXO III. Precios**\n\nLos precios se revisan cada año en enero. [1]")
    assert said.count("[1] |") == 4


def test_the_table_of_a_place_is_told_behind_more_sentences_than_an_answer_has() -> None:
    longer = ANNEX.replace("No incluyen", "Se pagan antes de cada uso. Se devuelven si llueve mucho. No incluyen")
    said = answer("anexo III", [Passage(1, longer, "t", headings=("ANEXO III. Precios",))], "es", is_named=True).text
    assert "No incluyen" not in said
    assert said.count("[1] |") == 4


def test_a_long_table_of_a_place_says_that_it_goes_on() -> None:
    longer = ANNEX + "".join(f"| Cabina {n} | {n} € | {n} € |\n" for n in range(2, 14))
    said = answer("anexo III", [Passage(1, longer, "t", headings=("ANEXO III. Precios",))], "es", is_named=True).text
    assert said.endswith("… (+6)")


HOURS = """## 3.1 Opening hours

The reading room has 44 hours a week. Quiet hours, in which nobody may talk, are from 14:00 to 16:30. Outside them \
groups may meet.
"""


def test_of_two_things_that_are_asked_for_both_are_told() -> None:
    said = told("What are the quiet hours and the opening hours?", HOURS, "en").text
    assert "from 14:00 to 16:30. [1]" in said
    assert "44 hours a week. [1]" in said
    assert "44 hours" not in told("What are the quiet hours?", HOURS, "en").text


def test_two_things_are_read_at_the_end_of_a_question() -> None:
    assert asked_pair("¿Cuáles son la fianza y el canon anual?") == (
        frozenset({"fianza"}),
        frozenset({"canon", "anual"}),
    )
    assert not asked_pair("¿Qué relación hay entre huertos y fianzas en el anexo?")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("¿Qué tres anomalías se describen?", True),
        ("¿Qué niveles de riesgo hay?", True),
        ("What kinds of seal exist?", True),
        ("¿Qué turno hay por la tarde?", False),
        ("What is there?", False),
    ],
)
def test_all_of_several_things_are_asked_for_in_several_ways(question: str, expected: bool) -> None:
    assert asks_for_list(question) is expected


def test_a_title_alone_is_no_answer_of_which_anybody_is_sure() -> None:
    title = "Artículo 21. Obligación de resolver"
    question = "¿Qué dice el artículo 21?"
    for text in (title, f"{title}..."):
        said = answer(question, [Passage(1, text, "t", headings=(title,))], "es", is_named=True)
        assert said.is_doubtful or "[1]" not in said.text
    said = answer(
        question, [Passage(1, f"{title}\n\nSe resuelve en un mes.", "t", headings=(title,))], "es", is_named=True
    )
    assert not said.is_doubtful
