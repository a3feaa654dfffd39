"""Originals and what happens at once: files that go with their documents, quotas that are exact."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.files.storage import FileSystemStorage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection

from accounts.limits.declared import MEGABYTE
from accounts.models import Membership
from accounts.problems import NotFound, QuotaExceeded
from corpora import removal
from corpora.models import Corpus, Document
from corpora.tests.sending import TEXT, kept_files
from corpora.uploads import facts, intake, originals
from tests.factories import CorpusFactory, MembershipFactory
from tests.limits import limit
from tests.people import with_key

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice() -> Membership:
    return MembershipFactory()


@pytest.fixture
def corpus(alice: Membership) -> Corpus:
    return CorpusFactory(personal_of=alice)


def file(content: bytes = TEXT, name: str = "water.txt") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def at_once(works: list[Callable[[], Any]], threads: int = 8) -> list[Any]:
    """What each returned or raised, begun together."""
    gate = threading.Barrier(min(threads, len(works)))
    passed = threading.local()

    def run(work: Callable[[], Any]) -> Any:
        if not getattr(passed, "gate", False):
            passed.gate = True
            gate.wait(20)
        try:
            return work()
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(run, works))


def test_of_two_replacements_at_once_one_file_is_left(
    corpus: Corpus, alice: Membership, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have kept their file before either has written its row."""
    document = intake.accept_upload(corpus, file(), alice)
    both_kept, keep = threading.Barrier(2), originals.keep_original

    def keep_and_wait(*given: Any) -> None:
        keep(*given)
        both_kept.wait(20)

    monkeypatch.setattr(originals, "keep_original", keep_and_wait)
    texts = [b"Ice melts at 0 degrees.", b"Steam is lighter than air."]
    done = at_once(
        [lambda text=text: intake.replace(Document.objects.get(), file(text), alice) for text in texts], threads=2
    )
    assert done == [None, None]
    (left,) = kept_files(settings)
    document.refresh_from_db()
    assert document.file.name.endswith(left.name)
    with document.file.open("rb") as original:
        assert original.read() in texts


def test_a_replacement_of_what_is_deleted_meanwhile_leaves_no_file(
    corpus: Corpus, alice: Membership, settings: Any
) -> None:
    document = intake.accept_upload(corpus, file(), alice)
    removal.remove_document(Document.objects.get(), alice, at_once=True)
    with pytest.raises(NotFound):
        intake.replace(document, file(b"Ice."), alice)
    assert [path.read_bytes() for path in kept_files(settings)] == [TEXT]


def test_a_store_that_keeps_the_old_file_spoils_no_replacement(
    corpus: Corpus, alice: Membership, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_anything: Any) -> None:
        raise OSError("s3://secret/address")

    document = intake.accept_upload(corpus, file(), alice)
    monkeypatch.setattr(FileSystemStorage, "delete", refuse)
    intake.replace(document, file(b"Ice."), alice)
    assert Document.objects.get().size == 4
    assert "still in the store" in caplog.text
    assert "secret" not in caplog.text


def test_every_original_that_a_document_ever_had_goes_with_it(
    corpus: Corpus, alice: Membership, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = intake.accept_upload(corpus, file(), alice)
    other = intake.accept_upload(corpus, file(b"Other."), alice)
    with monkeypatch.context() as patched:
        patched.setattr(originals, "discard_original", lambda name: None)
        intake.replace(document, file(b"Ice."), alice)
    assert len(kept_files(settings)) == 3
    assert originals.delete_originals(document) == 2
    assert originals.delete_originals(document) == 0
    assert [path.read_bytes() for path in kept_files(settings)] == [b"Other."]
    assert other.file.storage.exists(other.file.name)


def test_originals_that_stay_after_their_deletion_are_an_error(
    corpus: Corpus, alice: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = intake.accept_upload(corpus, file(), alice)
    monkeypatch.setattr(FileSystemStorage, "delete", lambda *_anything: None)
    with pytest.raises(RuntimeError, match="survived"):
        originals.delete_originals(document)


def test_of_64_uploads_at_once_exactly_as_many_as_the_quota_are_kept(
    corpus: Corpus, alice: Membership, settings: Any
) -> None:
    limit(settings, documents=5)
    works = [lambda n=n: intake.accept_upload(corpus, file(b"Note %d." % n, f"{n}.txt"), alice) for n in range(64)]
    done = at_once(works, threads=16)
    assert sum(isinstance(one, Document) for one in done) == 5
    assert sum(isinstance(one, QuotaExceeded) for one in done) == 59
    assert Document.objects.count() == len(kept_files(settings)) == 5


def test_bytes_are_counted_exactly_too(corpus: Corpus, alice: Membership, settings: Any) -> None:
    limit(settings, megabytes=3 * 10 / MEGABYTE)
    works = [lambda n=n: intake.accept_upload(corpus, file(b"ten bytes.", f"{n}.txt"), alice) for n in range(12)]
    done = at_once(works, threads=12)
    assert sum(isinstance(one, Document) for one in done) == 3


def test_a_fact_is_kept_while_no_lock_is_held(
    corpus: Corpus, alice: Membership, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow store must not hold the database's locks: on SQLite nobody could write."""
    seen = []
    keep = originals.keep_original
    monkeypatch.setattr(
        originals, "keep_original", lambda *given: (seen.append(connection.in_atomic_block), keep(*given))
    )
    facts.upsert_fact(corpus, alice, "Water boils at 100 degrees.", key="boiling")
    facts.upsert_fact(corpus, alice, "Water boils at 99 degrees.", key="boiling")
    assert seen == [False, False]


def test_an_upload_is_hashed_once(corpus: Corpus, alice: Membership, monkeypatch: pytest.MonkeyPatch) -> None:
    hashed = []
    content_hash = intake.content_hash
    monkeypatch.setattr(intake, "content_hash", lambda upload: hashed.append(1) or content_hash(upload))
    answer = with_key(alice).post(f"/api/corpora/{corpus.pk}/documents/", {"file": file()})
    assert (answer.status_code, len(hashed)) == (202, 1)
