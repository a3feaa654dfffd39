"""Workers in the web process, on the in-memory broker; and what must not be combined with them (SPEC §6)."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.core.checks import run_checks
from django.utils import timezone

from corpora import removal
from corpora.models import Document, ErasureReceipt
from tests import factories
from tests.library import upload
from tests.live import eventually, patience
from workers import checks, embedded
from workers.embedded import EmbeddedWorkers
from workers.ingestion import pipeline
from workers.queue import claims, lanes
from workers.queue import hints as real_hints
from workers.upkeep import space_filling

pytestmark = pytest.mark.django_db(transaction=True)
in_memory = pytest.mark.skipif(
    not settings.WORKERS_EMBEDDED, reason="a broker is set; the workers in the web process are those without one"
)
REAL_HINT = real_hints.hint


@pytest.fixture(autouse=True)
def lives_on() -> Iterator[None]:
    """Workers stop when their process ends; this one goes on with other tests."""
    yield
    space_filling.stopping.clear()
    lanes.stopping.clear()


@pytest.fixture
def working(transactional_db: None, hints: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddedWorkers]:
    """Workers that run, and hints that reach them."""
    monkeypatch.setattr(real_hints, "hint", REAL_HINT)
    workers = EmbeddedWorkers()
    workers.start()
    yield workers
    workers.stop()


def status(document: Document) -> str:
    return str(Document.objects.values_list("status", flat=True).get(pk=document.pk))


@in_memory
def test_an_upload_is_indexed_and_a_deletion_erased_by_themselves(working: EmbeddedWorkers) -> None:
    owner = factories.MembershipFactory()
    corpus = factories.CorpusFactory(personal_of=owner)
    document = upload(corpus, owner, "a.md", "# A\n\nUn texto corto.\n")
    eventually(lambda: status(document) == "indexed")
    removal.remove_document(document, owner, at_once=True)
    eventually(lambda: ErasureReceipt.objects.filter(subject_id=document.pk).exists())


@in_memory
def test_many_uploads_at_once_are_each_indexed_once(working: EmbeddedWorkers, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = factories.MembershipFactory()
    corpus = factories.CorpusFactory(personal_of=owner)
    made = [upload(corpus, owner, f"{n}.md", f"# Nota {n}\n\nTexto número {n}.\n") for n in range(30)]
    eventually(lambda: not Document.objects.exclude(status="indexed").exists(), 20.0)
    assert {one.version for one in Document.objects.all()} == {1}
    assert len(made) == Document.objects.count()


@in_memory
def test_what_a_killed_process_left_is_taken_up_at_the_start(hints: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = factories.MembershipFactory()
    document = upload(factories.CorpusFactory(personal_of=owner), owner, "a.md", "# A\n\nUn texto.\n")
    assert claims.claim_ingestion(document.pk) is not None, "by a worker that is no more"
    Document.objects.update(not_before=timezone.now() - timezone.timedelta(minutes=1))
    monkeypatch.setattr(real_hints, "hint", REAL_HINT)
    workers = EmbeddedWorkers()
    workers.start()
    try:
        eventually(lambda: status(document) == "indexed")
    finally:
        workers.stop()


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], threading.Event]:
    """Makes extraction take that many seconds; the event is set when one has begun."""

    def slowed(seconds: float) -> threading.Event:
        begun, extract = threading.Event(), pipeline.read_in_sandbox

        def slowly(*args: Any) -> Any:
            begun.set()
            time.sleep(seconds)
            return extract(*args)

        monkeypatch.setattr(pipeline, "read_in_sandbox", slowly)
        return begun

    return slowed


@in_memory
def test_stopping_waits_for_what_is_in_work(working: EmbeddedWorkers, slow: Callable[[float], threading.Event]) -> None:
    begun = slow(0.5)
    owner = factories.MembershipFactory()
    document = upload(factories.CorpusFactory(personal_of=owner), owner, "a.md", "# A\n\nUn texto.\n")
    assert begun.wait(patience(5))
    working.stop()
    assert status(document) == "indexed"


@in_memory
def test_what_does_not_end_in_time_is_given_back_and_costs_no_attempt(
    working: EmbeddedWorkers, slow: Callable[[float], threading.Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Exited(Exception):
        pass

    def exited(code: int) -> None:
        raise Exited(code)

    begun = slow(2.0)
    monkeypatch.setattr(embedded, "DRAIN_SECONDS", 0.2)
    monkeypatch.setattr(embedded.os, "_exit", exited)
    owner = factories.MembershipFactory()
    document = upload(factories.CorpusFactory(personal_of=owner), owner, "a.md", "# A\n\nUn texto.\n")
    assert begun.wait(patience(5))
    with pytest.raises(Exited):
        working.stop()
    given_back = Document.objects.get(pk=document.pk)
    assert (given_back.status, given_back.attempts, given_back.lease_holder) == ("pending", 0, None)
    monkeypatch.setattr(embedded, "DRAIN_SECONDS", 15.0)


# System checks


def ids() -> set[str | None]:
    return {message.id for message in run_checks()}


def test_several_processes_on_the_embedded_index_are_an_error(settings: Any) -> None:
    settings.EMBEDDED, settings.CELERY_BROKER_URL = True, "memory://"
    assert "acervo.E001" not in ids()
    settings.CELERY_BROKER_URL = "redis://localhost/0"
    assert "acervo.E001" in ids()
    settings.EMBEDDED = False
    assert "acervo.E001" not in ids()


def test_several_processes_without_a_secret_key_are_warned(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SECRET_KEY", raising=False)
    settings.EMBEDDED = False
    assert [message.id for message in checks.production_needs_its_own_secret(None)] == ["acervo.W001"]
    monkeypatch.setenv("SECRET_KEY", "x" * 50)
    assert checks.production_needs_its_own_secret(None) == []
    settings.EMBEDDED = True
    monkeypatch.delenv("SECRET_KEY")
    assert checks.production_needs_its_own_secret(None) == []
