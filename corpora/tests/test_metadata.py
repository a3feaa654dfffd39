"""What is said of a document: set at upload, changed later without reading it again, over the API and in the reader."""

from datetime import date
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts.models import AuditEvent
from corpora.descriptions import describe
from corpora.models import Corpus, Document
from tests.factories import CorpusFactory, DocumentFactory
from tests.people import People, signed_in

pytestmark = pytest.mark.django_db
Hints = list[str]
TEXT = b"A loan lasts twenty-one days and may be renewed twice."


@pytest.fixture
def corpus(people: People) -> Corpus:
    made: Corpus = CorpusFactory(personal_of=people.alice)
    return made


@pytest.fixture
def document(corpus: Corpus) -> Document:
    made: Document = DocumentFactory(corpus=corpus, title="Loans")
    return made


def patch(member: Any, document: Document, **said: Any) -> Any:
    return signed_in(member).patch(f"/api/documents/{document.pk}/", said, content_type="application/json")


EVERYTHING: dict[str, Any] = {
    "title": "Préstamos", "summary": "How long.", "content_type": "teoria", "unit": "3", "topic": "Loans",
    "difficulty": "basico", "language": "es", "course": "BIB1", "tags": ["a", "b"],
    "meta": {"author": "Ana", "edition": 3, "weight": 2.5, "reviewed": True}, "source_date": "2026-03-31",
    "source": "https://library.example.org/rules",
}  # fmt: skip


def test_everything_that_is_said_of_a_document_can_be_changed(people: People, document: Document) -> None:
    answer = patch(people.alice, document, **EVERYTHING)
    assert answer.status_code == 200
    assert {name: answer.json()[name] for name in EVERYTHING} == EVERYTHING
    document.refresh_from_db()
    assert (document.source_date, document.source_reference) == (date(2026, 3, 31), EVERYTHING["source"])


def test_an_empty_value_takes_back_what_was_said(people: People, document: Document) -> None:
    patch(people.alice, document, **EVERYTHING)
    nothing = dict.fromkeys(EVERYTHING, "") | {"tags": [], "meta": {}, "source_date": None}
    assert {name: patch(people.alice, document, **nothing).json()[name] for name in nothing} == nothing


INVALID: list[tuple[str, Any]] = [
    ("content_type", "law"),
    ("difficulty", "easy"),
    ("language", "Spanish"),
    ("topic", "x" * 101),
    ("tags", "x" * 51),
    ("tags", [str(n) for n in range(21)]),
    ("source_date", "yesterday"),
    ("title", "x" * 256),
    ("summary", "x" * 4001),
]


@pytest.mark.parametrize(("field", "value"), INVALID)
def test_invalid_values_are_refused_and_change_nothing(
    people: People, document: Document, field: str, value: Any
) -> None:
    answer = patch(people.alice, document, unit="7", **{field: value})
    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == [field]
    document.refresh_from_db()
    assert document.unit == ""


@pytest.mark.parametrize(
    "field", ["status", "version", "chunk_count", "fact_key", "corpus", "error_code", "deleted_at"]
)
def test_nothing_else_can_be_changed(people: People, document: Document, field: str) -> None:
    before = Document.objects.filter(pk=document.pk).values().get()
    assert patch(people.alice, document, **{field: "3"}).status_code == 200
    assert Document.objects.filter(pk=document.pk).values().get() == before


def test_a_change_is_audited_by_its_fields_and_the_workers_are_told_of_metadata_only(
    people: People, document: Document, hints: Hints, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        assert describe(document, people.alice, summary="Secret summary")
    assert hints == []
    with django_capture_on_commit_callbacks(execute=True):
        assert describe(document, people.alice, title="Secret title", unit="3")
    assert hints == ["short"]
    changes = list(AuditEvent.objects.order_by("created_at").values_list("changes", flat=True))
    assert changes == [{"fields": ["summary"]}, {"fields": ["title", "unit"]}]


def test_what_is_said_again_changes_nothing(people: People, document: Document, hints: Hints) -> None:
    assert not describe(document, people.alice, title="Loans", unit="")
    assert not AuditEvent.objects.exists()


def test_an_upload_takes_all_of_it_and_empty_form_fields(people: People, corpus: Corpus) -> None:
    client = signed_in(people.alice)
    said = {name: value for name, value in EVERYTHING.items() if name not in ("summary", "source", "tags", "meta")}
    path = f"/api/corpora/{corpus.pk}/documents/"
    sent = {"file": SimpleUploadedFile("a.txt", TEXT), "tags": "a, b", **said}
    answer = client.post(path, sent)
    assert answer.status_code == 202
    assert {name: answer.json()[name] for name in said} == said
    assert answer.json()["tags"] == ["a", "b"]
    empty = dict.fromkeys(said, "") | {"tags": "", "file": SimpleUploadedFile("b.txt", TEXT)}
    answer = client.post(path, empty)
    assert answer.status_code == 202
    assert answer.json()["source_date"] is None


def test_the_upload_form_offers_the_details(people: People, corpus: Corpus) -> None:
    page = signed_in(people.alice).get(reverse("corpus", args=[corpus.pk])).content.decode()
    for name in ("content_type", "unit", "topic", "difficulty", "language", "course", "tags", "source_date"):
        assert f'name="{name}" ' in page
        assert f'id="upload_{name}"' in page


def test_the_reader_shows_what_is_said_and_its_owner_changes_it(people: People, document: Document) -> None:
    document.source_reference = "https://library.example.org/rules"
    document.unit = "Unit three"
    document.save()
    client, page = signed_in(people.alice), reverse("document", args=[document.pk])
    shown = client.get(page).content.decode()
    assert 'href="https://library.example.org/rules" rel="nofollow"' in shown
    assert "<dd>Unit three</dd>" in shown
    sent = {"title": "Renamed", "tags": "a, b", "unit": "4", "source_date": "2026-03-31", "source_reference": ""}
    answer = client.post(reverse("document-describe", args=[document.pk]), sent)
    assert (answer.status_code, answer["Location"]) == (302, page)
    document.refresh_from_db()
    assert (document.title, document.tags, document.unit) == ("Renamed", ["a", "b"], "4")
    assert (document.source_date, document.source_reference) == (date(2026, 3, 31), "")


def test_an_error_in_the_reader_s_form_opens_it_again_and_changes_nothing(people: People, document: Document) -> None:
    answer = signed_in(people.alice).post(
        reverse("document-describe", args=[document.pk]),
        {"title": "Renamed", "language": "Spanish"},
        headers={"Accept-Language": "en"},
    )
    page = answer.content.decode()
    assert answer.status_code == 200
    assert 'id="details" open' in page
    assert "<h1>Loans</h1>" in page
    document.refresh_from_db()
    assert document.title == "Loans"


def test_who_may_only_read_sees_no_form(people: People) -> None:
    document = DocumentFactory(corpus=CorpusFactory(shared_in=people.bob.organization), unit="Unit three")
    page = signed_in(people.bob).get(reverse("document", args=[document.pk])).content.decode()
    assert "<dd>Unit three</dd>" in page
    assert "/describe/" not in page
