"""Coverage: the share of a question's words that a passage has, by rarity."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.confidence.coverage import coverages


def test_a_passage_with_all_words_covers_all_and_one_with_none_nothing() -> None:
    assert coverages("¿Cuánto dura un préstamo?", ["El préstamo dura 21 días.", "Otro tema."]) == [1.0, 0.0]


def test_accents_case_and_inflection_do_not_matter() -> None:
    passages = ["LA RENOVACION DE PRESTAMOS", "la renovación de un préstamo"]
    assert coverages("renovaciones del préstamo", passages) == [1.0, 1.0]


def test_a_stem_must_begin_a_word() -> None:
    assert coverages("arte", ["la parte superior"]) == [0.0]
    assert coverages("arte", ["(arte)", "arte", "«Arte»"]) == [1.0, 1.0, 1.0]


def test_a_rare_word_counts_more_than_one_that_every_passage_has() -> None:
    passages = ["libro " * 3, "libro préstamo", *["libro"] * 6]
    common, both, *_ = coverages("libro préstamo", passages)
    assert both == 1.0
    assert common < 0.5


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("¿Qué hago si gotea?", "La máquina gotea por el portafiltros."),
        ("¿Cuánta agua cabe en el depósito?", "Depósito de agua: 1,8 l."),
        ("How do I use the steam tap?", "Open the steam tap for two seconds."),
    ],
)
def test_words_that_serve_to_ask_are_hardly_missed(question: str, passage: str) -> None:
    covered, other = coverages(question, [passage, "Otra cosa."])
    assert 0.65 < covered < 1.0
    assert other == 0.0


def test_a_question_of_function_words_covers_nothing() -> None:
    assert coverages("¿y qué?", ["y qué más"]) == [0.0]
    assert coverages("words", []) == []


@pytest.mark.parametrize("question", ["Какой срок займа?", "Πόσο διαρκεί ο δανεισμός"])
def test_other_scripts_are_compared_too(question: str) -> None:
    assert coverages(question, [f"... {question} ...", "otra cosa"]) == [1.0, 0.0]


def test_typographic_signs_separate_words() -> None:
    assert coverages("préstamo libro", ["“préstamo”—libro…"]) == [1.0]


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=5))
def test_coverage_is_a_share(question: str, passages: list[str]) -> None:
    found = coverages(question, passages)
    assert len(found) == len(passages)
    assert all(0.0 <= value <= 1.0 + 1e-12 for value in found)
