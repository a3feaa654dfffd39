"""Uploads at their limits: duplicates, quotas, stores and databases that fail (RELIABILITY R21, faults)."""

import errno
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import FileSystemStorage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, OperationalError
from django.test import Client

from accounts.limits.declared import MEGABYTE
from accounts.limits.rows import LimitUse
from corpora import removal
from corpora.models import Corpus, Document
from corpora.tests.sending import TEXT, kept_files, problem, send
from corpora.uploads import intake
from tests.factories import CorpusFactory
from tests.limits import limit, stop_the_clock, used
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


def test_a_store_that_fills_up_keeps_nothing_of_what_it_began(
    alice: Client, corpus: Corpus, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fills_up(store: FileSystemStorage, name: str, content: Any) -> str:
        begun = Path(store.path(name))
        begun.parent.mkdir(parents=True)
        begun.write_bytes(b"a beg")
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(FileSystemStorage, "_save", fills_up)
    assert problem(send(alice, corpus)) == (507, "storage_full")
    assert kept_files(settings) == []


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


# A refused upload is not counted


@pytest.mark.parametrize("per", ["user", "organization"])
def test_what_is_refused_is_not_counted_as_a_write(
    alice: Client, corpus: Corpus, people: People, settings: Any, monkeypatch: pytest.MonkeyPatch, per: str
) -> None:
    stop_the_clock(monkeypatch)
    of_all = {"writes": 3, "documents": 1}
    limit(settings, **of_all if per == "user" else {}, organization=of_all if per == "organization" else {})
    subject = people.alice.user_id if per == "user" else people.alice.organization_id
    assert send(alice, corpus).status_code == 202
    refused = (
        (send(alice, corpus), "duplicate_document"),
        (send(alice, corpus, name="b.txt"), "quota_exceeded"),
        (send(alice, corpus, b"MZ", name="a.exe"), "unsupported_type"),
        (send(alice, corpus, b"", name="empty.txt"), "empty_file"),
        (alice.post(f"/api/corpora/{corpus.pk}/facts/", {"text": "Ice melts."}), "quota_exceeded"),
    )
    for answer, code in refused:
        assert problem(answer)[1] == code
        assert answer.json().get("limit", "documents") == "documents"
    assert used("writes", subject) == 1
    fact = Document.objects.get()
    assert [alice.post(f"/api/documents/{fact.pk}/reprocess/").status_code for _ in range(3)] == [202, 202, 429]


def test_a_refusal_gives_back_to_the_minute_that_it_was_taken_from(
    corpus: Corpus, people: People, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(settings, writes=3, documents=1)
    now = [6000.0]
    monkeypatch.setattr("accounts.limits.windows.time.time", lambda: now[0])
    monkeypatch.setattr(intake, "checked_media_type", lambda _upload: now.__setitem__(0, 6060.0) or "text/plain")
    intake.accept_upload(corpus, SimpleUploadedFile("a.txt", TEXT), people.alice)
    now[0] = 6030.0
    with pytest.raises(intake.DuplicateDocument):
        intake.accept_upload(corpus, SimpleUploadedFile("a.txt", TEXT), people.alice)
    kept = dict(LimitUse.objects.filter(subject=people.alice.user_id).values_list("starts", "used"))
    assert kept == {6000: 1}


def test_nothing_is_given_back_where_nothing_is_counted(corpus: Corpus, people: People, settings: Any) -> None:
    limit(settings, writes=3)
    intake.accept_upload(corpus, SimpleUploadedFile("a.txt", TEXT), people.alice)
    settings.QUOTAS = False
    with pytest.raises(intake.DuplicateDocument):
        intake.accept_upload(corpus, SimpleUploadedFile("a.txt", TEXT), people.alice)
    assert used("writes", people.alice.user_id) == 1
