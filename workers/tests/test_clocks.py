"""Machines whose clocks differ: what one of them writes means the same to the others (ADR 0002)."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.utils import timezone

from accounts.http.idempotency import StillRunning, claim_key
from accounts.limits import reserving
from accounts.limits.declared import Per
from accounts.limits.uses import present_reservations
from accounts.models import IdempotentReply
from chat.models import Message
from chat.stream import keeping
from config.concurrency.clock import DatabaseNow, read_database_clock
from config.concurrency.heartbeat import LEASE
from corpora.models import Document
from corpora.removal import remove_documents
from evaluation.models import EvaluationRun
from evaluation.runs import claim_run, free_runs
from tests import factories
from tests.library import upload
from tests.limits import limit
from workers.models import Claim
from workers.queue import claims, exclusive
from workers.queue.claims import RETRY_AFTER, Lease
from workers.queue.turns import Kind

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite is one machine's, and has its clock"),
]
SLACK = timedelta(seconds=10)
Elsewhere = Callable[[], AbstractContextManager[None]]


@pytest.fixture(params=[1, -1], ids=["an hour ahead", "an hour behind"])
def elsewhere(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Elsewhere:
    """What is done in this context is done on a machine whose clock is wrong."""
    off, right = timedelta(hours=request.param), timezone.now

    @contextmanager
    def on_another_machine() -> Iterator[None]:
        with monkeypatch.context() as there:
            there.setattr(timezone, "now", lambda: right() + off)
            yield

    return on_another_machine


def lasts(until: datetime | None, duration: timedelta) -> bool:
    assert until is not None
    return timedelta() <= duration - (until - timezone.now()) < SLACK


def row(document: Document) -> Document:
    return Document.objects.get(pk=document.pk)


def expire(document: Document) -> None:
    Document.objects.filter(pk=document.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))


def taken(kind: Kind = Kind.INGEST) -> Lease:
    lease = claims.claim_next(kind)
    assert lease is not None
    return lease


def test_no_lease_is_stolen_while_its_owner_lives_nor_kept_when_it_has_died(elsewhere: Elsewhere) -> None:
    document = factories.DocumentFactory(status="pending")
    with elsewhere():
        theirs = taken()
    assert lasts(row(document).lease_expires_at, LEASE)
    assert claims.claim_next(Kind.INGEST) is None
    for live_on in (theirs.renew, lambda: theirs.report(Document.Stage.EMBED, 0.5)):
        expire(document)
        with elsewhere():
            live_on()
        assert lasts(row(document).lease_expires_at, LEASE)
    assert not claims.due_documents().exists()
    expire(document)
    ours = taken()
    with elsewhere():
        assert claims.claim_next(Kind.INGEST) is None
        assert not claims.due_documents().exists()
    assert row(document).lease_holder == ours.holder


def test_what_is_put_back_for_later_is_taken_up_then(elsewhere: Elsewhere) -> None:
    document = factories.DocumentFactory(status="pending")
    with elsewhere():
        taken().retry_later("service_unavailable", counts=False)
    assert lasts(row(document).not_before, RETRY_AFTER)
    Document.objects.update(not_before=timezone.now())
    taken().retry_later("service_unavailable", counts=False)
    with elsewhere():
        assert claims.claim_next(Kind.INGEST) is None
        Document.objects.update(not_before=read_database_clock())
        taken().retry_later("service_unavailable", counts=False, after=timedelta())
    assert taken().document_id == document.pk


def test_an_errand_that_failed_waits_for_its_time_alone(elsewhere: Elsewhere) -> None:
    document = factories.DocumentFactory(metadata_changed_at=timezone.now())
    with elsewhere():
        taken(Kind.METADATA).postpone_errand()
    assert lasts(row(document).lease_expires_at, RETRY_AFTER)
    with elsewhere():
        assert claims.claim_metadata(document.pk) is None


def test_what_is_uploaded_sent_again_or_deleted_there_is_worked_on_at_once(elsewhere: Elsewhere) -> None:
    owner = factories.MembershipFactory()
    with elsewhere():
        document = upload(factories.CorpusFactory(personal_of=owner), owner, "faro.md", "El faro alumbra.")
    assert taken().document_id == document.pk
    with elsewhere():
        Document.objects.requeue()
    assert taken().document_id == document.pk
    expire(document)
    with elsewhere():
        remove_documents([row(document)], owner, at_once=True)
    assert taken(Kind.ERASE).document_id == document.pk


def test_a_job_that_runs_by_itself_is_held_and_rests_as_long_everywhere(elsewhere: Elsewhere) -> None:
    with elsewhere():
        assert exclusive.take_claim("periodic:job", uuid4(), 0.0)
    claim = Claim.objects.get()
    assert lasts(claim.expires_at, LEASE)
    assert lasts(claim.began_at, timedelta())
    with elsewhere():
        assert not exclusive.take_claim("periodic:job", uuid4(), 0.0)
        Claim.objects.update(expires_at=None)
        assert not exclusive.take_claim("periodic:job", uuid4(), 60.0)
    assert exclusive.take_claim("periodic:job", uuid4(), 0.0)


def test_runs_keys_and_what_may_be_spent_are_held_as_long_everywhere(elsewhere: Elsewhere, settings: Any) -> None:
    limit(settings, tokens_day=1000)
    member = factories.MembershipFactory()
    run = EvaluationRun.objects.create(is_open=True)
    with elsewhere():
        assert claim_run(run)
        claim_key(member, "key", "hash")
        reserving.reserve(member, reserving.Spending(tokens=7), uuid4())
    run.refresh_from_db()
    assert lasts(run.lease_expires_at, LEASE)
    assert lasts(IdempotentReply.objects.get().lease_expires_at, LEASE)
    with pytest.raises(StillRunning):
        claim_key(member, "key", "hash")
    assert present_reservations(member)[Per.USER].tokens == 7
    with elsewhere():
        assert not free_runs().exists()
        with pytest.raises(StillRunning):
            claim_key(member, "key", "hash")


def test_an_answer_is_alive_to_every_reader(elsewhere: Elsewhere) -> None:
    answer = factories.MessageFactory(role="assistant", status="streaming", writer_seen_at=None)
    for there, here in ((elsewhere, nowhere_else), (nowhere_else, elsewhere)):
        with there():
            Message.objects.update(writer_seen_at=DatabaseNow(), reader_seen_at=DatabaseNow())
        with here():
            assert Message.objects.streaming().dated().get().present_status == "streaming"
            assert not Message.objects.broken_off().exists()
            ((heard, seconds_ago),) = keeping.wishes().heard
        assert heard == answer.pk
        assert 0 <= seconds_ago < SLACK.total_seconds()


@contextmanager
def nowhere_else() -> Iterator[None]:
    yield


@pytest.mark.parametrize("later", [timedelta(), timedelta(hours=3), -timedelta(days=2)], ids=str)
def test_the_moment_is_the_statements_own(later: timedelta, elsewhere: Elsewhere) -> None:
    factories.DocumentFactory()
    with elsewhere():
        Document.objects.update(not_before=DatabaseNow(later))
        told: Any = Document.objects.filter(not_before__lte=DatabaseNow(later)).values_list(
            "not_before", DatabaseNow(later)
        )
        ((before, after),) = told
    assert before < after
    assert lasts(before, later)
