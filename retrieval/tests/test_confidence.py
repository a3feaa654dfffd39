"""Confidence: the formula of the source, and that it tells answerable from unanswerable questions."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.confidence.gate import Confidence, confidence, score
from retrieval.embeddings.lexical import LexicalProvider
from retrieval.tests import xquad
from retrieval.tests.exact import ExactIndex

relevances = st.lists(st.floats(0, 1), min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("given_score", "level"),
    [
        (1.0, Confidence.HIGH),
        (0.8, Confidence.HIGH),
        (0.799, Confidence.MEDIUM),
        (0.6, Confidence.MEDIUM),
        (0.599, Confidence.LOW),
        (0.4, Confidence.LOW),
        (0.399, Confidence.NONE),
        (0.0, Confidence.NONE),
    ],
)
def test_levels_begin_where_the_specification_says(given_score: float, level: Confidence) -> None:
    assert confidence(given_score) is level


def test_the_source_s_example_is_a_high_confidence() -> None:
    """rag-for-teaching-agents: 0.85, 0.78 and 0.72 are a high confidence."""
    assert score([0.85, 0.78, 0.72]) == pytest.approx(0.6 * (0.85 + 0.78 + 0.72) / 3 + 0.4 * 0.85)
    assert confidence(score([0.85, 0.78, 0.72])) is Confidence.HIGH


def test_equal_relevances_are_not_rounded_below_their_level() -> None:
    assert confidence(score([0.8] * 3)) is Confidence.HIGH
    assert confidence(score([0.6] * 7)) is Confidence.MEDIUM


def test_without_passages_there_is_no_confidence() -> None:
    assert score([]) == 0.0
    assert confidence(score([])) is Confidence.NONE


@given(relevances)
def test_the_score_lies_between_mean_and_maximum(values: list[float]) -> None:
    mean = sum(values) / len(values)
    assert mean - 1e-9 <= score(values) <= max(values) + 1e-9


@given(relevances, st.floats(0, 1))
def test_a_better_passage_never_lowers_the_confidence(values: list[float], better: float) -> None:
    improved = [max(values[0], better), *values[1:]]
    assert score(improved) >= score(values) - 1e-12


def level_of(index: ExactIndex, question: str, without: frozenset[int] = frozenset()) -> Confidence:
    ranked = index.ranked(question, index.search(question, without))
    return confidence(score([chunk.relevance for chunk in ranked[:8] if chunk.relevance >= 0.3]))


def sufficient(levels: list[Confidence]) -> float:
    return sum(level in (Confidence.HIGH, Confidence.MEDIUM) for level in levels) / len(levels)


@pytest.mark.parametrize("language", ["es", "en"])
def test_answerable_questions_suffice_and_unanswerable_ones_do_not(language: str) -> None:
    """Unanswerable: the same question after its whole article was removed."""
    passages, questions = xquad.passages(language), xquad.questions(language)
    index = ExactIndex(LexicalProvider(), list(passages.values()), language)
    numbers = {id: number for number, id in enumerate(passages)}
    articles = {
        id: frozenset(numbers[other] for other in passages if _article(other) == _article(id)) for id in passages
    }

    answerable = [level_of(index, question.text) for question in questions]
    unanswerable = [level_of(index, question.text, articles[min(question.relevant)]) for question in questions]

    assert sufficient(answerable) >= 0.90
    assert sufficient(unanswerable) <= 0.15


def _article(paragraph_id: str) -> str:
    """`xqes-017-003` is the third paragraph of article 17."""
    return paragraph_id.rsplit("-", 1)[0]


ELSEWHERE = {
    "es": """¿Cómo se cambia el filtro de aceite del coche?
        ¿Cuánta levadura lleva la masa de pan?
        ¿Qué dosis de ibuprofeno toma un niño?
        ¿Cómo reinicio la contraseña del correo?
        ¿A qué hora cierra la piscina municipal?
        ¿Cómo se poda un rosal en invierno?
        ¿Qué tornillo lleva la estantería del salón?
        ¿Cuántos días de vacaciones me quedan este año?
        ¿Cómo configuro la impresora de la oficina?
        ¿Qué comen los hámsters?""".splitlines(),
    "en": """How do I change the oil filter of my car?
        How much yeast goes into bread dough?
        What dose of ibuprofen may a child take?
        How do I reset my mail password?
        When does the public swimming pool close?
        How are roses pruned in winter?
        Which screw fits the shelf in the living room?
        How many days of leave have I got left this year?
        How do I set up the office printer?
        What do hamsters eat?""".splitlines(),
}


@pytest.mark.parametrize("language", ["es", "en"])
def test_nonsense_and_other_fields_do_not_suffice(language: str) -> None:
    index = ExactIndex(LexicalProvider(), list(xquad.passages(language).values()), language)
    letters = random.Random(7)
    nonsense = [
        " ".join("".join(letters.choices("aeioubcdlmnprst", k=letters.randint(4, 9))) for _ in range(6))
        for _ in range(100)
    ]
    assert sufficient([level_of(index, question) for question in nonsense]) <= 0.02
    assert sufficient([level_of(index, question) for question in ELSEWHERE[language]]) == 0.0
