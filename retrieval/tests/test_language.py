"""Language detection, on phrases and on the XQuAD questions where they are at hand."""

import pytest

from retrieval.tests.xquad import passages, questions
from retrieval.text.language import detect


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("¿Cuándo vence la garantía?", "es"),
        ("cuando vence la garantia", "es"),
        ("capa de transporte", "es"),
        ("educación ambiental", "es"),
        ("anexo I de la ordenanza de huertos urbanos", "es"),
        ("Capítulo I de la ley de aguas", "es"),
        ("May I leave early?", "en"),
        ("article 8 i 9 de la llei", "ca"),
        ("¿IPv6?", "es"),
        ("When does the warranty expire?", "en"),
        ("How many layers are there in TCP/IP", "en"),
        ("Quelle est la capitale de la France ?", "fr"),
        ("Qual é a capital do Brasil e por que não é o Rio?", "pt"),
        ("Was ist die Hauptstadt von Deutschland?", "de"),
        ("", ""),
        ("ISO 27001", ""),
        ("TCP", ""),
        ("anexo I", ""),
        ("1234 %&/", ""),
        ("日本語のテキスト", ""),
    ],
)
def test_a_phrase_is_recognised(text: str, expected: str) -> None:
    assert detect(text) == expected


def test_a_long_document_is_judged_by_more_than_its_head() -> None:
    body = "Los alumnos aprenden cómo se entregan los paquetes y por qué se pierden. " * 400
    assert detect("The abstract is in English. " + body) == "es"


@pytest.mark.parametrize("language", ["es", "en"])
def test_at_least_98_percent_of_the_questions_are_recognised(language: str) -> None:
    right = [detect(question.text) == language for question in questions(language)]
    assert sum(right) / len(right) >= 0.98


@pytest.mark.parametrize("language", ["es", "en"])
def test_at_least_98_percent_of_the_paragraphs_are_recognised(language: str) -> None:
    right = [detect(text) == language for text in passages(language).values()]
    assert sum(right) / len(right) >= 0.98
