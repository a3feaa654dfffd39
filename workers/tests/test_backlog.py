"""While one organization has 300 documents waiting, nobody else waits for it (issue "Nobody waits for a stranger")."""

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.utils import timezone

from accounts.models import Membership
from corpora import removal
from corpora.descriptions import describe
from corpora.models import Corpus, Document, ErasureReceipt
from tests import factories
from tests.library import upload
from tests.live import eventually, patience
from workers.embedded import EmbeddedWorkers
from workers.ingestion import pipeline
from workers.queue import hints as real_hints
from workers.queue import lanes
from workers.upkeep import space_filling

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not settings.WORKERS_EMBEDDED, reason="a broker is set; tests/services has its workers"),
]
REAL_HINT = real_hints.hint
LARGE = "# Parte\n\n" + "El faro alumbra la costa. " * 1500


@pytest.fixture
def busy(hints: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Corpus]:
    """A corpus with 300 documents that wait, each half a second of work, and workers that have begun with them."""
    monkeypatch.setattr(real_hints, "hint", REAL_HINT)
    read = pipeline.read_in_sandbox

    def slowly(*asked: Any) -> Any:
        time.sleep(0.5)
        return read(*asked)

    monkeypatch.setattr(pipeline, "read_in_sandbox", slowly)
    many = factories.MembershipFactory()
    corpus = factories.CorpusFactory(personal_of=many)
    first = upload(corpus, many, "0.md", LARGE)
    Document.objects.bulk_create(
        Document(
            corpus=corpus, uploaded_by=many.user, filename=f"{n}.md", file=first.file.name, sha256=uuid4().hex,
            size=first.size if n % 2 else 200, media_type=first.media_type,
        )
        for n in range(1, 300)
    )  # fmt: skip
    workers = EmbeddedWorkers()
    workers.start()
    eventually(lambda: Document.objects.filter(status="processing").count() == settings.WORKER_THREADS + 1)
    yield corpus
    workers.stop()
    lanes.stopping.clear()
    space_filling.stopping.clear()


@pytest.fixture
def few() -> Membership:
    return factories.MembershipFactory()


def until(done: Any, seconds: float) -> float:
    started = time.monotonic()
    eventually(done, patience(seconds))
    return time.monotonic() - started


def is_indexed(document: Document) -> bool:
    return Document.objects.filter(pk=document.pk, status="indexed").exists()


def test_anothers_note_is_indexed_within_three_seconds(busy: Corpus, few: Membership) -> None:
    note = upload(factories.CorpusFactory(personal_of=few), few, "nota.md", "# Nota\n\nUna nota corta.\n")
    assert until(lambda: is_indexed(note), 3) < patience(3)
    assert Document.objects.filter(corpus=busy, status="pending").count() > 200


def test_anothers_long_document_has_its_turn_too(busy: Corpus, few: Membership) -> None:
    long = upload(factories.CorpusFactory(personal_of=few), few, "largo.md", LARGE)
    assert until(lambda: is_indexed(long), 5) < patience(5)
    assert Document.objects.filter(corpus=busy, status="pending").count() > 200


def test_an_erasure_takes_ten_seconds_at_most(busy: Corpus, few: Membership) -> None:
    document = factories.DocumentFactory(corpus__personal_of=few)
    removal.remove_document(document, few, at_once=True)
    assert until(lambda: ErasureReceipt.objects.filter(subject_id=document.pk).exists(), 10) < patience(10)
    assert Document.objects.filter(corpus=busy, status="pending").count() > 200


def test_an_edit_reaches_the_index_meanwhile(busy: Corpus, few: Membership) -> None:
    document = factories.DocumentFactory(corpus__personal_of=few)
    describe(document, few, unit="3")
    assert until(lambda: not Document.objects.exclude(metadata_changed_at=None).exists(), 10) < patience(10)


def test_a_killed_workers_document_is_taken_up_when_its_lease_ends(busy: Corpus, few: Membership) -> None:
    ends = timezone.now() + timedelta(seconds=1)
    killed = factories.DocumentFactory(
        corpus=busy, uploaded_by=busy.owner, status="processing", attempts=1, size=200_000,
        lease_holder=uuid4(), lease_expires_at=ends, not_before=timezone.now() - timedelta(minutes=1),
    )  # fmt: skip
    assert until(lambda: is_indexed(killed), 6) < patience(6)
    assert Document.objects.filter(corpus=busy, status="pending").count() > 200


def test_periodic_work_goes_on(busy: Corpus, few: Membership) -> None:
    silent = factories.DocumentFactory(
        corpus__personal_of=few, status="processing", attempts=3, lease_holder=uuid4(),
        lease_expires_at=timezone.now() - timedelta(seconds=1),
    )  # fmt: skip
    found = Document.objects.filter(pk=silent.pk, error_code="too_many_attempts")
    assert until(found.exists, 12) < patience(12)
