"""A heading that a question names by its words: which one is meant, and how much that says about the answer."""

from dataclasses import replace
from uuid import UUID

import pytest

from retrieval.places.named import Named
from retrieval.places.rating import rate_named
from retrieval.places.sections import FoundSection, chosen_sections
from retrieval.places.standing import Standing
from retrieval.ranking.relevance import SearchQuery
from retrieval.ranking.selection import Selection
from retrieval.tests.exact import chunk_of
from retrieval.text.asked_headings import MOST_QUESTIONS, asked_headings, question_name, question_names
from retrieval.text.asked_places import asked_places

DOCUMENT = UUID(int=1)


def section(title: str, key: str) -> FoundSection:
    return FoundSection(DOCUMENT, key, title, 1, 0, 10, None, None)


@pytest.mark.parametrize(
    ("asked", "title", "is_meant"),
    [
        ("Administrador", "Administración", False),
        ("Administración", "Administración", True),
        ("Administración", "3.2 Administración", True),
        ("administracion", "ADMINISTRACIÓN", True),
        ("la administración", "Administración", True),
    ],
)
def test_a_heading_of_the_same_stems_is_not_the_one_that_was_asked_for(asked: str, title: str, is_meant: bool) -> None:
    (place,) = asked_headings(f"¿Qué dice la sección «{asked}»?")
    assert [one.title for one in chosen_sections(place, [section(title, place.key)])] == ([title] if is_meant else [])


def test_a_section_with_a_text_is_meant_before_a_line_of_contents() -> None:
    (place,) = asked_places("¿Qué dice el artículo 21?")
    line = FoundSection(DOCUMENT, place.key, "Artículo 21. Obligación de resolver", 1, 0, 37, None, None)
    assert [one.is_sure for one in chosen_sections(place, [line])] == [True]
    text = replace(line, start=50, end=900)
    assert [(one.start, one.is_sure) for one in chosen_sections(place, [line, text])] == [(50, True)]
    assert len(chosen_sections(place, [line, replace(line, start=50, end=87)])) == 2


@pytest.mark.parametrize(
    ("rest", "is_by_words", "rating"),
    [
        ((), True, 0.95),  # what does it say?
        (("cuesta",), True, 0.24),  # what does it cost? It has to say so
        (("cuesta",), False, 0.95),  # an article that is named by its number is what is asked for
    ],
)
def test_a_heading_does_not_answer_what_else_is_asked(rest: tuple[str, ...], is_by_words: bool, rating: float) -> None:
    passage = chunk_of(
        1, "Los alumnos extranjeros presentan la solicitud.", relevance=0.95, heading_path=("Matrícula",)
    )
    chunks = (passage,)
    selection = Selection(chunks, chunks, chunks, chunks, chunks, chunks, named=1)
    standing = Standing(chunks, (), Named(places=("Matrícula",)), rest, is_by_words)
    question = SearchQuery(("¿Qué pasa con la Matrícula?",), ())
    assert rate_named(0.24, question, selection, standing, chunks) == rating


@pytest.mark.parametrize(
    ("documents", "relevance", "rating"),
    [
        ((), 0.65, 0.24),  # "a Chapter 13 petition": the one Chapter 13 says nothing of petitions
        ((), 0.95, 0.95),
        (("Using QMF",), 0.65, 0.65),  # "chapter 13 of Using QMF" is that chapter, in whatever words it says it
    ],
)
def test_the_only_place_of_a_number_answers_what_it_has_the_words_of(
    documents: tuple[str, ...], relevance: float, rating: float
) -> None:
    passage = chunk_of(1, "Data at a remote database.", relevance=relevance, heading_path=("Chapter 13. Remote data",))
    chunks = (passage,)
    selection = Selection(chunks, chunks, chunks, chunks, chunks, chunks, named=1)
    standing = Standing(chunks, (), Named(places=("Chapter 13. Remote data",), documents=documents), ("petiti",))
    question = SearchQuery(("What is the fee for a Chapter 13 petition?",), ())
    assert rate_named(0.24, question, selection, standing, chunks) == pytest.approx(rating)


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("¿Cómo me inscribo?", "¿Cómo me inscribo?"),
        ("¿Cómo me inscribo?", "como me inscribo"),
        ("3.2 ¿Puedo cambiar de grupo?", "¿Puedo cambiar de grupo?"),
        ("🌐 ¿Qué es una red?", "¿Qué es la red?"),
        ("What is the latest version of Debian?", "what is latest version of Debian?"),
        ("How to install it on a disk", "How to install it on a disk?"),
        ("I have a card which doesn't work. What should I do?", "I have a card which doesn't work. What should I do?"),
    ],
)
def test_a_question_that_is_a_heading_is_a_name_of_its_document(heading: str, question: str) -> None:
    assert question_name(question) in question_names([heading])


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("¿Cómo funciona?", "¿Cómo funciona?"),  # whatever was spoken of
        ("Y después, ¿qué?", "¿Qué?"),
        ("¿Puedo cambiar de grupo?", "¿No puedo cambiar de grupo?"),
        ("Can I return a kayak?", "Can't I return a kayak?"),
        ("Inscripción", "¿Inscripción?"),  # is asked for as a heading's words
        ("3.2 Préstamos", "3.2"),
    ],
)
def test_another_question_or_none_is_no_name(heading: str, question: str) -> None:
    assert (question_name(question) or "nothing") not in question_names([heading])


def test_a_document_has_so_many_names_by_questions_and_no_more() -> None:
    assert len(question_names(f"¿Qué es la pieza {n}?" for n in range(2 * MOST_QUESTIONS))) == MOST_QUESTIONS


def test_a_question_without_its_marks_is_of_no_document_in_its_brackets() -> None:
    asked = "cuantos libros a la vez pueden sacar los profesores (PDI)"
    assert asked_headings(asked) == ()
    (heading,) = asked_headings("Préstamo de libros (PDI)")
    assert heading.text == "Préstamo de libros"
