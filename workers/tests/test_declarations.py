"""What files declare about themselves: as far as it is valid, and only where the upload said nothing."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from corpora.models import Corpus, Document
from retrieval.results import RetrievalPolicy
from retrieval.search import retrieve
from retrieval.tests.shelf import scope_of
from tests.factories import CorpusFactory
from tests.library import upload
from tests.people import People
from workers.ingestion.declarations import Invalid, check_declared, usable_fields

FRONT = """---
title: Bucles
tipo: Teoría
unidad: 3
difficulty: Básico
language: es-AR
course: PROG1
tags: [bucles, for]
fecha: 2026-03-31T10:00
---
# El bucle for

El bucle for recorre los elementos de una lista.
"""


@pytest.mark.parametrize(
    ("declared", "fields"),
    [
        ({"content_type": "Teoría"}, {"content_type": "teoria"}),
        ({"content_type": "documentación"}, {"content_type": "documentacion"}),
        ({"difficulty": " AVANZADO "}, {"difficulty": "avanzado"}),
        ({"language": "es_ES"}, {"language": "es"}),
        ({"date": "2026-03-31T10:00:00Z"}, {"source_date": date(2026, 3, 31)}),
        ({"date": date(2026, 3, 31)}, {"source_date": date(2026, 3, 31)}),
        ({"unit": 3}, {"unit": "3"}),
        ({"tags": ("a", "b")}, {"tags": ["a", "b"]}),
    ],
)
def test_words_become_the_fields_values(declared: dict[str, Any], fields: dict[str, Any]) -> None:
    assert check_declared(declared) == fields
    assert usable_fields(declared) == fields


INVALID: list[dict[str, Any]] = [
    {"content_type": "blog post"},
    {"difficulty": "3"},
    {"language": "Spanish"},
    {"date": "Spring"},
    {"unit": "x" * 101},
    {"unit": ["a"]},
    {"tags": ("x" * 51,)},
    {"course": {"a": 1}},
]


@pytest.mark.parametrize("wrong", INVALID)
def test_what_is_invalid_is_an_error_in_a_folder_and_left_out_of_a_file(wrong: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as refused:
        check_declared({"topic": "T", **wrong})
    assert next(iter(wrong)).replace("date", "source_date") in str(refused.value)
    assert usable_fields({"topic": "T", **wrong}) == {"topic": "T"}


def test_an_unknown_field_is_an_error() -> None:
    with pytest.raises(Invalid, match="corpus_id"):
        check_declared({"corpus_id": "3"})


@pytest.fixture
def corpus(people: People) -> Corpus:
    made: Corpus = CorpusFactory(personal_of=people.alice)
    return made


@pytest.mark.django_db(transaction=True)
def test_front_matter_sets_what_the_upload_did_not(people: People, corpus: Corpus, worker: Callable[[], int]) -> None:
    document = upload(corpus, people.alice, "bucles.md", FRONT, unit="Unidad tres")
    assert worker() == 1
    document.refresh_from_db()
    assert document.metadata == {
        "content_type": "teoria", "unit": "Unidad tres", "topic": "", "difficulty": "basico", "language": "es",
        "course": "PROG1", "tags": ["bucles", "for"], "meta": [], "source_date": 20260331,
    }  # fmt: skip
    assert (document.title, document.source_date) == ("Bucles", date(2026, 3, 31))
    for requirements, is_found in (({"course": ["PROG1"], "unit": ["Unidad tres"]}, True), ({"unit": ["3"]}, False)):
        found = retrieve("bucle for", scope_of(people.alice, corpus), RetrievalPolicy(requirements=requirements))
        assert bool(found.chunks) is is_found


@pytest.mark.django_db(transaction=True)
def test_what_was_edited_since_stays_when_the_file_is_read_again(
    people: People, corpus: Corpus, worker: Callable[[], int]
) -> None:
    document = upload(corpus, people.alice, "bucles.md", FRONT)
    worker()
    Document.objects.filter(pk=document.pk).update(difficulty="avanzado", status="pending")
    assert worker() == 1
    document.refresh_from_db()
    assert (document.version, document.difficulty, document.unit) == (2, "avanzado", "3")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("front", ["type: blog\nunit: 7", "tags: " + "x" * 400 + "\nunit: 7", "language: ???\nunit: 7"])
def test_front_matter_that_means_something_else_spoils_nothing(
    people: People, corpus: Corpus, worker: Callable[[], int], front: str
) -> None:
    document = upload(corpus, people.alice, "post.md", f"---\n{front}\n---\nA loan lasts twenty-one days.\n")
    worker()
    document.refresh_from_db()
    assert (document.status, document.unit, document.content_type, document.tags) == ("indexed", "7", "", [])
