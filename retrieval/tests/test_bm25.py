"""BM25 vectors: what they share, what they leave out, and the ranking they give on XQuAD through Edge."""

from pathlib import Path
from uuid import UUID, uuid4

import numpy as np
import pytest

from corpora.scope import Scope
from retrieval.filters import search_filter
from retrieval.index import Point, SparseVector, make_index
from retrieval.index.bm25 import encode_documents, encode_query
from retrieval.tests.xquad import passages, questions


def overlap(question: str, document: str, language: str) -> int:
    """How many terms of the question the document holds."""
    (encoded,) = encode_documents([document], language)
    return len(set(encode_query(question).indices) & set(encoded.indices))


@pytest.mark.parametrize("text", ["", "   ", "¿?", "¿Qué es lo que hay?", "what is it", "el de la"])
def test_a_question_without_terms_gives_an_empty_vector(text: str) -> None:
    assert encode_query(text) == SparseVector((), ())
    assert not encode_query(text)


def test_a_document_without_terms_gives_an_empty_vector() -> None:
    assert encode_documents(["", "de la"], "es") == [SparseVector((), ())] * 2


def test_accents_and_inflections_do_not_matter() -> None:
    document = "Las garantías técnicas vencen"
    assert overlap("¿Cuándo vence la garantía técnica?", document, "es") == 3
    assert overlap("cuando vence la garantia tecnica", document, "es") == 3


@pytest.mark.parametrize("language", ["es", "en", "", "fr"])
def test_names_and_codes_are_found_in_documents_of_any_language(language: str) -> None:
    document = "Peyton Manning ISO 27001 QX-42"
    assert overlap("¿Quién es Peyton Manning?", document, language) == 2
    assert overlap("What does ISO 27001 say?", document, language) == 2
    assert overlap("QX-42", document, language) == 2


def test_an_english_word_that_is_a_spanish_stop_word_is_kept() -> None:
    assert overlap("sea level", "The level of the sea", "en") == 2


def test_a_passage_whose_language_was_misjudged_is_still_found() -> None:
    assert overlap("¿Cuáles son las ciudades portuarias?", "Las ciudades portuarias crecieron", "en") >= 2


def test_a_repeated_term_weighs_more_but_less_than_twice() -> None:
    once, twice = encode_documents(["perro gato", "perro perro gato"], "es")
    assert max(once.values) < max(twice.values) < 2 * max(once.values)


def test_vectors_come_in_the_order_of_the_texts() -> None:
    texts = ["uno", "", "tres gatos"]
    assert encode_documents(texts, "es") == [encode_documents([text], "es")[0] for text in texts]


@pytest.mark.parametrize("language", ["es", "en"])
def test_bm25_alone_finds_the_right_paragraph_first_for_92_of_100_questions(language: str, tmp_path: Path) -> None:
    texts = passages(language)
    scope = Scope(uuid4(), uuid4(), frozenset({uuid4()}))
    points = _points(texts, language, scope)
    names = dict(zip((point.id for point in points), texts, strict=True))
    index = make_index("xquad", 4, url="", folder=tmp_path)
    try:
        index.ensure()
        index.upsert(points)
        ranked = [
            [
                names[hit.id]
                for hit in index.search(None, encode_query(question.text), search_filter(scope, 800), 5).sparse
            ]
            for question in questions(language)
        ]
    finally:
        index.close()
    expected = [question.relevant for question in questions(language)]
    first = [bool(relevant & set(found[:1])) for found, relevant in zip(ranked, expected, strict=True)]
    any_of_five = [bool(relevant & set(found)) for found, relevant in zip(ranked, expected, strict=True)]
    assert sum(first) / len(first) >= 0.92
    assert sum(any_of_five) / len(any_of_five) >= 0.98


def _points(texts: dict[str, str], language: str, scope: Scope) -> list[Point]:
    (corpus,) = scope.global_ids
    payload = {
        "organization_id": str(scope.organization_id),
        "corpus_id": str(corpus),
        "corpus_type": "global",
        "document_id": str(uuid4()),
        "granularity": "800",
        "version": 1,
    }
    dense = np.ones(4, dtype=np.float32)
    vectors = encode_documents(list(texts.values()), language)
    return [Point(UUID(int=number + 1), dense, vector, payload) for number, vector in enumerate(vectors)]
