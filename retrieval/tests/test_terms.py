"""Exact terms: what of a question is one, and which text has it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.confidence.coverage import coverages
from retrieval.text.folding import fold_latin, words_only
from retrieval.text.terms import MOST_TERMS, exact_terms


def held(question: str, text: str) -> bool:
    """Whether the text has any of the question's terms."""
    return any(term.is_in(fold_latin(text)) for term in exact_terms(question))


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("¿Qué dice el artículo 14.2 sobre la comida?", {"artículo 14.2"}),
        ("¿Y el art. 5 bis?", {"art. 5 bis"}),
        ("What does § 3 say?", {"§ 3"}),
        ("What should a client do when it gets error 503?", {"error 503"}),
        ("When is HTTP status code 429 sent?", {"status code 429"}),
        ("What does RFC 2119 say about MUST?", {"RFC 2119"}),
        ("Is ISO-9001 or ISO/IEC 27001 required?", {"ISO-9001", "ISO/IEC 27001"}),
        ("¿Afecta CVE-2021-44228 a la versión 2.14.1?", {"CVE-2021-44228", "2.14.1"}),
        ("¿Qué regula la Ley 41/2002?", {"41/2002"}),
        ("What does GET /v1/models answer?", {"GET /v1/models"}),
        ("Where is /etc/hosts?", {"/etc/hosts"}),
        ("¿Qué significa rate_limited y qué maxTokens?", {"rate_limited", "maxTokens"}),
        ("What does os.path do with --verbose?", {"os.path", "--verbose"}),
        ("Who is called «el manco de Lepanto»?", {"«el manco de Lepanto»"}),
        ("What does `yield` do?", {"`yield`"}),
        ("Does an A4 page fit?", {"A4"}),
        ("Does QMF run on Windows 11?", {"Windows 11"}),
        ("¿Funciona con Python 3.12?", {"3.12"}),
    ],
)
def test_codes_identifiers_references_and_quotations_are_terms(question: str, terms: set[str]) -> None:
    assert {term.text for term in exact_terms(question)} == terms


@pytest.mark.parametrize(
    "question",
    [
        "¿Cuántos días dura un préstamo?",
        "Who wrote Don Quixote in 1605?",
        "Is it I or a 5 year old?",
        "the well-known U.S. Senate and/or the House",
        "¿Qué hace el artículo sobre gatos?",
        "an error in 3 of them",
        "¿Qué hay en el Aula 12 y en Paracetamol 500 para el Grupo 4?",
        "",
        '""«»``',
    ],
)
def test_ordinary_words_and_figures_are_none(question: str) -> None:
    assert exact_terms(question) == ()


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("artículo 14.2", "**Art. 14.2.** Está permitido"),
        ("artículo 14.2", "see section 14.2"),
        ("§ 14.2", "según el ARTÍCULO 14.2, la comida"),
        ("art 14", "Artículo 14.2"),
        ("section 5", "Handbook > 5. Error codes\nThe gateway"),
        ("section 5.1", "5.1 Retries\nRetry at most"),
        ("error 503", "| 503 | `service_unavailable` |"),
        ("ISO-9001", "norma ISO 9001:2015"),
        ("ISO 9001", "ISO9001"),
        ("RFC 2119", "RFC-2119"),
        ("GET /v1/models", "`GET /v1/models` lists"),
        ("max_tokens", "`max_tokens`: the most"),
        ("«Ser o no ser»", "—ser, o no ser—"),
        ("la versión 2.5", "Version 2.5."),
    ],
)
def test_a_text_has_a_term_however_it_is_written_there(question: str, text: str) -> None:
    assert held(question, text)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("artículo 14.2", "Art. 14.21"),
        ("artículo 14.2", "Art. 114.2"),
        ("artículo 14.2", "a share of 14.2 %"),
        ("artículo 14", "1. One\n14 Fourteen"),
        ("error 503", "tel. 15034 and 1.503 and 503.7"),
        ("GET /v1/models", "/v1/models-old and /v1/models/7"),
        ("max_tokens", "max_tokens_limit"),
        ("ISO-9001", "ISO 90015"),
        ("2.5", "2.5.1 and 12.5"),
        ("«ser o no ser»", "ser no ser"),
    ],
)
def test_a_part_of_something_longer_is_not_the_term(question: str, text: str) -> None:
    assert not held(question, text)


def test_a_heading_counts_twice_and_a_mention_of_it_once() -> None:
    mention, heading = exact_terms("artículo 7")
    assert all(term.is_in(fold_latin("\nArtículo 7. De los plazos")) for term in (mention, heading))
    referring = fold_latin("conforme al artículo 7 de esta ley")
    assert mention.is_in(referring)
    assert not heading.is_in(referring)


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_question_and_any_text_are_bearable(question: str, text: str) -> None:
    terms = exact_terms(question)
    assert len(terms) <= MOST_TERMS
    assert all(term.is_in(fold_latin(text)) in (True, False) for term in terms)


@pytest.mark.parametrize(
    "piece", ["a_", "A1-", "/", '"', "1.", "aB", "a.b", "/{:.%-", "--a", "error ", "«a ", "ISO 9-", "§"]
)
def test_a_hostile_question_costs_nothing(piece: str) -> None:
    started = time.perf_counter()
    terms = exact_terms(piece * 4000)
    text = fold_latin(piece * 2000)
    for term in terms:
        term.is_in(text)
    assert time.perf_counter() - started < 0.5


@given(st.text())
def test_folding_moves_nothing(text: str) -> None:
    assert len(fold_latin(text)) == len(words_only(text)) == len(text)


def test_folding_takes_accents_and_case_and_leaves_signs() -> None:
    assert fold_latin("Artículo 14.2: ¿«Ñu»?\n— §3") == "articulo 14.2: ¿«nu»?\n? §3"
    assert words_only("Artículo 14.2") == b"articulo 14 2"


ABOUT_ANOTHER = "Artículo 3. El préstamo de los fondos dura veintiún días."
ITSELF = "Artículo 14.2. El préstamo de los fondos antiguos dura siete días."


@pytest.mark.parametrize(
    ("question", "passage", "fits"),
    [
        ("¿Qué dice el artículo 14.2 del préstamo?", ABOUT_ANOTHER, False),
        ("¿Qué dice el artículo 14.2 del préstamo?", ITSELF, True),
        ("error 503 al pedir un préstamo", "El error más común al pedir un préstamo.", False),
        ("error 503 al pedir un préstamo", "El error 503 al pedir un préstamo.", True),
        ("préstamo según RFC 2119", "Un préstamo según la norma.", False),
    ],
)
def test_an_article_or_a_code_that_no_passage_has_is_missing(question: str, passage: str, fits: bool) -> None:
    (share,) = coverages(question, [passage], exact_terms(question))
    assert (share > 0.6) == fits


def test_a_phrase_or_a_name_may_be_written_otherwise() -> None:
    for question in ('"el préstamo de fondos" dura', "préstamo de fondos en get_loan"):
        assert coverages(question, [ABOUT_ANOTHER], exact_terms(question)) == coverages(question, [ABOUT_ANOTHER])
