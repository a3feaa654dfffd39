"""What was named and is not there caps the confidence."""

import pytest

from retrieval.confidence.caps import (
    NEVER_HIGH,
    NEVER_MEDIUM,
    NEVER_SUFFICIENT,
    cap_of_few,
    cap_of_first,
    cap_of_names,
    cap_of_subject,
    is_treated,
    speaks_of,
)
from retrieval.places.named import Named
from retrieval.places.rating import rate_named
from retrieval.places.standing import Standing
from retrieval.ranking.relevance import SearchQuery
from retrieval.ranking.selection import Selection
from retrieval.tests.exact import chunk_of


@pytest.mark.parametrize(
    ("question", "text", "heading", "cap"),
    [
        ("What changed in 4.0.3?", "It changed in 5.0.0.", "History", NEVER_HIGH),
        ("What changed in 4.0.3?", "It changed in 4.0.3.", "History", 1.0),
        ("What changed in 4.0?", "It changed in 14.0 and 4.05.", "History", NEVER_HIGH),
        ("¿Qué pasó en 1986?", "Pasó en 1.986 casos.", "Historia", NEVER_HIGH),
        ('What does the section "Who we are" say?', "Where we are.", "Where", NEVER_HIGH),
        ('What does the section "Who we are" say?', "We are many.", "Who we are", 1.0),
        ("Security scanning", "Security and scanning.", "Scanning", NEVER_HIGH),
        ('What does the section "Who we are" say?', "See Who we are.", "Contents", NEVER_HIGH),
        ("Security scanning", "It is automatic.", "3. Security scanning", 1.0),
        ("Credits", "It is automatic.", "Credit counseling", NEVER_HIGH),
        ("What is security scanning?", "Security scanning is automatic.", "Scanning", 1.0),
        ("", "", "", 1.0),
    ],
)
def test_what_the_first_passage_lacks_is_never_high(question: str, text: str, heading: str, cap: float) -> None:
    assert cap_of_first(question, text, heading) == cap


@pytest.mark.parametrize(
    "question",
    [
        "And for how long?",
        "¿Y cuánto dura?",
        "¿Cómo funciona eso?",
        "What about it?",
        "¿Qué plazo hay?",
        "?",
        "¿Quién puede acceder a ella?",
        "Who may use it?",
    ],
)
def test_a_question_that_does_not_say_what_it_is_about_is_not_answered(question: str) -> None:
    assert cap_of_subject(question) == NEVER_MEDIUM


@pytest.mark.parametrize(
    "question",
    [
        "How long is a loan?",
        "How much does it cost to join?",
        "¿Quién puede acceder a ella desde casa?",
        "¿Qué plazo hay para recurrir?",
        "préstamos",
        "Art. 14",
        "¿Qué es un VPN?",
        "開館時間は?",
        "Сколько?",
    ],
)
def test_a_question_of_one_word_of_its_own_has_a_subject(question: str) -> None:
    assert cap_of_subject(question) == 1.0


@pytest.mark.parametrize(
    ("named", "is_narrowed", "rating"),
    [(Named(), False, NEVER_MEDIUM), (Named(), True, 0.9), (Named(documents=("Ley 41/2002",)), False, 0.9)],
)
def test_what_is_searched_or_named_says_what_a_question_is_about(
    named: Named, is_narrowed: bool, rating: float
) -> None:
    chunks = (chunk_of(1, "It lasts for a long time."),)
    selection = Selection(chunks, chunks, chunks, chunks, chunks, chunks)
    standing = Standing((), chunks, named, ())
    question = SearchQuery(("And for how long?",), ())
    assert rate_named(0.9, question, selection, standing, chunks, is_narrowed=is_narrowed) == rating


def test_the_number_of_a_place_that_was_found_may_be_written_otherwise() -> None:
    assert cap_of_first("¿Qué dice el artículo 14?", "Todos tienen derecho.", "Artículo catorce", is_named=True) == 1.0


def test_a_medium_needs_a_second_passage_where_there_are_others() -> None:
    assert cap_of_few(0.7, kept=1, found=5) == NEVER_MEDIUM
    assert cap_of_few(0.7, kept=2, found=5) == cap_of_few(0.7, kept=1, found=1) == 0.7
    assert cap_of_few(0.9, kept=1, found=5) == 0.9
    assert cap_of_few(0.3, kept=1, found=5) == 0.3


def test_a_missing_document_that_passages_speak_of_is_never_high() -> None:
    act, law = Named(missing_documents=("Schools Act passed",)), Named(missing_documents=("Ley 9/1999",))
    assert cap_of_names(act) == cap_of_names(law) == NEVER_SUFFICIENT
    assert cap_of_names(act, act.missing_documents) == NEVER_HIGH
    assert cap_of_names(law, law.missing_documents) == NEVER_MEDIUM


@pytest.mark.parametrize(
    ("name", "heading", "is_one"),
    [
        ("Constitución de 1837", "historia la constitucion de 1837", True),
        ("Constitución de 1837", "historia progresistas", False),
        ("Ley 41/2002", "modificacion de la ley 41/2002", False),
    ],
)
def test_what_is_told_by_a_year_may_be_what_a_passage_treats(name: str, heading: str, *, is_one: bool) -> None:
    assert is_treated(name, [heading]) is is_one
    missing = Named(missing_documents=(name,))
    assert cap_of_names(missing, (name,), (name,) if is_one else ()) == (NEVER_HIGH if is_one else NEVER_MEDIUM)
    article = Named(missing_documents=(name,), missing_places=("artículo 3",))
    assert cap_of_names(article, (name,), (name,)) == NEVER_SUFFICIENT


def test_a_name_without_a_number_may_have_a_word_too_many_and_one_with_a_number_may_not() -> None:
    assert speaks_of("South African Schools Act passed", ["the south african schools act of those years"])
    assert not speaks_of("South African Schools Act passed", ["the british nationality act of those years"])
    assert speaks_of("Ley 9/1999", ["como dice la ley 9/1999, no"])
    assert not speaks_of("Ley 9/1999", ["como dice la ley 8/1999, no"])
