"""Idempotency-Key on uploads: a repeated request is one document and one answer (API.md)."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client

from accounts import keys
from corpora.models import Document
from corpora.uploads import intake
from tests.factories import CorpusFactory, MembershipFactory
from tests.people import People, with_key, with_secret

pytestmark = pytest.mark.django_db


def upload(client: Client, corpus: Any, text: bytes = b"Water boils.", **fields: str) -> Any:
    file = SimpleUploadedFile("water.txt", text)
    return client.post(
        f"/api/corpora/{corpus.pk}/documents/", {"file": file, **fields}, headers={"Idempotency-Key": "one"}
    )


def test_an_upload_repeated_with_its_key_is_one_document_and_one_answer(people: People) -> None:
    client, corpus = with_key(people.alice), CorpusFactory(personal_of=people.alice)
    first, second = upload(client, corpus), upload(client, corpus)
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json() == second.json()
    assert Document.objects.count() == 1


@pytest.mark.parametrize("change", [{"text": b"Water freezes."}, {"title": "Water"}])
def test_another_file_or_title_under_an_uploads_key_is_422(change: dict[str, Any], people: People) -> None:
    client, corpus = with_key(people.alice), CorpusFactory(personal_of=people.alice)
    upload(client, corpus)
    answer = upload(client, corpus, **change)
    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")


def test_another_corpus_under_an_uploads_key_is_422(people: People) -> None:
    client = with_key(people.alice)
    upload(client, CorpusFactory(personal_of=people.alice))
    assert upload(client, CorpusFactory(personal_of=people.alice)).status_code == 422


def test_a_replay_asks_for_permission_again(people: People) -> None:
    client, corpus = with_key(people.alice), CorpusFactory(personal_of=people.alice)
    upload(client, corpus)
    corpus.owner = people.bob.user
    corpus.save()
    assert upload(client, corpus).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_of_two_requests_at_once_one_acts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second arrives while the first is at work: it is told to wait, and later gets the first answer."""
    member = MembershipFactory()
    corpus, (_key, secret) = CorpusFactory(personal_of=member), keys.issue_key(member)
    at_work, go_on = threading.Event(), threading.Event()
    accept = intake.accept_upload

    def slow(*args: Any, **kwargs: Any) -> Document:
        at_work.set()
        assert go_on.wait(20)
        return accept(*args, **kwargs)

    monkeypatch.setattr(intake, "accept_upload", slow)

    def first_request() -> Any:
        try:
            return upload(with_secret(secret), corpus)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(first_request)
        assert at_work.wait(20)
        second = upload(with_secret(secret), corpus)
        go_on.set()
        answered = first.result(20)
    assert (second.status_code, second.json()["code"]) == (409, "request_in_progress")
    assert answered.status_code == 202
    assert upload(with_secret(secret), corpus).json() == answered.json()
