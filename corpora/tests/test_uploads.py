"""Taking files in: what is kept, what is refused, and how a document is followed (API.md)."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoCaptureOnCommitCallbacks

from corpora.models import Corpus, Document
from corpora.tests import documents
from corpora.tests.sending import TEXT, kept_files, problem, send
from tests.factories import CorpusFactory
from tests.people import People, with_key

pytestmark = pytest.mark.django_db

PDF = documents.pdf([["hola"]])
DOCX = documents.docx(lambda document: document.add_paragraph("hola"))


@pytest.fixture
def corpus(people: People) -> Corpus:
    return CorpusFactory(personal_of=people.alice)


@pytest.fixture
def alice(people: People) -> Client:
    return with_key(people.alice)


# What is taken in


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("a.pdf", PDF, documents.PDF),
        ("a.docx", DOCX, documents.DOCX),
        ("a.txt", TEXT, documents.TEXT),
        ("a.md", b"# Water", documents.MARKDOWN),
    ],
)
def test_every_kind_of_document_is_taken_in_and_waits(
    name: str, content: bytes, media_type: str, alice: Client, corpus: Corpus
) -> None:
    answer = send(alice, corpus, content, name)
    body = answer.json()
    assert answer.status_code == 202
    assert (body["status"], body["progress"], body["error"], body["media_type"]) == ("pending", 0.0, None, media_type)
    assert (body["corpus"], body["filename"], body["size"]) == (str(corpus.pk), name, len(content))


def test_the_workers_are_told_after_the_commit(
    alice: Client,
    corpus: Corpus,
    hints: list[str],
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        answer = send(alice, corpus)
        assert hints == []
    assert answer.status_code == 202
    assert hints == ["ingestion", "short"]


def test_metadata_is_kept_with_the_document(alice: Client, corpus: Corpus) -> None:
    given = {
        "title": "Water",
        "content_type": "teoria",
        "unit": "1",
        "topic": "heat",
        "difficulty": "basico",
        "language": "en",
        "course": "PHY-1",
    }
    body = send(alice, corpus, **given, tags=["a, b", "c"]).json()
    assert {name: body[name] for name in given} == given
    assert body["tags"] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("content_type", "poem"),
        ("difficulty", "hard"),
        ("language", "English"),
        ("title", "t" * 256),
        ("tags", ",".join(str(n) for n in range(21))),
        ("tags", "t" * 51),
    ],
)
def test_metadata_that_is_not_valid_is_named(field: str, value: str, alice: Client, corpus: Corpus) -> None:
    answer = send(alice, corpus, **{field: value})
    assert problem(answer) == (400, "invalid_input")
    assert list(answer.json()["errors"]) == [field]


def test_fields_that_are_not_the_clients_are_ignored(alice: Client, corpus: Corpus, people: People) -> None:
    theirs = CorpusFactory(personal_of=people.charlie)
    forged = {"id": str(theirs.pk), "corpus": str(theirs.pk), "status": "indexed", "sha256": "0", "version": "7"}
    body = send(alice, corpus, forged=forged).json()
    document = Document.objects.get()
    assert (body["id"], body["corpus"], body["status"]) == (str(document.pk), str(corpus.pk), "pending")
    assert (document.version, document.uploaded_by) == (0, people.alice.user)


# What is refused


@pytest.mark.parametrize(
    ("name", "content", "status", "code"),
    [
        ("a.exe", b"MZ\x90", 415, "unsupported_type"),
        ("a", TEXT, 415, "unsupported_type"),
        ("a.pdf.html", TEXT, 415, "unsupported_type"),
        ("a.pdf", TEXT, 422, "signature_mismatch"),
        ("a.txt", PDF, 422, "signature_mismatch"),
        ("a.docx", b"PK\x03\x04 and nothing else", 422, "signature_mismatch"),
        ("a.txt", b"", 422, "empty_file"),
        ("a.pdf", b"", 422, "empty_file"),
    ],
)
def test_a_file_that_is_not_what_it_says_is_refused_and_not_kept(
    name: str, content: bytes, status: int, code: str, alice: Client, corpus: Corpus, settings: Any
) -> None:
    assert problem(send(alice, corpus, content, name)) == (status, code)
    assert not Document.objects.exists()
    assert kept_files(settings) == []


def test_a_refusal_speaks_the_callers_language(alice: Client, corpus: Corpus) -> None:
    said = {}
    for language in ("es", "en"):
        alice.defaults["HTTP_ACCEPT_LANGUAGE"] = language
        said[language] = send(alice, corpus, TEXT, "a.pdf").json()["detail"]
    assert said == {
        "es": "El archivo se llama PDF pero no contiene un PDF.",
        "en": "The file is named PDF but does not contain a PDF.",
    }


def test_a_file_over_the_limit_is_413_and_one_at_the_limit_is_not(alice: Client, corpus: Corpus, settings: Any) -> None:
    settings.MAX_UPLOAD_BYTES = 1000
    assert problem(send(alice, corpus, b"x" * 1001)) == (413, "file_too_large")
    assert send(alice, corpus, b"x" * 1000).status_code == 202


def test_the_limit_can_be_raised(alice: Client, corpus: Corpus, settings: Any) -> None:
    settings.MAX_UPLOAD_BYTES = 12 * 1024 * 1024
    assert send(alice, corpus, b"water " * (2 * 1024 * 1024 - 1024)).status_code == 202


@pytest.mark.parametrize("body", [{}, {"file": "a text"}])
def test_a_request_without_a_file_names_the_field(body: dict[str, str], alice: Client, corpus: Corpus) -> None:
    answer = alice.post(f"/api/corpora/{corpus.pk}/documents/", body)
    assert problem(answer) == (400, "invalid_input")
    assert list(answer.json()["errors"]) == ["file"]


def test_an_upload_as_json_is_an_unsupported_media_type(alice: Client, corpus: Corpus) -> None:
    answer = alice.post(f"/api/corpora/{corpus.pk}/documents/", {"file": "x"}, content_type="application/json")
    assert problem(answer) == (415, "unsupported_media_type")


@pytest.mark.parametrize("body", [b"", b"--x\r\n", b"no boundary at all"])
def test_a_broken_multipart_body_is_a_problem(body: bytes, alice: Client, corpus: Corpus) -> None:
    path = f"/api/corpora/{corpus.pk}/documents/"
    answer = alice.generic("POST", path, body, content_type="multipart/form-data; boundary=x")
    assert problem(answer)[0] == 400


def test_more_form_fields_than_anybody_needs_are_a_problem(alice: Client, corpus: Corpus) -> None:
    assert problem(send(alice, corpus, **{f"field{n}": "x" for n in range(1100)})) == (400, "invalid_input")


# The whole way


def test_a_document_is_followed_from_pending_to_indexed(
    alice: Client, corpus: Corpus, worker: Callable[[], int]
) -> None:
    path = f"/api/documents/{send(alice, corpus).json()['id']}/"
    assert alice.get(path).json()["status"] == "pending"
    assert worker() == 1
    body = alice.get(path).json()
    assert (body["status"], body["stage"], body["progress"], body["error"]) == ("indexed", "", 1.0, None)
    assert body["chunk_count"] == 1
    assert body["indexed_at"] is not None


def test_a_document_that_cannot_be_read_says_why(alice: Client, corpus: Corpus, worker: Callable[[], int]) -> None:
    document = send(alice, corpus, b"   \n\n  ").json()["id"]
    worker()
    body = alice.get(f"/api/documents/{document}/").json()
    assert (body["status"], body["error"]["code"]) == ("failed", "empty_document")
    assert body["error"]["detail"]


def test_a_document_is_processed_again_on_request(alice: Client, corpus: Corpus, worker: Callable[[], int]) -> None:
    document = send(alice, corpus).json()["id"]
    worker()
    answer = alice.post(f"/api/documents/{document}/reprocess/")
    assert (answer.status_code, answer.json()["status"]) == (202, "pending")
    assert alice.get(f"/api/documents/{document}/chunks/").json()["results"], "readers keep the old version"
    assert worker() == 1
    assert alice.get(f"/api/documents/{document}/").json()["status"] == "indexed"
