"""Who edited, wrote or teaches it, and what the line below a document's title answers."""

import pytest

from agents.llm.base import Passage
from agents.llm.extractive import Reply, answer
from agents.llm.quoting.asked_for.roles import names_its_people


def told(question: str, text: str, title: str, language: str = "es") -> Reply:
    return answer(question, [Passage(1, text, title)], language)


RULES = """# Mountain Hut Water Rules

MHWR edition 4 — Published by the Alpine Union for Drinking Water, March 2019

Editors: R. Oberholzer, T. Quayle

## Foreword

These rules were agreed in Bern. They replace those of the Northern Federation.
"""


def test_the_line_with_the_role_beats_the_name_of_an_organisation() -> None:
    said = told("Who edited the mountain hut water rules?", RULES, "Mountain Hut Water Rules", "en")
    assert "Editors: R. Oberholzer, T. Quayle [1]" in said.text
    assert "Alpine Union" not in said.text


def test_the_line_below_a_title_answers_what_it_says_and_nothing_else() -> None:
    published = told("Who published the mountain hut water rules?", RULES, "Mountain Hut Water Rules", "en")
    assert "Alpine Union" in published.text
    other = told(
        "What does chapter 9 of the mountain hut water rules require?", RULES, "Mountain Hut Water Rules", "en"
    )
    assert "Alpine Union" not in other.text


COURSE = """# Unidad 2. Hongos del suelo

Micología — Grado en Ciencias Ambientales — Curso 2023-2024. Profesora: Dra. Noelia Arranz

## 2.1 Tipos

Los hongos del suelo se enseñan por familias en la unidad.
"""


def test_a_title_ends_no_name() -> None:
    said = told("¿Quién enseña la unidad de hongos del suelo?", COURSE, "Unidad 2. Hongos del suelo")
    assert "Profesora: Dra. Noelia Arranz [1]" in said.text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Docente: Prof. Ana Gil", True),
        ("Autores: Gil y Ruiz", True),
        ("Editors: A. Haldorsen, I. Bakare", True),
        ("Written by: Jane Doe", True),
        ("Docente: por determinar", False),
        ("Capital: Madrid", False),
        ("Nota: El editor avisa.", False),
    ],
)
def test_a_line_that_names_its_people_needs_no_stop(line: str, expected: bool) -> None:
    assert names_its_people(line) is expected
