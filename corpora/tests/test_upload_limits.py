"""Uploads at their limits: duplicates, quotas, stores and databases that fail (RELIABILITY R21, faults)."""

import errno
from typing import Any

import pytest
from django.core.files.storage import FileSystemStorage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, OperationalError
from django.test import Client

from accounts.limits.declared import MEGABYTE
from corpora import removal
from corpora.models import Corpus, Document
from corpora.tests.sending import TEXT, kept_files, problem, send
from corpora.uploads import intake
from tests.factories import CorpusFactory
from tests.limits import limit
from tests.people import People, with_key

pytestmark = pytest.mark.django_db


@pytest.fixture
def corpus(people: People) -> Corpus:
    return CorpusFactory(personal_of=people.alice)


@pytest.fixture
def alice(people: People) -> Client:
    return with_key(people.alice)


# Duplicates


def test_the_same_file_under_the_same_name_is_409_with_its_id(alice: Client, corpus: Corpus, settings: Any) -> None:
    first = send(alice, corpus).json()["id"]
    answer = send(alice, corpus)
    assert problem(answer) == (409, "duplicate_document")
    assert answer.json()["document"] == first
    assert len(kept_files(settings)) == 1


def test_another_name_another_content_and_another_corpus_are_no_duplicates(
    alice: Client, corpus: Corpus, people: People
) -> None:
    other = CorpusFactory(personal_of=people.alice)
    answers = [send(alice, corpus), send(alice, corpus, name="b.txt"), send(alice, corpus, TEXT + b"!")]
    assert [answer.status_code for answer in (*answers, send(alice, other))] == [202] * 4


def test_a_deleted_document_may_come_back(alice: Client, corpus: Corpus) -> None:
    first = send(alice, corpus).json()["id"]
    assert alice.delete(f"/api/documents/{first}/?erase=now").status_code == 204
    assert send(alice, corpus).status_code == 202


def test_the_second_of_two_uploads_at_once_is_a_duplicate_and_leaves_no_file(
    corpus: Corpus, people: People, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have passed the first look; the table's constraint decides."""
    intake.accept_upload(corpus, SimpleUploadedFile("water.txt", TEXT), people.alice)
    looks: list[Document] = []
    refuse = intake.refuse_duplicate

    def blind_at_first(document: Document) -> None:
        looks.append(document)
        if len(looks) > 1:
            refuse(document)

    monkeypatch.setattr(intake, "refuse_duplicate", blind_at_first)
    with pytest.raises(intake.DuplicateDocument):
        intake.accept_upload(corpus, SimpleUploadedFile("water.txt", TEXT), people.alice)
    assert len(kept_files(settings)) == 1


# Quotas


def test_a_document_over_the_limit_is_429_and_says_what_to_do(alice: Client, corpus: Corpus, settings: Any) -> None:
    limit(settings, documents=1)
    first = send(alice, corpus).json()["id"]
    answer = send(alice, corpus, name="b.txt")
    assert problem(answer) == (429, "quota_exceeded")
    assert "Retry-After" not in answer.headers, "no time heals it"
    assert "vacía la papelera" in answer.json()["detail"]
    alice.delete(f"/api/documents/{first}/")
    assert problem(send(alice, corpus, name="b.txt")) == (429, "quota_exceeded"), "what is in the trash takes up room"
    alice.delete(f"/api/trash/{first}/")
    assert send(alice, corpus, name="b.txt").status_code == 202


def test_bytes_over_the_quota_are_429(alice: Client, corpus: Corpus, settings: Any) -> None:
    limit(settings, megabytes=2 * len(TEXT) / MEGABYTE)
    assert [send(alice, corpus, name=f"{n}.txt").status_code for n in range(3)] == [202, 202, 429]


def test_every_user_has_a_quota_of_their_own_in_every_organization(people: People, settings: Any) -> None:
    limit(settings, documents=1)
    for member in (people.alice, people.bob, people.alice_elsewhere):
        assert send(with_key(member), CorpusFactory(personal_of=member)).status_code == 202


# When something fails


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (OSError(errno.ENOSPC, "no space"), 507, "storage_full"),
        (OSError(errno.EDQUOT, "quota"), 507, "storage_full"),
        (OSError(errno.EIO, "input/output"), 503, "storage_unavailable"),
        (RuntimeError("what boto may raise"), 503, "storage_unavailable"),
    ],
)
def test_a_store_that_refuses_leaves_no_row(
    error: Exception, status: int, code: str, alice: Client, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any, **kwargs: Any) -> str:
        raise error

    monkeypatch.setattr(FileSystemStorage, "_save", refuse)
    answer = send(alice, corpus)
    assert problem(answer) == (status, code)
    assert str(error) not in answer.json()["detail"]
    assert not Document.objects.exists()


def test_a_database_that_refuses_leaves_no_file(
    corpus: Corpus, people: People, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: Any, **kwargs: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(Document, "save", refuse)
    with pytest.raises(OperationalError):
        intake.accept_upload(corpus, SimpleUploadedFile("water.txt", TEXT), people.alice)
    assert kept_files(settings) == []


def test_nothing_is_added_to_a_corpus_that_is_deleted_at_this_moment(
    corpus: Corpus, people: People, settings: Any
) -> None:
    removal.remove_corpus(Corpus.objects.get(pk=corpus.pk), people.alice)
    with pytest.raises(intake.NotFound):
        intake.accept_upload(corpus, SimpleUploadedFile("water.txt", TEXT), people.alice)
    assert not Document.objects.exists()
    assert kept_files(settings) == []


def content_of(document: Document) -> bytes:
    with document.file.open("rb") as original:
        return original.read()


def replaced(corpus: Corpus, people: People) -> Document:
    return intake.accept_upload(corpus, SimpleUploadedFile("water.txt", TEXT), people.alice)


def test_a_replaced_file_goes_when_the_new_one_is_there(corpus: Corpus, people: People, settings: Any) -> None:
    document = replaced(corpus, people)
    intake.replace(document, SimpleUploadedFile("water.txt", b"Ice."), people.alice)
    document.refresh_from_db()
    assert [path.read_bytes() for path in kept_files(settings)] == [b"Ice."]
    assert content_of(document) == b"Ice."
    assert (document.status, document.size) == ("pending", 4)


def test_a_replacement_that_fails_loses_nothing(
    corpus: Corpus, people: People, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = replaced(corpus, people)

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise IntegrityError

    monkeypatch.setattr(Document, "save", refuse)
    with pytest.raises(intake.DuplicateDocument):
        intake.replace(document, SimpleUploadedFile("water.txt", b"Ice."), people.alice)
    assert content_of(Document.objects.get()) == TEXT
    assert [path.read_bytes() for path in kept_files(settings)] == [TEXT]
