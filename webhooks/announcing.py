"""The one entrance for what happens: `announce`, called in the transaction of the change that it tells of."""

from typing import Any
from uuid import UUID

from accounts.tenancy.scope import system_scope
from config.concurrency.clock import DatabaseNow
from webhooks.models import Delivery, Event, Webhook


@system_scope()  # members and workers make what is told; only admins see who is
def announce(organization: UUID, event: Event, data: dict[str, Any]) -> int:
    """Queue an event for the webhooks of an organization that chose it; how many those are.

    `data`: ids, names of states and numbers. Where nobody listens it costs one look.
    """
    active = Webhook.objects.filter(organization_id=organization, is_active=True).values_list("pk", "events")
    listening = [pk for pk, events in active if event.value in events]
    told = {"event": event, "data": data, "not_before": DatabaseNow()}
    Delivery.objects.bulk_create(Delivery(webhook_id=pk, **told) for pk in listening)
    return len(listening)
