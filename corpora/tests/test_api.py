"""Corpora, documents, chunks and facts over HTTP, to the letter of API.md."""

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.models import AuditEvent
from corpora.models import Corpus
from corpora.tests.sending import problem
from tests.factories import CorpusFactory, DocumentFactory
from tests.people import People, with_key

pytestmark = pytest.mark.django_db

CORPUS = {"id", "name", "description", "corpus_type", "is_active", "document_count", "chunk_count", "created_at"}
DOCUMENT = {
    *("id", "corpus", "filename", "title", "media_type", "size", "status", "stage", "progress", "error"),
    *("page_count", "chunk_count", "created_at", "indexed_at"),
}
INTERNAL = {"file", "sha256", "source_path", "lease_holder", "lease_expires_at", "attempts", "deleted_at", "owner"}


@pytest.fixture
def alice(people: People) -> Client:
    return with_key(people.alice)


@pytest.fixture
def ada(people: People) -> Client:
    return with_key(people.ada)


def post(client: Client, path: str, body: Any) -> Any:
    return client.post(path, body, content_type="application/json")


def patch(client: Client, path: str, body: Any) -> Any:
    return client.patch(path, body, content_type="application/json")


# Corpora


def test_a_new_corpus_is_personal_and_ones_own(alice: Client, people: People) -> None:
    answer = post(alice, "/api/corpora/", {"name": "Notes", "description": "Mine"})
    assert answer.status_code == 201
    assert set(answer.json()) == CORPUS
    corpus = Corpus.objects.get()
    assert (corpus.corpus_type, corpus.owner, corpus.organization) == (
        *("personal", people.alice.user),
        people.alice.organization,
    )


def test_a_global_corpus_is_made_by_admins_only(alice: Client, ada: Client, people: People) -> None:
    wanted = {"name": "Handbook", "corpus_type": "global"}
    assert problem(post(alice, "/api/corpora/", wanted)) == (403, "admin_required")
    assert post(ada, "/api/corpora/", wanted).status_code == 201
    assert Corpus.objects.get().owner is None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "  "}, "name"),
        ({"name": "n" * 151}, "name"),
        ({"name": "a\x00b"}, "name"),
        ({"name": "n", "corpus_type": "secret"}, "corpus_type"),
        ({"name": "n", "description": "d" * 2001}, "description"),
        ([], "non_field_errors"),
    ],
)
def test_a_corpus_that_is_not_valid_is_a_problem_that_names_the_field(body: Any, field: str, alice: Client) -> None:
    answer = post(alice, "/api/corpora/", body)
    assert problem(answer) == (400, "invalid_input")
    assert list(answer.json()["errors"]) == [field]


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b"", b'{"name": NaN}'])
def test_a_body_that_is_not_json_is_a_problem(body: bytes, alice: Client) -> None:
    answer = alice.generic("POST", "/api/corpora/", body, content_type="application/json")
    assert problem(answer)[0] == 400


def test_what_is_read_only_stays(alice: Client, people: People) -> None:
    corpus = CorpusFactory(personal_of=people.alice)
    theirs = CorpusFactory(personal_of=people.charlie)
    forged = {
        "id": str(theirs.pk),
        "corpus_type": "global",
        "owner": str(people.bob.user_id),
        "document_count": 7,
        "organization": str(people.charlie.organization_id),
        "created_at": "2000-01-01T00:00:00Z",
    }
    kept = ("id", "corpus_type", "owner", "organization", "created_at")
    before = Corpus.objects.filter(pk=corpus.pk).values(*kept).get()
    answer = patch(alice, f"/api/corpora/{corpus.pk}/", forged | {"name": "Renamed"})
    assert (answer.status_code, answer.json()["name"], answer.json()["document_count"]) == (200, "Renamed", 0)
    assert Corpus.objects.filter(pk=corpus.pk).values(*kept).get() == before


def test_a_forged_owner_of_a_new_corpus_is_ignored(alice: Client, people: People) -> None:
    forged = {"owner": str(people.bob.user_id), "organization": str(people.charlie.organization_id), "id": str(uuid4())}
    body = post(alice, "/api/corpora/", {"name": "Notes", **forged}).json()
    corpus = Corpus.objects.get()
    assert body["id"] != forged["id"]
    assert (corpus.owner, corpus.organization) == (people.alice.user, people.alice.organization)


def test_switching_a_corpus_off_is_audited(alice: Client, people: People) -> None:
    corpus = CorpusFactory(personal_of=people.alice)
    assert patch(alice, f"/api/corpora/{corpus.pk}/", {"is_active": False}).json()["is_active"] is False
    event = AuditEvent.objects.get(object_id=str(corpus.pk))
    assert (event.action, event.actor, event.changes) == ("changed", people.alice.user, {"is_active": False})


def test_counts_leave_out_what_is_deleted(alice: Client, people: People) -> None:
    corpus = CorpusFactory(personal_of=people.alice)
    kept, gone = DocumentFactory(corpus=corpus), DocumentFactory(corpus=corpus)
    alice.delete(f"/api/documents/{gone.pk}/")
    body = alice.get(f"/api/corpora/{corpus.pk}/").json()
    assert (body["document_count"], body["chunk_count"]) == (1, kept.chunk_count)


def test_a_deleted_corpus_is_gone_at_once_with_its_documents(
    alice: Client, people: People, django_capture_on_commit_callbacks: Any, hints: Any
) -> None:
    corpus = CorpusFactory(personal_of=people.alice)
    document = DocumentFactory(corpus=corpus)
    with django_capture_on_commit_callbacks(execute=True):
        assert alice.delete(f"/api/corpora/{corpus.pk}/").status_code == 204
    for path in (
        *(f"/api/corpora/{corpus.pk}/", f"/api/corpora/{corpus.pk}/documents/", f"/api/documents/{document.pk}/"),
        *(f"/api/documents/{document.pk}/content/", f"/api/documents/{document.pk}/chunks/"),
    ):
        assert problem(alice.get(path)) == (404, "not_found")
    assert hints == ["short"]
    assert problem(alice.delete(f"/api/corpora/{corpus.pk}/")) == (404, "not_found")


def test_heads_answer_like_gets(people: People) -> None:
    corpus = CorpusFactory(shared_in=people.alice.organization)
    assert with_key(people.bob).head(f"/api/corpora/{corpus.pk}/").status_code == 200


# Facts


def test_a_fact_is_kept_and_said_again_replaced(alice: Client, people: People, worker: Callable[[], int]) -> None:
    path = f"/api/corpora/{CorpusFactory(personal_of=people.alice).pk}/facts/"
    first = post(alice, path, {"text": "Water boils at 90 degrees.", "title": "Boiling", "tags": ["water"]})
    assert (first.status_code, first.json()["status"]) == (202, "pending")
    worker()
    second = post(alice, path, {"text": "Water boils at 100 degrees.", "title": "Boiling"})
    assert second.json()["id"] == first.json()["id"]
    worker()
    chunks = alice.get(f"/api/documents/{first.json()['id']}/chunks/").json()["results"]
    assert [chunk["text"] for chunk in chunks] == ["Water boils at 100 degrees."]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "text"),
        ({"text": " \n "}, "text"),
        ({"text": "x" * 20_001}, "text"),
        ({"text": "x", "title": "t" * 201}, "title"),
        ({"text": "x", "tags": 5}, "tags"),
        ({"text": "x", "tags": {"a": "b"}}, "tags"),
        ({"text": "x", "tags": [["a"]]}, "tags"),
        ({"text": "x", "tags": [None]}, "tags"),
        ({"text": "x", "tags": ["t" * 51]}, "tags"),
    ],
)
def test_a_fact_that_is_not_valid_names_the_field(body: Any, field: str, alice: Client, people: People) -> None:
    answer = post(alice, f"/api/corpora/{CorpusFactory(personal_of=people.alice).pk}/facts/", body)
    assert problem(answer) == (400, "invalid_input")
    assert list(answer.json()["errors"]) == [field]


@pytest.mark.parametrize("tags", ["red, blue", ["red", "blue"], ["red,blue", "red"]])
def test_tags_are_a_list_or_words_between_commas(tags: Any, alice: Client, people: People) -> None:
    path = f"/api/corpora/{CorpusFactory(personal_of=people.alice).pk}/facts/"
    assert post(alice, path, {"text": "Water is wet.", "tags": tags}).json()["tags"] == ["red", "blue"]


# The contract itself


def test_times_are_iso_8601_in_utc(alice: Client, people: People) -> None:
    document = DocumentFactory(corpus=CorpusFactory(personal_of=people.alice))
    body = alice.get(f"/api/documents/{document.pk}/").json()
    assert body["created_at"].endswith("Z")
    assert body["indexed_at"].endswith("Z")


def test_the_schema_is_valid_and_without_warnings(tmp_path: Any) -> None:
    path = tmp_path / "schema.json"
    call_command("spectacular", validate=True, fail_on_warn=True, format="openapi-json", file=str(path))
    schema = json.loads(path.read_text())
    assert "/api/corpora/{id}/" in schema["paths"]
    assert set(schema["components"]["securitySchemes"]) == {"apiKey", "session"}
