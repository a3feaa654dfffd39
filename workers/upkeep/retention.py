"""What is kept for a time and forgotten in small steps: records of answers, the audit log, calls, replies, sessions,
what webhooks were told.

An organization may say how long (its page in the admin); what it does not say, the installation says
(TRACES_KEPT_DAYS, AUDIT_KEPT_DAYS). No organization's audit log is shorter than AUDIT_MINIMUM_DAYS.

Each step is a short transaction, with a pause after it, so that nobody waits behind thousands of deletions; who is told
to stop, or has deleted for long enough, leaves the rest to the next hour.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from accounts import audit
from accounts.http import idempotency
from accounts.models import AuditEvent, IdempotentReply, Organization, ToolCall
from chat.answering.state import state_kept
from chat.models import Message, Trace
from config.metrics.background import FORGOTTEN
from webhooks.models import Delivery
from workers.queue import lanes

logger = logging.getLogger(__name__)

AT_ONCE = 1000  # rows of a step
PAUSE = 0.02  # seconds after each
LONGEST = 600.0  # seconds of an hour's round


def forget_past() -> dict[str, int]:
    """A round; how many rows of each kind are gone. What ran out of time goes on in the next."""
    until = time.monotonic() + LONGEST
    gone: dict[str, int] = {}
    for kind, rows in past_rows():
        before = keep_states if kind == "traces" else None
        gone[kind] = gone.get(kind, 0) + delete_in_steps(rows, until, before)
    for kind, count in gone.items():
        if count:
            FORGOTTEN.labels(kind).inc(count)
            logger.info("retention: %d rows of %s deleted", count, kind)
    return gone


def past_rows() -> Iterator[tuple[str, QuerySet[Any]]]:
    now = timezone.now()
    yield "sessions", Session.objects.filter(expire_date__lt=now)
    yield "replies", IdempotentReply.objects.filter(created_at__lt=now - idempotency.LIFETIME)
    yield "tool calls", ToolCall.objects.filter(created_at__lt=now - audit.TOOL_CALLS_KEPT)
    if settings.WEBHOOK_LOG_DAYS > 0:
        told = Delivery.objects.filter(created_at__lt=now - timedelta(days=settings.WEBHOOK_LOG_DAYS))
        yield "webhook deliveries", told.exclude(status=Delivery.Status.WAITING)
    yield "traces", Trace.objects.filter(message=None, created_at__lt=now - Trace.SEARCHES_KEPT)
    for organization in Organization.objects.order_by("pk"):
        if (days := organization.trace_days) > 0:
            past = {"created_at__lt": now - timedelta(days=days)}
            yield "traces", Trace.objects.filter(agent__organization=organization, **past)
        if (days := organization.audit_days) > 0:
            past = {"created_at__lt": now - timedelta(days=days)}
            yield "audit events", AuditEvent.objects.filter(organization=organization, **past)


def keep_states(traces: Sequence[Any]) -> None:
    """Answers of 0.1.0 have no state of their own: theirs follows from the record that is about to go."""
    of_them = Message.objects.dated().filter(trace__in=traces, role=Message.Role.ASSISTANT, state="")
    for row in of_them.select_related("trace").prefetch_related("citations"):
        if said := state_kept(row):
            Message.objects.filter(pk=row.pk).update(state=said)


def delete_in_steps(rows: QuerySet[Any], until: float, before: Callable[[Sequence[Any]], None] | None = None) -> int:
    """How many are gone. `until`: by the clock of `time.monotonic`. `before`: told the keys of each step."""
    gone = 0
    while time.monotonic() < until and not lanes.stopping.is_set():
        step = list(rows.order_by().values_list("pk", flat=True)[:AT_ONCE])
        if step:
            if before:
                before(step)
            gone += rows.model._default_manager.filter(pk__in=step).delete()[0]
        if len(step) < AT_ONCE:
            break
        time.sleep(PAUSE)
    return gone
