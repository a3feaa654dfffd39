"""A webhook as an admin makes it, and what it was told."""

from typing import Any

from accounts.models import Organization
from webhooks.models import Delivery, Event, Webhook
from webhooks.signing import new_secret

EVERY_EVENT = [Event.DOCUMENT_INDEXED, Event.DOCUMENT_FAILED, Event.ANSWER_RATED, Event.QUOTA_NEAR]


def hook_of(organization: Organization, description: str = "", **fields: Any) -> Webhook:
    given = {"url": "https://hooks.example.org/acervo", "events": list(map(str, EVERY_EVENT)), **fields}
    webhook = Webhook(organization=organization, description=description, **given)
    webhook.keep_secret(new_secret())
    webhook.save()
    return webhook


def told(webhook: Webhook, status: str = Delivery.Status.WAITING, **fields: Any) -> Delivery:
    return Delivery.objects.create(webhook=webhook, event=Event.PING, status=status, **fields)
