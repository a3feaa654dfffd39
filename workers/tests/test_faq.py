"""Questions and answers of a text that nothing else gives an outline: each question is a section."""

from typing import Any

import pytest

from corpora.tests import documents
from workers.ingestion.chunk.chunking import cut_chunks
from workers.ingestion.extract.entry import extract
from workers.ingestion.extract.extracted import Extracted

PAIRS = [
    ("¿Cuánto cuesta el carné?", "El primero es gratuito y los siguientes cuestan 2,50 €."),
    ("¿Puedo renovar un préstamo?", "Sí, dos veces, si nadie lo ha reservado antes."),
    ("¿Qué pasa si pierdo un libro?", "Se paga su precio, o se trae otro ejemplar igual."),
    ("¿Hay que pedir cita?", "No, salvo para la sala de música."),
]


def titles(extracted: Extracted) -> list[str]:
    for heading in extracted.headings:
        assert heading.title in extracted.text[heading.start : heading.end]
    return [heading.title for heading in extracted.headings]


@pytest.mark.parametrize(
    "shape", ["{q}\n{a}\n\n", "{q}\n\n{a}\n\n", "P: {q}\nR: {a}\n\n", "Pregunta 1. {q}\nRespuesta. {a}\n"]
)
def test_each_question_is_a_section_in_text_and_pdf(shape: str) -> None:
    text = "".join(shape.format(q=question, a=answer) for question, answer in PAIRS)
    asked = [question for question, _ in PAIRS]
    assert titles(extract(text.encode(), documents.TEXT)) == asked
    assert titles(extract(documents.pdf([text.split("\n")]), documents.PDF)) == asked


def test_a_word_document_too() -> None:
    def build(document: Any) -> None:
        document.add_heading("Dudas", 1)
        for question, answer in PAIRS:
            document.add_paragraph(question)
            document.add_paragraph(answer)

    extracted = extract(documents.docx(build), documents.DOCX)
    assert [(one.level, one.title) for one in extracted.headings] == [(1, "Dudas"), *((2, asked) for asked, _ in PAIRS)]


def test_an_answer_is_cited_with_its_question() -> None:
    text = "".join(f"{question}\n{answer}\n\n" for question, answer in PAIRS)
    [chunk] = cut_chunks(extract(text.encode(), documents.TEXT), 256, 32)
    assert [part.heading_path for part in chunk.parts] == [(question,) for question, _ in PAIRS]


def test_english_too() -> None:
    text = "\n".join(
        f"Q: {q}\nA: {a}\n"
        for q, a in [("How long does it take?", "Two days."), ("Who pays?", "We do."), ("Where is it?", "Here.")]
    )
    assert titles(extract(text.encode(), documents.TEXT)) == ["How long does it take?", "Who pays?", "Where is it?"]


@pytest.mark.parametrize(
    "text",
    [
        "¿Qué es esto?\nUna pregunta sola no hace un cuestionario.\n",
        "".join(f"¿Pregunta número {n} de la lista?\n" for n in range(9)),
        "".join(f"¿Por qué {n}?\n" + "Una línea de un texto largo que sigue.\n" * 40 for n in range(5)),
        "".join(f"Se preguntó: ¿y ahora {n}? Nadie dijo nada.\nSiguió.\n" for n in range(5)),
        "".join(f"P: ¿Sin respuesta marcada {n}?\nOtra cosa.\n" for n in range(5)),
    ],
)
def test_what_asks_without_being_answered_is_text(text: str) -> None:
    assert titles(extract(text.encode(), documents.TEXT)) == []


@pytest.mark.parametrize("shape", ["**{q}** {a}\n\n", "**{q}**\n{a}\n\n", "**{q}**\n\n{a}\n\n", "- **{q}** {a}\n"])
def test_bold_questions_are_sections_of_a_markdown_below_its_headings(shape: str) -> None:
    text = (
        "# Dudas\n\n"
        + "".join(shape.format(q=question, a=answer) for question, answer in PAIRS)
        + "\n## Otra\n\nFin.\n"
    )
    extracted = extract(text.encode(), documents.MARKDOWN)
    asked = [(2, question) for question, _ in PAIRS]
    assert [(one.level, one.title) for one in extracted.headings] == [(1, "Dudas"), *asked, (2, "Otra")]
    assert titles(extracted)
    parts = [part for chunk in cut_chunks(extracted, 256, 32) for part in chunk.parts]
    assert ("Dudas", PAIRS[1][0]) in [part.heading_path for part in parts]


def test_a_bold_question_of_a_text_is_emphasis() -> None:
    told = "Nadie sabe **¿por qué?** y sigue.\n\n**¿Y esto?** Una sola.\n\n"
    code = "```\n**¿A qué hora?** x\n**¿Y hoy no?** y\n```\n"
    assert not extract((told + code).encode(), documents.MARKDOWN).headings
