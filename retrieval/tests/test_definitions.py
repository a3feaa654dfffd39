"""Whose meaning a question asks, and where a text says it."""

from uuid import UUID

import pytest

from retrieval.index.base import Candidates, Hit
from retrieval.ranking.fusion import Fused
from retrieval.ranking.relevance import RelevanceScale, SearchQuery, by_relevance
from retrieval.spaces.builtin import LEXICAL_MODEL, space_for
from retrieval.tests.exact import chunk_of, numbers
from retrieval.text.definitions import defined_thing, definition_of
from retrieval.text.folding import fold_latin


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("¿Qué es el consentimiento informado?", ("consentimiento", "informado")),
        ("qué son los datos personales", ("datos", "personales")),
        ("¿Qué se entiende por centro sanitario?", ("centro", "sanitario")),
        ("What is a quorum?", ("quorum",)),
        ("What does TTL mean?", ("ttl",)),
        ("Define latencia.", ("latencia",)),
        ("¿Qué se considera trabajo nocturno?", ("trabajo", "nocturno")),
        ("Definición de quórum", ("quorum",)),
        ("What is meant by fair use?", ("fair", "use")),
        ("definition of controller", ("controller",)),
        ("What does 'profiling' mean?", ("profiling",)),
        ("¿Qué es lo que hay que pagar por la licencia de una terraza de verano?", ()),
        ("¿Cuánto dura el préstamo?", ()),
        ("¿Qué es la latencia? ¿Y el ancho de banda?", ()),
        ("", ()),
    ],
)
def test_what_is_asked_the_meaning_of(question: str, thing: tuple[str, ...]) -> None:
    assert defined_thing(question) == thing


@pytest.mark.parametrize(
    ("text", "defines"),
    [
        ("… determinado.\nConsentimiento informado: la conformidad libre de un paciente.", True),
        ("**Consentimiento informado** — la conformidad libre.", True),
        ("3.1. «Consentimiento informado» (CI): la conformidad libre.", True),
        ("El consentimiento informado es la conformidad libre.", True),
        ("Consentimientos informados son los que se dan por escrito.", True),
        ("Se entenderá por consentimiento informado la conformidad libre.", True),
        ("b) nada; c) «consentimiento informado» significa la conformidad libre; d) nada;", True),
        ("nada; (3) ‘consentimiento informado’: la conformidad libre;", True),
        ("… llamado «consentimiento informado» en la ley.", False),
        ("| Consentimiento informado | la conformidad libre |", False),
        ("Artículo 8. Consentimiento informado.", False),
        ("Quien da su consentimiento informado es el paciente.", False),
        ("c) El consentimiento informado.", False),
    ],
)
def test_where_a_text_says_what_it_is(text: str, defines: bool) -> None:
    definition = definition_of(("consentimiento", "informado"))
    assert (definition.search(fold_latin(text)) is not None) is defines


def test_of_like_passages_the_one_that_defines_comes_first() -> None:
    scale = RelevanceScale(space_for(LEXICAL_MODEL, 1536), Candidates(dense=(Hit(UUID(int=1), 0.4),)))
    uses = chunk_of(1, "El consentimiento informado se da por escrito, y el consentimiento informado se guarda.")
    defines = chunk_of(2, "Consentimiento informado: la conformidad libre de un paciente.")
    found = [(Fused(UUID(int=1), 0.9, 0.4, 5.0), uses), (Fused(UUID(int=2), 0.7, 0.3, 3.0), defines)]
    of_it, of_more = (
        by_relevance(SearchQuery((question,)), found, scale, {})
        for question in ("¿Qué es el consentimiento informado?", "¿Quién da el consentimiento informado?")
    )
    assert (numbers(of_it), numbers(of_more)) == ([2, 1], [1, 2])
