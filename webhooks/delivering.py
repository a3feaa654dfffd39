"""Deliveries whose time has come: whose turn it is, sent side by side, and what follows from how that went.

The network is waited for by threads that know no database; one thread claims and records. An endpoint that is slow
holds two places of many, and its organization four, so that nobody else waits for it.
"""

import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import F

from accounts import audit
from config.concurrency.clock import DatabaseNow
from config.faults import describe_error
from config.metrics.background import count_webhook_attempt
from tools.sealing import SealLost
from webhooks.models import CLAIMED, MAX_ATTEMPTS, Delivery, DeliveryAttempt, DeliveryQuerySet, Webhook
from webhooks.sending import PostOutcome, post
from webhooks.signing import body_of_delivery, signed_headers

logger = logging.getLogger(__name__)

AT_ONCE, OF_ORGANIZATION, OF_WEBHOOK = 16, 4, 2
LOOKED_AFTER = 1.0  # seconds, although nothing has ended: a look-up takes as long as the machine's resolver lets it
LOOKED_AT = 100  # webhooks of one look; those that were tried longest ago come first
DELAYS = [timedelta(minutes=m) for m in (1, 5, 30, 120, 360, 720, 1440)]  # after each attempt but the last
JITTER = 0.2
LONGEST_DELAY = DELAYS[-1]
FAILING_FOR = timedelta(days=5)  # then it is switched off
GONE = 410  # which says that nobody wants to be told any more


class Claimed(NamedTuple):
    """An attempt that this process alone makes: the `number`th of the delivery."""

    delivery: Delivery
    webhook: Webhook
    number: int


UnderWay = dict[Future[tuple[PostOutcome, float]], Claimed]


def deliver_due(go_on: Callable[[], bool]) -> int:
    """Attempt what is due until nothing is, or `go_on` says no; what is under way then ends. How many attempts."""
    give_up_dead()
    made, under_way = 0, UnderWay()
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="webhook") as pool:
        while True:
            if go_on():
                for one in claim_more(list(under_way.values())):
                    under_way[pool.submit(make_attempt, one)] = one
            if not under_way:
                return made
            for ended in wait(under_way, LOOKED_AFTER, FIRST_COMPLETED).done:
                made += 1
                record_ended(under_way.pop(ended), ended)


def claim_more(under_way: list[Claimed]) -> Iterator[Claimed]:
    """As many as there is room for, of those whose turn it is: webhooks that were tried longest ago first."""
    of_webhook = Counter(one.webhook.pk for one in under_way)
    of_organization = Counter(one.webhook.organization_id for one in under_way)
    room = AT_ONCE - len(under_way)
    full = {
        "pk__in": [pk for pk, n in of_webhook.items() if n >= OF_WEBHOOK],
        "organization__in": [pk for pk, n in of_organization.items() if n >= OF_ORGANIZATION],
    }
    if not room:
        return
    waiting = Webhook.objects.with_work().order_by(F("tried_at").asc(nulls_first=True), "pk")
    for name, values in full.items():
        waiting = waiting.exclude(**{name: values})
    for webhook in waiting[:LOOKED_AT]:
        free = min(
            room, OF_WEBHOOK - of_webhook[webhook.pk], OF_ORGANIZATION - of_organization[webhook.organization_id]
        )
        for claimed in claim(webhook, free) if free > 0 else ():
            of_organization[webhook.organization_id] += 1
            room -= 1
            yield claimed


def claim(webhook: Webhook, most: int) -> list[Claimed]:
    """The oldest due ones, each by compare-and-swap: of two processes one has it. It is due again when CLAIMED is over,
    whatever happens to this one."""
    claimed = []
    for delivery in webhook.deliveries.due().order_by("not_before")[:most]:
        mine = webhook.deliveries.due().filter(pk=delivery.pk, attempts=delivery.attempts)
        if mine.update(attempts=delivery.attempts + 1, not_before=DatabaseNow(CLAIMED)):
            claimed.append(Claimed(delivery, webhook, delivery.attempts + 1))
    Webhook.objects.filter(pk=webhook.pk).update(tried_at=DatabaseNow())
    return claimed


def make_attempt(claimed: Claimed) -> tuple[PostOutcome, float]:
    """The outcome, and how many seconds it took. In a thread without a database."""
    began = time.monotonic()
    try:
        signing = claimed.webhook.open_secrets()
    except SealLost:
        return PostOutcome("no_secret"), 0.0
    body = body_of_delivery(claimed.delivery)
    headers = signed_headers(claimed.delivery.message_id, int(time.time()), body, signing)
    return post(claimed.webhook.url, headers, body), time.monotonic() - began


def record_ended(claimed: Claimed, ended: Future[tuple[PostOutcome, float]]) -> None:
    """One whose end cannot be recorded is due again when CLAIMED is over; the others' are recorded."""
    try:
        record_attempt(claimed, *ended.result())
    except Exception as error:
        logger.warning("delivery %s is left to a later round: %s", claimed.delivery.pk, describe_error(error))


def record_attempt(claimed: Claimed, outcome: PostOutcome, seconds: float) -> None:
    """Log it, and decide what becomes of the delivery and its webhook. One that was deleted meanwhile has no log."""
    delivery, webhook = claimed.delivery, claimed.webhook
    with transaction.atomic():
        kept = Webhook.objects.filter(pk=webhook.pk, deliveries=delivery.pk)
        if not kept.select_for_update(of=("self",), no_key=True).only("pk").first():
            return
        DeliveryAttempt.objects.create(
            delivery=delivery, reason=outcome.reason, status=outcome.status, milliseconds=round(1000 * seconds),
            answer=outcome.answer,
        )  # fmt: skip
        ours = webhook.deliveries.waiting().filter(pk=delivery.pk, attempts=claimed.number)
        if outcome.reason == "ok":
            ours.update(status=Delivery.Status.SENT)
            Webhook.objects.filter(pk=webhook.pk).exclude(failing_since=None).update(failing_since=None)
        else:
            _put_off(ours, claimed.number, outcome.retry_after)
            _note_failure(webhook.pk, is_gone=outcome.status == GONE)
    count_webhook_attempt(is_taken=outcome.reason == "ok")


def _put_off(ours: "DeliveryQuerySet", number: int, retry_after: float | None) -> None:
    if number >= MAX_ATTEMPTS:
        ours.give_up()
    else:
        ours.update(not_before=DatabaseNow(delay_after(number, retry_after)))


def delay_after(number: int, retry_after: float | None = None) -> timedelta:
    """After the `number`th attempt: growing, and never for all at the same moment; as late as the server asks, within
    a day."""
    planned = DELAYS[number - 1] * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - no secret
    asked = timedelta(seconds=min(retry_after or 0.0, LONGEST_DELAY.total_seconds()))
    return max(planned, asked)


def _note_failure(webhook: UUID, *, is_gone: bool) -> None:
    """Since when it fails; one that has done so for FAILING_FOR, or says that it is gone, is switched off."""
    Webhook.objects.filter(pk=webhook, failing_since=None).update(failing_since=DatabaseNow())
    failing = Webhook.objects.filter(pk=webhook, is_active=True)
    if not is_gone:
        failing = failing.filter(failing_since__lte=DatabaseNow(-FAILING_FOR))
    for one in failing.select_related("organization"):
        failing.update(is_active=False, disabled_at=DatabaseNow())
        one.deliveries.all().give_up()
        audit.record_for(one.organization, None, "disabled", one)
        logger.warning("webhook %s is switched off: it has failed since %s", one.pk, one.failing_since)


def give_up_dead() -> int:
    """Those whose last attempt died with its process, and what was announced while its webhook was switched off."""
    late = Delivery.objects.filter(webhook__in=Webhook.objects.filter(is_active=False)).give_up()
    return late + Delivery.objects.filter(attempts__gte=MAX_ATTEMPTS, not_before__lte=DatabaseNow()).give_up()
