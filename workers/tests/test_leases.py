"""Who works on a document: one winner, a lease that lives while its holder does, three attempts (SPEC §3)."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import InterfaceError, OperationalError, connection, connections, transaction
from django.utils import timezone

from corpora.models import Document
from tests import factories
from tests.fakes.fixtures import ModelServer
from tests.library import upload
from tests.live import eventually, patience
from workers.ingestion import pipeline
from workers.queue import claims
from workers.queue.claims import Lease, LeaseLost
from workers.queue.turns import Kind

pytestmark = pytest.mark.django_db(transaction=True)
NOW = timedelta()


@pytest.fixture
def waiting() -> Document:
    return factories.DocumentFactory(status="pending")


def claimed(document: Document) -> Lease:
    lease = claims.claim_ingestion(document.pk)
    assert lease is not None
    return lease


def expire(document: Document) -> None:
    Document.objects.filter(pk=document.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))


def heartbeats() -> int:
    return sum(thread.name == "lease" for thread in threading.enumerate())


def state(document: Document) -> Document:
    return Document.objects.get(pk=document.pk)


def in_threads(count: int, work: object, *args: object) -> list[object]:
    """The results of the same call from that many threads at once, each with a connection of its own."""
    together = threading.Barrier(count)

    def one(_: int) -> object:
        together.wait(10)
        try:
            return work(*args)  # type: ignore[operator]
        finally:
            connections.close_all()

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(one, range(count)))


def test_of_ten_claims_at_once_one_wins(waiting: Document) -> None:
    won = [lease for lease in in_threads(10, claims.claim_ingestion, waiting.pk) if lease]
    assert len(won) == 1
    assert (state(waiting).status, state(waiting).attempts) == ("processing", 1)


def test_ten_deliveries_at_once_cost_one_embedding_bill(all_models: ModelServer) -> None:
    owner = factories.MembershipFactory()
    corpus = factories.CorpusFactory(personal_of=owner)
    text = "\n\n".join(f"# Parte {n}\n\n{'El faro alumbra la costa. ' * 60}" for n in range(12))
    document = upload(corpus, owner, "faro.md", text)
    worked = in_threads(10, pipeline.ingest_if_due, document.pk)
    assert worked.count(True) == 1
    done = state(document)
    assert (done.status, done.attempts) == ("indexed", 0)
    hashes = set(done.chunks.values_list("text_hash", flat=True))
    assert done.chunks.count() == done.chunk_count > 5
    assert all_models.stats()["embed_items"] == len(hashes)


def test_a_document_in_work_deleted_or_not_yet_due_is_not_claimed(waiting: Document) -> None:
    claimed(waiting)
    assert claims.claim_ingestion(waiting.pk) is None
    assert claims.claim_ingestion(uuid4()) is None
    for change in ({"deleted_at": timezone.now()}, {"not_before": timezone.now() + timedelta(seconds=60)}):
        other = factories.DocumentFactory(status="pending", **change)
        assert claims.claim_ingestion(other.pk) is None
    for status in ("indexed", "failed"):
        assert claims.claim_ingestion(factories.DocumentFactory(status=status).pk) is None


def test_an_expired_lease_passes_to_the_next_who_asks(waiting: Document) -> None:
    first = claimed(waiting)
    expire(waiting)
    second = claimed(waiting)
    assert second.holder != first.holder
    assert state(waiting).attempts == 2
    for act in (
        lambda: first.report(Document.Stage.EMBED, 0.5),
        lambda: first.finish(1, chunk_count=1),
        lambda: first.fail("internal_error"),
        lambda: first.retry_later("internal_error", counts=True),
        first.document,
    ):
        with pytest.raises(LeaseLost):
            act()
    second.report(Document.Stage.EMBED, 0.5)
    assert state(waiting).progress == 0.5


def test_every_report_renews_the_lease(waiting: Document) -> None:
    lease = claimed(waiting)
    expire(waiting)
    lease.report(Document.Stage.CHUNK, 0.2)
    assert claims.claim_ingestion(waiting.pk) is None


def test_a_lease_lives_through_a_stage_that_says_nothing(waiting: Document, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "HEARTBEAT_SECONDS", 0.02)
    before, lease = heartbeats(), claimed(waiting)
    with lease.kept_alive():
        expire(waiting)
        eventually(lambda: state(waiting).lease_expires_at > timezone.now())
    expire(waiting)
    time.sleep(0.1)
    assert state(waiting).lease_expires_at < timezone.now(), "nobody renews it afterwards"
    assert heartbeats() == before


def test_a_heartbeat_does_not_take_a_document_back(waiting: Document, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "HEARTBEAT_SECONDS", 0.01)
    lease = claimed(waiting)
    with lease.kept_alive():
        expire(waiting)
        other = None
        while other is None:  # the heartbeat may be faster
            expire(waiting)
            other = claims.claim_ingestion(waiting.pk)
        time.sleep(0.1)
        assert state(waiting).lease_holder == other.holder


def test_after_three_attempts_a_document_fails_with_advice(waiting: Document) -> None:
    for attempt in (1, 2, 3):
        claimed(waiting)
        assert state(waiting).attempts == attempt
        expire(waiting)
    assert claims.claim_ingestion(waiting.pk) is None
    assert claims.give_up_exhausted() == 1
    done = state(waiting)
    assert (done.status, done.error_code, done.lease_holder) == ("failed", "too_many_attempts", None)


def test_an_outage_costs_no_attempt_and_a_fault_does(waiting: Document) -> None:
    for _ in range(5):
        claimed(waiting).retry_later("service_unavailable", counts=False)
        later = state(waiting)
        assert (later.status, later.attempts, later.error_code) == ("pending", 0, "service_unavailable")
        assert later.not_before > timezone.now()
        Document.objects.update(not_before=timezone.now())
    claimed(waiting).retry_later("internal_error", counts=True)
    assert state(waiting).attempts == 1


def test_a_new_attempt_clears_the_last_ones_error(waiting: Document) -> None:
    claimed(waiting).retry_later("service_unavailable", counts=False)
    Document.objects.update(not_before=timezone.now())
    claimed(waiting)
    assert state(waiting).error_code == ""


def test_at_the_start_of_the_only_process_nothing_is_in_work(waiting: Document) -> None:
    claimed(waiting)
    assert claims.release_abandoned() == 1
    assert (state(waiting).status, state(waiting).attempts) == ("pending", 1)
    claimed(waiting)
    assert claims.release_abandoned(counts=False) == 1
    assert state(waiting).attempts == 1, "an orderly end costs no attempt"
    assert claims.claim_ingestion(waiting.pk) is not None


def test_a_document_that_was_deleted_in_work_is_let_go_at_once(waiting: Document) -> None:
    lease = claimed(waiting)
    assert lease.let_go() is False
    Document.objects.update(deleted_at=timezone.now())
    assert Lease(waiting.pk, UUID(int=0)).let_go() is False, "only its holder lets go"
    assert lease.let_go() is True
    assert state(waiting).lease_expires_at is None


def test_what_is_due_comes_in_the_order_of_its_waiting(waiting: Document) -> None:
    older = factories.DocumentFactory(status="pending", not_before=timezone.now() - timedelta(hours=1))
    abandoned = factories.DocumentFactory(status="pending", not_before=timezone.now() - timedelta(hours=2))
    claimed(abandoned)
    assert list(claims.due_documents()) == [older, waiting]
    expire(abandoned)
    assert list(claims.due_documents()) == [abandoned, older, waiting]


def test_of_ten_who_ask_for_the_next_one_each_document_has_one_winner(waiting: Document) -> None:
    others = [factories.DocumentFactory(status="pending", corpus=waiting.corpus) for _ in range(3)]
    won = [lease.document_id for lease in in_threads(10, claims.claim_next, Kind.INGEST) if lease]
    assert sorted(won) == sorted(one.pk for one in (waiting, *others))


@pytest.mark.parametrize("claim", [claims.claim_erasure, claims.claim_metadata])
def test_of_ten_errands_at_once_one_is_run(waiting: Document, claim: Callable[[UUID], Lease | None]) -> None:
    fields = ["deleted_at"] if claim is claims.claim_erasure else ["metadata_changed_at"]
    Document.objects.update(**dict.fromkeys(fields, timezone.now()))
    assert len([lease for lease in in_threads(10, claim, waiting.pk) if lease]) == 1
    assert state(waiting).status == "pending"


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite locks no rows")
def test_nobody_waits_for_a_row_that_is_locked(waiting: Document) -> None:
    other = factories.DocumentFactory(status="pending")
    with transaction.atomic():
        Document.objects.select_for_update().get(pk=waiting.pk)
        started = time.monotonic()
        (lease,) = in_threads(1, claims.claim_next, Kind.INGEST)
        assert time.monotonic() - started < patience(2)
    assert isinstance(lease, Lease)
    assert lease.document_id == other.pk


@pytest.mark.parametrize("error", [InterfaceError, OperationalError, RuntimeError])
def test_a_heart_survives_whatever_the_database_says(
    waiting: Document, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    monkeypatch.setattr(claims, "HEARTBEAT_SECONDS", 0.02)
    lease, renew, failures = claimed(waiting), Lease.renew, iter([error(), error()])

    def failing(self: Lease) -> None:
        for one in failures:
            raise one
        renew(self)

    monkeypatch.setattr(Lease, "renew", failing)
    with lease.kept_alive():
        expire(waiting)
        eventually(lambda: state(waiting).lease_expires_at > timezone.now())


def test_every_way_back_to_the_queue_resets_the_same(waiting: Document) -> None:
    Document.objects.update(status="failed", stage="embed", progress=0.7, attempts=3, error_code="x")
    Document.objects.all().requeue()
    again = state(waiting)
    assert (again.status, again.stage, again.progress, again.attempts) == ("pending", "", 0.0, 0)
    assert (again.error_code, again.lease_holder) == ("", None)
    claimed(waiting).report(Document.Stage.EMBED, 0.5)
    claims.release_abandoned()
    assert (state(waiting).stage, state(waiting).progress) == ("", 0.0)
