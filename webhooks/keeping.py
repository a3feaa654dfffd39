"""Webhooks are kept by admins: made, changed, tested, given new secrets, deleted. Each act is audited."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts import audit
from accounts.limits.uses import lock_organization
from accounts.models import Membership
from accounts.problems import NotFound
from config.concurrency.clock import DatabaseNow
from webhooks.models import Delivery, Event, Webhook
from webhooks.problems import WebhookInactive, WebhooksFull
from webhooks.signing import new_secret

MOST_WEBHOOKS = 20  # of an organization
FORGOTTEN_AT_ONCE = 1000  # deliveries
FORMER_SIGNS = timedelta(hours=24)  # beside a new secret, until the receiver knows that


def webhook_for(by: Membership, webhook_id: UUID) -> Webhook:
    """Raises NotFound for another organization's."""
    webhook = Webhook.objects.in_organization_of(by).filter(pk=webhook_id).first()
    if webhook is None:
        raise NotFound
    return webhook


def delivery_of(webhook: Webhook, delivery_id: UUID) -> Delivery:
    """Raises NotFound for another webhook's."""
    delivery = webhook.deliveries.filter(pk=delivery_id).first()
    if delivery is None:
        raise NotFound
    return delivery


def make_webhook(by: Membership, webhook: Webhook) -> str:
    """Its secret, which is told now and never again. Raises WebhooksFull."""
    secret = new_secret()
    with transaction.atomic():
        lock_organization(by.organization_id)
        if Webhook.objects.in_organization_of(by).count() >= MOST_WEBHOOKS:
            raise WebhooksFull
        webhook.keep_secret(secret)
        webhook.save(force_insert=True)
        audit.record(by, "created", webhook)
    return secret


def change_webhook(by: Membership, webhook: Webhook, **fields: Any) -> None:
    """Write these fields and nothing else. Who is switched off is told nothing of what waits; who is switched on begins
    anew."""
    for name, value in fields.items():
        setattr(webhook, name, value)
    written = [*fields, "updated_at"]
    with transaction.atomic():
        was_active = Webhook.objects.in_organization_of(by).select_for_update().get(pk=webhook.pk).is_active
        webhook.is_active = fields.get("is_active", was_active)
        if webhook.is_active and not was_active:
            webhook.failing_since = webhook.disabled_at = None
            written += ["failing_since", "disabled_at"]
        if webhook.is_active != was_active:
            webhook.deliveries.all().give_up()
        webhook.save(update_fields=written)
        flags = {"is_active": webhook.is_active} if webhook.is_active != was_active else {}
        audit.record(by, "changed", webhook, fields=sorted(fields), **flags)


def delete_webhook(by: Membership, webhook: Webhook) -> None:
    """Its log goes first, in steps of their own: of a hundred thousand rows at once nothing else could be written for
    seconds, and a request that is cut off would have done nothing."""
    while step := list(webhook.deliveries.order_by().values_list("pk", flat=True)[:FORGOTTEN_AT_ONCE]):
        webhook.deliveries.filter(pk__in=step).delete()
    with transaction.atomic():
        audit.record(by, "deleted", webhook)
        webhook.delete()


def renew_secret(by: Membership, webhook: Webhook) -> str:
    """A new secret, told now and never again; the present one signs beside it for FORMER_SIGNS."""
    secret = new_secret()
    with transaction.atomic():
        kept = Webhook.objects.in_organization_of(by).select_for_update().get(pk=webhook.pk)
        kept.keep_secret(secret, timezone.now() + FORMER_SIGNS)
        kept.save(update_fields=["sealed_secret", "sealed_former_secret", "former_until", "updated_at"])
        audit.record(by, "renewed", webhook)
    return secret


def send_test(by: Membership, webhook: Webhook) -> Delivery:
    """A ping, sent by a worker like everything else: nobody's request waits for a stranger's server. While one waits
    there is no other. Raises WebhookInactive."""
    with transaction.atomic():
        _lock_active(by, webhook)
        pings = webhook.deliveries.waiting().filter(event=Event.PING, attempts=0)
        if (ping := pings.first()) is None:
            told = {"webhook": str(webhook.pk)}
            ping = webhook.deliveries.create(event=Event.PING, data=told, not_before=DatabaseNow())
            ping.refresh_from_db(fields=["not_before"])
        audit.record(by, "tested", webhook)
    return ping


def send_again(by: Membership, webhook: Webhook, delivery: Delivery) -> Delivery:
    """The same message under the same id, with all its attempts before it. One that is being sent, or will be in a
    moment, is left alone. Raises WebhookInactive."""
    with transaction.atomic():
        _lock_active(by, webhook)
        again = webhook.deliveries.filter(pk=delivery.pk).ended_or_put_off()
        if again.update(status=Delivery.Status.WAITING, attempts=0, not_before=DatabaseNow()):
            audit.record(by, "sent again", webhook)
    delivery.refresh_from_db()
    return delivery


def _lock_active(by: Membership, webhook: Webhook) -> None:
    """Nobody switches it off until the transaction ends. Raises WebhookInactive."""
    active = Webhook.objects.in_organization_of(by).filter(pk=webhook.pk, is_active=True)
    if not active.select_for_update().first():
        raise WebhookInactive
