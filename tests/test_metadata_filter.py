"""Edited metadata reaches retrieval by the database and the index, and embeds nothing (SPEC §4, "Filters")."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from corpora.models import Document
from corpora.uploads import intake
from retrieval.results import RetrievalPolicy
from retrieval.search import retrieve
from retrieval.spaces.opened import current_index, current_provider
from retrieval.tests.shelf import scope_of
from tests.factories import CorpusFactory
from tests.people import People, signed_in
from workers.jobs import metadata

Hints = list[str]
TEXT = b"A loan lasts twenty-one days and may be renewed twice."


@pytest.mark.payload_indexes
@pytest.mark.django_db(transaction=True)
def test_a_filter_finds_the_new_metadata_at_once_and_nothing_is_embedded_again(
    people: People, worker: Callable[[], int], hints: Hints, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = CorpusFactory(personal_of=people.alice)
    kept = intake.accept_upload(corpus, SimpleUploadedFile("loans.txt", TEXT), people.alice)
    worker()
    embedded: list[Any] = []
    provider = type(current_provider())
    monkeypatch.setattr(provider, "embed_documents", lambda self, texts: embedded.append(texts))
    hints.clear()
    policy = RetrievalPolicy(requirements={"unit": ["3"], "tags": ["new"]})
    scope = scope_of(people.alice, corpus)
    assert retrieve("How long is a loan?", scope, policy).chunks == ()

    said = {"unit": "3", "tags": ["new", "loans"], "title": "Renamed"}
    answer = signed_in(people.alice).patch(f"/api/documents/{kept.pk}/", said, content_type="application/json")
    assert answer.status_code == 200
    assert hints == ["short"]
    assert metadata.copy_next(), "what the worker does with the hint"

    found = retrieve("How long is a loan?", scope, policy).chunks
    assert [(one.document, one.title) for one in found] == [(kept.pk, "Renamed")]
    assert embedded == []
    assert current_index().count(kept.pk) == 1


@pytest.mark.payload_indexes
@pytest.mark.django_db(transaction=True)
def test_names_of_one_s_own_narrow_and_prefer_from_the_upload_on_and_after_an_edit(
    people: People, worker: Callable[[], int]
) -> None:
    corpus = CorpusFactory(personal_of=people.alice)
    scope, alice = scope_of(people.alice, corpus), signed_in(people.alice)
    for name, meta, words in (("a.txt", '{"edition": 3}', "Adults"), ("b.txt", "edition=4", "Children")):
        file = SimpleUploadedFile(name, TEXT + words.encode())
        sent = {"file": file, "meta": meta, "title": words}
        assert alice.post(f"/api/corpora/{corpus.pk}/documents/", sent).status_code == 202
    declared = b"---\nmeta:\n  edition: 5\n  author: 'Ana'\n---\n\n# Rules\n\n" + TEXT + b" Guests too."
    intake.accept_upload(corpus, SimpleUploadedFile("c.md", declared), people.alice, title="Guests")
    worker()

    def titles(*requirements: tuple[str, list[str]], **policy: Any) -> list[str]:
        chosen = RetrievalPolicy(requirements=requirements, **policy)
        return [one.title for one in retrieve("How long is a loan?", scope, chosen).chunks]

    assert len(titles()) == 3
    assert titles(("meta.edition", ["3"])) == ["Adults"]
    assert sorted(titles(("meta.edition", ["4", "5"]))) == ["Children", "Guests"]
    assert titles(("meta.edition", ["4", "5"]), ("meta.author", ["Ana"])) == ["Guests"]
    assert titles(("meta.author", ["Eva"])) == []
    for edition, title in (("3", "Adults"), ("4", "Children"), ("5", "Guests")):
        assert titles(preferences={"meta.edition": [edition]})[0] == title

    document = Document.objects.get(title="Adults")
    said = {"meta": {"edition": 9, "shelf": "B"}}
    assert alice.patch(f"/api/documents/{document.pk}/", said, content_type="application/json").status_code == 200
    while metadata.copy_next():
        pass
    assert titles(("meta.edition", ["3"])) == []
    assert titles(("meta.edition", ["9"]), ("meta.shelf", ["B"])) == ["Adults"]
    assert (
        alice.patch(f"/api/documents/{document.pk}/", {"meta": {}}, content_type="application/json").status_code == 200
    )
    while metadata.copy_next():
        pass
    assert titles(("meta.shelf", ["B"])) == []
