"""Facts: kept without a file, replaced by key, versioned, found within seconds, deleted by key."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connections

from accounts.problems import NotFound
from corpora import removal
from corpora.models import Corpus, Document
from corpora.uploads import facts
from retrieval.results import RetrievedChunk
from retrieval.search import retrieve
from retrieval.tests.shelf import scope_of
from tests.factories import CorpusFactory, DocumentFactory
from tests.people import People, signed_in

QUESTION = "When does the library close for works?"
MAY = "The library closes for works on the second of May."
JUNE = "The library closes for works on the tenth of June."

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def corpus(people: People) -> Corpus:
    made: Corpus = CorpusFactory(personal_of=people.alice)
    return made


def post(people: People, corpus: Corpus, text: str, **said: Any) -> Any:
    path = f"/api/corpora/{corpus.pk}/facts/"
    return signed_in(people.alice).post(path, {"text": text, **said}, content_type="application/json")


def found(people: People, corpus: Corpus) -> list[RetrievedChunk]:
    return list(retrieve(QUESTION, scope_of(people.alice, corpus)).chunks)


def test_a_fact_is_found_within_seconds(people: People, corpus: Corpus, worker: Callable[[], int]) -> None:
    began = time.monotonic()
    answer = post(people, corpus, MAY, title="Works", tags=["hours"], source="Notice board")
    worker()
    chunks = found(people, corpus)
    assert time.monotonic() - began < 5
    assert answer.status_code == 202
    body = answer.json()
    assert (body["title"], body["key"], body["source"], body["content_type"]) == (
        "Works",
        "Works",
        "Notice board",
        "hecho",
    )
    cited = [(str(one.document), one.title, one.text) for one in chunks]
    assert cited == [(body["id"], "Works (Notice board)", MAY)]


def test_the_same_key_is_a_new_version_of_the_same_document(
    people: People, corpus: Corpus, worker: Callable[[], int]
) -> None:
    first = post(people, corpus, MAY, key="works").json()["id"]
    worker()
    second = post(people, corpus, JUNE, key="works", title="Works", tags=["hours"]).json()
    assert second["id"] == first
    assert [one.text for one in found(people, corpus)] == [MAY], "readers keep the version before"
    worker()
    assert [(one.text, one.title) for one in found(people, corpus)] == [(JUNE, "Works")]
    document = Document.objects.get()
    assert (document.version, document.tags, document.fact_key) == (2, ["hours"], "works")


def test_the_key_is_the_title_and_the_title_the_first_line(people: People, corpus: Corpus) -> None:
    post(people, corpus, f"Works\n{MAY}")
    post(people, corpus, f"Works\n{JUNE}")
    post(people, corpus, MAY, title="Another")
    assert sorted(Document.objects.values_list("fact_key", "title")) == [("Another", "Another"), ("Works", "Works")]


def test_the_same_text_said_again_is_not_embedded_again(
    people: People, corpus: Corpus, worker: Callable[[], int]
) -> None:
    post(people, corpus, MAY, key="works", title="Works")
    worker()
    again = post(people, corpus, MAY, key="works", title="Closed", tags=["hours"], source="Notice board").json()
    assert (again["status"], again["title"], again["tags"], again["version"]) == ("indexed", "Closed", ["hours"], 1)
    assert worker() == 0


def test_keys_are_of_one_corpus_and_keys_that_look_alike_stay_apart(people: People, corpus: Corpus) -> None:
    other = CorpusFactory(personal_of=people.alice)
    for where, key in ((corpus, "a b"), (corpus, "a-b"), (other, "a b")):
        assert post(people, where, MAY, key=key).status_code == 202
    assert Document.objects.count() == 3


def test_facts_are_listed_with_the_documents(people: People, corpus: Corpus) -> None:
    post(people, corpus, MAY, key="works")
    listed = signed_in(people.alice).get(f"/api/corpora/{corpus.pk}/documents/").json()["results"]
    assert [(one["key"], one["content_type"]) for one in listed] == [("works", "hecho")]


def test_a_fact_is_deleted_by_its_key(people: People, corpus: Corpus, worker: Callable[[], int]) -> None:
    post(people, corpus, MAY, key="works & days")
    worker()
    client, path = signed_in(people.alice), f"/api/corpora/{corpus.pk}/facts/?key=works%20%26%20days"
    assert client.delete(path).status_code == 204
    assert found(people, corpus) == []
    assert client.delete(path).status_code == 404
    assert post(people, corpus, JUNE, key="works & days").status_code == 202


@pytest.mark.parametrize("query", ["", "?key=", "?key=unknown"])
def test_a_key_that_names_nothing_deletes_nothing(people: People, corpus: Corpus, query: str) -> None:
    DocumentFactory(corpus=corpus)
    assert signed_in(people.alice).delete(f"/api/corpora/{corpus.pk}/facts/{query}").status_code == 404
    assert Document.objects.alive().count() == 1


@pytest.mark.parametrize(
    "wrong", [{"text": ""}, {"text": " \n "}, {"text": "x" * 20_001}, {"key": "x" * 201}, {"source": "x" * 501}]
)
def test_what_is_no_fact_is_refused(people: People, corpus: Corpus, wrong: dict[str, str]) -> None:
    answer = post(people, corpus, wrong.get("text", MAY), **{name: wrong[name] for name in wrong if name != "text"})
    assert (answer.status_code, list(answer.json()["errors"])) == (400, list(wrong))


def test_a_fact_of_a_deleted_corpus_does_not_come_back(people: People, corpus: Corpus) -> None:
    removal.remove_corpus(corpus, people.alice)
    with pytest.raises(NotFound):
        facts.upsert_fact(corpus, people.alice, MAY)


def test_first_statements_at_once_become_one_document(people: People, corpus: Corpus) -> None:
    def say(number: int) -> None:
        try:
            facts.upsert_fact(corpus, people.alice, f"{MAY} {number}", key="works")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(say, range(6)))
    assert Document.objects.alive().count() == 1
