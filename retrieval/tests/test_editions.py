"""Editions in titles, file names and questions, and headings that are asked for by their words."""

import pytest

from retrieval.text.asked_headings import asked_headings
from retrieval.text.asked_places import asked_places
from retrieval.text.document_names import names_of
from retrieval.text.naming.editions import ANY, asked_editions, edition_names
from retrieval.text.references import heading_words


@pytest.mark.parametrize(
    ("title", "filename", "beginning", "names"),
    [
        ("Norma de presas 4.0.3 (es)", "n.pdf", "", ["4.0.3", "4.0", "4"]),
        ("Norma de presas", "norma-presas-5.0.0-en.pdf", "", ["5.0.0", "5.0", "5"]),
        ("Norma de presas", "n.pdf", "Norma de presas\nVersión 2.1\nMayo", ["2.1", "2"]),
        ("Manual de riego, segunda edición", "m.pdf", "", ["2"]),
        ("Dam safety, 3rd edition", "m.pdf", "", ["3"]),
        ("UNE 1234:2019", "une_2019.pdf", "", ["2019"]),
        ("Guía v3", "guia.md", "", ["3"]),
    ],
)
def test_a_document_is_called_by_its_edition(title: str, filename: str, beginning: str, names: list[str]) -> None:
    assert edition_names(title, filename, beginning) == [*(f"edition:{one}" for one in names), ANY]


@pytest.mark.parametrize(
    ("title", "filename"), [("Ley 41/2002, de autonomía", "ley.pdf"), ("Manual", "manual-429-pages.pdf"), ("12 %", "")]
)
def test_other_numbers_are_no_editions(title: str, filename: str) -> None:
    assert edition_names(title, filename) == []


@pytest.mark.parametrize(
    ("question", "numbers"),
    [
        ("requirement 2 of the DSS 4.0.3", ["4.0.3"]),
        ("¿Qué cambia en la versión 5 de la norma?", ["5"]),
        ("la segunda edición del manual", ["2"]),
        ("DSS 4", ["4"]),
        ("the 2019 edition", ["2019"]),
        ("la edición de 2019", ["2019"]),
        ("UNE 1234:2019", ["2019"]),
        ("costó 12.500 euros el 3/4/2019", ["12.500"]),
    ],
)
def test_a_question_may_name_editions(question: str, numbers: list[str]) -> None:
    assert [one.number for one in asked_editions(question)] == numbers


def test_names_hold_editions_and_what_is_written_in_capitals() -> None:
    names = names_of("Dam Safety Standard", "dss-4.0.3-en.pdf", "The DSS is a standard.\nVersion 4.0.3")
    assert {"edition:4.0.3", "edition:4", "token:dss"} <= names
    assert "token:en" not in names


def test_any_law_is_also_called_a_norm() -> None:
    assert "noun:norma archiv" in names_of("Ley 9/1999, de 2 de junio, General de Archivos", "ley.pdf")


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Artículo 14. Derecho a la información", "derech inform"),
        ("V6.5 General Multi-factor", "genera multi factor"),
        ("1. Conflicts of interest", "confli intere"),
        ("Mailing lists", "mailin lists"),
        ("Who we are", "who we are"),
        ("Parts of speech", "parts speech"),
        ("Chapter 3", ""),
    ],
)
def test_a_heading_is_also_called_by_its_words(title: str, said: str) -> None:
    assert heading_words(title) == said


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ('What does the section "Mailing lists" say?', ["heading:mailin lists"]),
        ("¿Qué dice el apartado «Quiénes somos»?", ["heading:somos"]),
        ("Mailing lists", ["heading:mailin lists"]),
        ("Mailing lists (security)", ["heading:mailin lists"]),
        ("what does the section on incident response say", ["heading:incide respon"]),
        ("¿Cuánto dura el permiso?", []),
        ("Appendix A", []),
    ],
)
def test_a_question_may_name_a_heading(question: str, found: list[str]) -> None:
    asked = [one.key for one in asked_headings(question, asked_places(question))]
    assert asked[: len(found)] == found
    assert bool(asked) == bool(found)
