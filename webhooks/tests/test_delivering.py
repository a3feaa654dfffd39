"""The outbox: whose turn it is, what follows from each attempt, and that nobody sends the same one twice."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from accounts.models import AuditEvent
from config.metrics.background import WEBHOOK_ATTEMPTS
from tests.hooks import hook_of, told
from tests.people import People
from webhooks import delivering
from webhooks.announcing import announce
from webhooks.delivering import claim, claim_more, delay_after, deliver_due, record_attempt
from webhooks.keeping import change_webhook, renew_secret, send_again, send_test
from webhooks.models import MAX_ATTEMPTS, Delivery, DeliveryAttempt, Event, Webhook
from webhooks.problems import WebhookInactive
from webhooks.sending import PostOutcome
from webhooks.signing import signed_headers
from webhooks.tests.receiver import OK, Receiver, receiving, saying

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loopback_allowed")]
GONE = b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n\r\n"
BROKEN = b"HTTP/1.1 500 Oh\r\nContent-Length: 6\r\n\r\nbroken"


@pytest.fixture
def taken() -> Iterator[tuple[str, Receiver]]:
    with receiving() as served:
        yield served


def deliver() -> int:
    return deliver_due(lambda: True)


def again(delivery: Delivery) -> Delivery:
    """Its time has come."""
    Delivery.objects.filter(pk=delivery.pk).update(not_before=timezone.now())
    delivery.refresh_from_db()
    return delivery


def test_what_is_announced_arrives_once_signed_and_is_logged(people: People, taken: tuple[str, Receiver]) -> None:
    url, receiver = taken
    here = people.ada.organization
    hook = hook_of(here, url=url, events=["answer.rated"])
    hook_of(here, url=url, events=["document.failed"])
    hook_of(here, url=url, is_active=False)
    hook_of(people.zoe.organization, url=url)
    assert announce(here.pk, Event.ANSWER_RATED, {"answer": "1"}) == 1
    assert deliver() == 1
    assert deliver() == 0
    (came,) = receiver.received
    assert json.loads(came.body)["type"] == "answer.rated"
    assert json.loads(came.body)["data"] == {"answer": "1"}
    delivery = hook.deliveries.get()
    expected = signed_headers(
        delivery.message_id, int(came.headers["webhook-timestamp"]), came.body, hook.open_secrets()
    )
    assert expected.items() <= came.headers.items()
    assert abs(int(came.headers["webhook-timestamp"]) - time.time()) < 60
    assert (delivery.status, delivery.attempts) == ("sent", 1)
    (attempt,) = delivery.tries.all()
    assert (attempt.reason, attempt.status, attempt.answer) == ("ok", 200, "there")


def test_the_former_secret_signs_beside_the_new_one_for_its_time(people: People, taken: tuple[str, Receiver]) -> None:
    hook = hook_of(people.ada.organization, url=taken[0])
    hook.keep_secret("whsec_" + "QUJD" * 8, timezone.now() + timedelta(hours=1))
    hook.save()
    told(hook)
    deliver()
    Webhook.objects.update(former_until=timezone.now())
    told(hook)
    deliver()
    said = [one.headers["webhook-signature"].split(" ") for one in taken[1].received]
    assert list(map(len, said)) == [2, 1]


def test_a_failure_is_tried_again_later_under_the_same_id_and_given_up_at_last(people: People) -> None:
    before = WEBHOOK_ATTEMPTS.labels("failed")._value.get()
    with receiving(BROKEN) as (url, receiver):
        hook = hook_of(people.ada.organization, url=url)
        delivery = told(hook)
        for number in range(1, MAX_ATTEMPTS + 1):
            now = timezone.now()
            assert deliver() == 1
            assert deliver() == 0, "not at once"
            delivery.refresh_from_db()
            if number < MAX_ATTEMPTS:
                planned = delivering.DELAYS[number - 1]
                assert 0.79 * planned < delivery.not_before - now < 1.21 * planned + timedelta(seconds=10)
                again(delivery)
    assert delivery.status == "failed"
    assert deliver() == 0
    assert len({one.headers["webhook-id"] for one in receiver.received}) == 1
    assert len(receiver.received) == delivery.tries.count() == MAX_ATTEMPTS
    assert delivery.tries.latest("created_at").answer == "broken"
    assert WEBHOOK_ATTEMPTS.labels("failed")._value.get() == before + MAX_ATTEMPTS
    hook.refresh_from_db()
    assert hook.failing_since is not None


def test_a_success_ends_the_failing(people: People, taken: tuple[str, Receiver]) -> None:
    hook = hook_of(people.ada.organization, url=taken[0], failing_since=timezone.now() - timedelta(days=4))
    told(hook)
    deliver()
    hook.refresh_from_db()
    assert hook.failing_since is None


@pytest.mark.parametrize(
    ("answer", "days", "is_switched_off"), [(BROKEN, 4.9, False), (BROKEN, 5.1, True), (GONE, 0.0, True)]
)
def test_who_fails_for_days_or_is_gone_is_switched_off(
    answer: bytes, days: float, is_switched_off: bool, people: People
) -> None:
    with receiving(answer) as (url, _receiver):
        hook = hook_of(people.ada.organization, url=url, failing_since=timezone.now() - timedelta(days=days))
        told(hook), told(hook, not_before=timezone.now() + timedelta(days=1))
        other = hook_of(people.ada.organization, url=url, is_active=True)
        deliver()
    hook.refresh_from_db(), other.refresh_from_db()
    assert hook.is_active is not is_switched_off
    assert (hook.disabled_at is not None) is is_switched_off
    assert other.is_active
    assert hook.deliveries.waiting().exists() is not is_switched_off
    assert AuditEvent.objects.filter(action="disabled", object_id=str(hook.pk)).exists() is is_switched_off


def test_who_is_switched_off_is_told_nothing(people: People, taken: tuple[str, Receiver]) -> None:
    told(hook_of(people.ada.organization, url=taken[0], is_active=False))
    assert deliver() == 0


def test_a_server_that_asks_for_time_gets_it_but_no_more_than_a_day() -> None:
    assert delay_after(1, 3600.0) == timedelta(hours=1)
    assert delay_after(1, 1e12) == timedelta(days=1)
    assert timedelta(seconds=48) <= delay_after(1, None) <= timedelta(seconds=72)
    assert len({delay_after(3) for _ in range(20)}) > 10, "not all at the same moment"


def test_of_two_that_claim_the_same_attempt_one_has_it(people: People) -> None:
    hook = hook_of(people.ada.organization)
    delivery = told(hook)
    first = claim(hook, 2)
    assert [one.number for one in first] == [1]
    assert claim(hook, 2) == []
    stale = Delivery.objects.get(pk=delivery.pk)
    assert stale.attempts == 1
    assert hook.deliveries.due().filter(pk=delivery.pk, attempts=0).update(attempts=1) == 0


def test_an_attempt_whose_process_died_is_made_again_and_what_comes_back_late_changes_nothing(people: People) -> None:
    hook = hook_of(people.ada.organization)
    delivery = told(hook)
    (lost,) = claim(hook, 1)
    again(delivery)  # CLAIMED is over
    (second,) = claim(hook, 1)
    assert second.number == 2
    record_attempt(lost, PostOutcome("timeout"), 5.0)
    delivery.refresh_from_db()
    assert delivery.not_before > timezone.now() + timedelta(seconds=60), "still the second one's"
    record_attempt(second, PostOutcome("ok", 200), 0.1)
    record_attempt(lost, PostOutcome("timeout"), 5.0)
    delivery.refresh_from_db()
    assert delivery.status == "sent"


def test_what_died_in_its_last_attempt_is_given_up(people: People) -> None:
    delivery = told(hook_of(people.ada.organization), attempts=MAX_ATTEMPTS)
    assert deliver() == 0
    delivery.refresh_from_db()
    assert delivery.status == "failed"


def test_a_webhook_that_is_deleted_while_it_is_told_leaves_nothing(people: People) -> None:
    hook = hook_of(people.ada.organization)
    told(hook)
    (claimed,) = claim(hook, 1)
    Webhook.objects.all().delete()
    record_attempt(claimed, PostOutcome("ok", 200), 0.1)
    assert not Delivery.objects.exists()


def test_a_secret_whose_key_is_gone_is_told_so(people: People, taken: tuple[str, Receiver], settings: Any) -> None:
    delivery = told(hook_of(people.ada.organization, url=taken[0]))
    settings.SECRET_KEY = "another " * 8
    deliver()
    assert delivery.tries.get().reason == "no_secret"
    assert not taken[1].received


def test_a_backlog_of_one_is_no_others_and_holds_few_places(people: People) -> None:
    here, there = people.ada.organization, people.zoe.organization
    crowd = [hook_of(here) for _ in range(6)]
    for hook in crowd:
        for _ in range(5):
            told(hook)
    theirs = hook_of(there)
    told(theirs)
    claimed = list(claim_more([]))
    assert sum(one.webhook.organization_id == here.pk for one in claimed) == delivering.OF_ORGANIZATION
    assert [one.webhook.pk for one in claimed].count(theirs.pk) == 1
    assert max([one.webhook.pk for one in claimed].count(hook.pk) for hook in crowd) <= delivering.OF_WEBHOOK
    more = list(claim_more(claimed))
    assert more == [], "the organization has all that it may have"
    freed = list(claim_more(claimed[2:]))
    assert freed
    assert {one.webhook.pk for one in freed}.isdisjoint({one.webhook.pk for one in claimed}), "others come first"


@pytest.mark.slow
def test_a_slow_endpoint_holds_up_nobody_else(people: People, taken: tuple[str, Receiver]) -> None:
    url, receiver = taken
    release = threading.Event()

    def slowly(connection: Any) -> None:
        release.wait(4)
        saying(OK)(connection)

    with receiving(slowly) as (slow_url, slow):
        slow_hook, hook = hook_of(people.zoe.organization, url=slow_url), hook_of(people.ada.organization, url=url)
        for _ in range(4):
            told(slow_hook)
        for _ in range(20):
            told(hook)
        began = time.monotonic()
        ended: list[float] = []
        receiver.answer = lambda connection: (ended.append(time.monotonic() - began), saying(OK)(connection))[1]
        assert deliver() == 24
    assert slow.most_at_once <= delivering.OF_WEBHOOK
    assert len(ended) == 20
    assert max(ended) < 4, "before the first slow one has answered"


def test_who_is_told_to_stop_begins_nothing(people: People, taken: tuple[str, Receiver]) -> None:
    told(hook_of(people.ada.organization, url=taken[0]))
    assert deliver_due(lambda: False) == 0
    assert Delivery.objects.get().attempts == 0


def test_a_new_secret_signs_at_once_though_the_former_ones_key_is_gone(
    people: People, taken: tuple[str, Receiver], settings: Any
) -> None:
    hook = hook_of(people.ada.organization, url=taken[0])
    settings.SECRET_KEY = "another " * 8
    renew_secret(people.ada, hook)
    delivery = told(hook)
    deliver()
    assert delivery.tries.get().reason == "ok"
    assert len(taken[1].received[0].headers["webhook-signature"].split(" ")) == 1


@pytest.mark.slow
def test_a_look_up_that_hangs_holds_up_nothing_that_comes_after_it(
    people: People, taken: tuple[str, Receiver], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name server that never answers takes as long as the machine's resolver lets it."""
    arrived, looking = threading.Event(), threading.Event()
    hook, held = hook_of(people.ada.organization, url=taken[0]), []
    taken[1].answer = lambda connection: (arrived.set(), saying(OK)(connection))[1]
    look_up = socket.getaddrinfo

    def hanging(host: str, *args: Any, **named: Any) -> Any:
        if host == "hangs.example":
            looking.set()
            held.append(arrived.wait(6))
        return look_up("127.0.0.1", *args, **named)

    def go_on() -> bool:
        if looking.is_set() and not hook.deliveries.exists():
            told(hook)
        return True

    monkeypatch.setattr("tools.hosts.socket.getaddrinfo", hanging)
    told(hook_of(people.zoe.organization, url=taken[0].replace("127.0.0.1", "hangs.example")))
    deliver_due(go_on)
    assert held == [True], "the other one arrived while it hung"


def test_one_that_cannot_be_recorded_costs_the_others_nothing(
    people: People, taken: tuple[str, Receiver], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a database refuses of one row, as when it is locked for too long."""
    gone_wrong, hook = hook_of(people.zoe.organization, url=taken[0]), hook_of(people.ada.organization, url=taken[0])
    lost, fine = told(gone_wrong), [told(hook) for _ in range(6)]
    write = DeliveryAttempt.objects.create

    def refused(**fields: Any) -> DeliveryAttempt:
        if fields["delivery"].pk == lost.pk:
            raise OperationalError("canceling statement due to lock timeout")
        return write(**fields)

    monkeypatch.setattr(DeliveryAttempt.objects, "create", refused)
    assert deliver() == 7
    lost.refresh_from_db()
    assert lost.status == "waiting", "it is due again when its time is over"
    assert {one.status for one in Delivery.objects.filter(pk__in=[one.pk for one in fine])} == {"sent"}


def test_what_waits_for_who_is_switched_off_is_given_up_whenever_it_came(
    people: People, taken: tuple[str, Receiver]
) -> None:
    """It was announced by who still saw the webhook active, and written after that had been switched off."""
    hook = hook_of(people.ada.organization, url=taken[0], is_active=False)
    late = told(hook)
    assert deliver() == 0
    late.refresh_from_db()
    assert late.status == "failed"
    change_webhook(people.ada, hook, is_active=True)
    assert deliver() == 0
    assert taken[1].received == []


def test_a_change_of_who_was_switched_off_meanwhile_does_not_say_that_it_is_active(people: People) -> None:
    hook = hook_of(people.ada.organization)
    now = timezone.now()
    Webhook.objects.filter(pk=hook.pk).update(is_active=False, disabled_at=now, failing_since=now)
    change_webhook(people.ada, hook, description="Other")
    kept = Webhook.objects.get(pk=hook.pk)
    assert (kept.description, kept.is_active, kept.disabled_at, kept.failing_since) == ("Other", False, now, now)
    assert "is_active" not in AuditEvent.objects.get(action="changed", object_id=str(hook.pk)).changes
    assert not hook.is_active


def test_nothing_is_queued_for_who_was_switched_off_meanwhile(people: People) -> None:
    hook = hook_of(people.ada.organization)
    ended = told(hook, Delivery.Status.FAILED)
    Webhook.objects.filter(pk=hook.pk).update(is_active=False)
    with pytest.raises(WebhookInactive):
        send_again(people.ada, hook, ended)
    with pytest.raises(WebhookInactive):
        send_test(people.ada, hook)
    assert not hook.deliveries.waiting().exists()
