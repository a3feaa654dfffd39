"""Who outside is told what happens: webhooks, what waits to be delivered to them, and each attempt."""

from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Self

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Identified, Membership, Organization
from config.concurrency.clock import DatabaseNow
from tools import sealing

MAX_ATTEMPTS = 8
CLAIMED = timedelta(seconds=90)  # longer than a look-up and a POST take; then whoever claimed a delivery has died
LONGEST_URL = 500


class Event(models.TextChoices):
    """What may be told. `ping` is the test button's, and chosen by nobody."""

    DOCUMENT_INDEXED = "document.indexed", _("a document can be asked about")
    DOCUMENT_FAILED = "document.failed", _("a document could not be read")
    ANSWER_RATED = "answer.rated", _("an answer was rated")
    QUOTA_NEAR = "quota.near", _("a limit is nearly reached")
    PING = "ping", _("test")


OFFERED = tuple((value, label) for value, label in Event.choices if value != Event.PING.value)


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def in_organization_of(self, membership: Membership) -> Self:
        return self.filter(organization_id=membership.organization_id)

    def with_work(self) -> Self:
        """Those that something is due for."""
        due = Delivery.objects.due().filter(webhook=models.OuterRef("pk"))
        return self.filter(models.Exists(due), is_active=True)


class Webhook(Identified):
    """An address of an organization's own, which is told of the events that its admins chose.

    Its secret signs what is sent; it is sealed (`tools.sealing`) and shown once. After a new one was made the former
    signs beside it until `former_until`.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="webhooks")
    url = models.CharField(_("address"), max_length=LONGEST_URL)
    description = models.CharField(_("description"), max_length=150, blank=True)
    events = models.JSONField(_("events"), default=list)
    is_active = models.BooleanField(_("active"), default=True)
    sealed_secret = models.TextField(editable=False)
    sealed_former_secret = models.TextField(blank=True, editable=False)
    former_until = models.DateTimeField(null=True, editable=False)
    tried_at = models.DateTimeField(_("last tried"), null=True, editable=False)
    failing_since = models.DateTimeField(_("failing since"), null=True, editable=False)
    disabled_at = models.DateTimeField(_("switched off because it failed"), null=True, editable=False)
    updated_at = models.DateTimeField(auto_now=True)
    objects = WebhookQuerySet.as_manager()

    class Meta:
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return self.description or self.url

    def keep_secret(self, secret: str, former_until: datetime | None = None) -> None:
        """Sign with `secret` from now on, and with the present one too until `former_until`."""
        self.sealed_former_secret = self.sealed_secret if former_until else ""
        self.former_until = former_until
        self.sealed_secret = sealing.seal_json(secret)

    def open_secrets(self) -> list[str]:
        """Those that sign now, the newest first; a former one that no key opens is left out. Raises SealLost."""
        opened = [sealing.unseal_json(self.sealed_secret)]
        if self.sealed_former_secret and self.former_until and self.former_until > timezone.now():
            with suppress(sealing.SealLost):
                opened.append(sealing.unseal_json(self.sealed_former_secret))
        return opened


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def due(self) -> Self:
        """Waiting ones whose time has come; also those whose sender died, when what it had of time is over."""
        return self.filter(status=Delivery.Status.WAITING, not_before__lte=DatabaseNow(), attempts__lt=MAX_ATTEMPTS)

    def waiting(self) -> Self:
        return self.filter(status=Delivery.Status.WAITING)

    def ended_or_put_off(self) -> Self:
        """Those that nobody is sending, nor will within CLAIMED."""
        return self.exclude(status=Delivery.Status.WAITING, not_before__lte=DatabaseNow(CLAIMED))

    def give_up(self) -> int:
        return self.waiting().update(status=Delivery.Status.FAILED)


class Delivery(Identified):
    """One event for one webhook. The row is the queue (ADR 0002): it is written with what it tells of, and waits until
    it is sent or given up. Ids, names of states and numbers; no text of anybody's."""

    class Status(models.TextChoices):
        WAITING = "waiting", _("waiting")
        SENT = "sent", _("sent")
        FAILED = "failed", _("given up")

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries", verbose_name=_("webhook"))
    event = models.CharField(_("event"), max_length=30, choices=Event)
    data = models.JSONField(default=dict)
    status = models.CharField(_("state"), max_length=10, choices=Status, default=Status.WAITING)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    not_before = models.DateTimeField(_("next attempt"), default=timezone.now)
    objects = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")
        ordering = ("-created_at", "-pk")
        indexes = (
            models.Index(fields=("webhook", "created_at"), name="delivery_of_webhook"),
            models.Index(fields=("created_at",), name="delivery_created"),
            models.Index(
                fields=("webhook", "not_before"), name="delivery_waiting", condition=models.Q(status="waiting")
            ),
        )

    def __str__(self) -> str:
        return f"{self.event} {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def is_ended_or_put_off(self) -> bool:
        """As this machine's clock has it: whether to show a button. Whoever presses it asks the database."""
        return self.status != self.Status.WAITING or self.not_before > timezone.now() + CLAIMED

    @property
    def message_id(self) -> str:
        """`webhook-id`: the same in every attempt, so that who is told twice knows it."""
        return f"msg_{self.pk.hex}"


class DeliveryAttempt(Identified):
    """What became of one POST. `reason` is one of `webhooks.sending.REASONS`, `answer` how what came back began."""

    delivery = models.ForeignKey(Delivery, models.CASCADE, related_name="tries")
    reason = models.CharField(_("outcome"), max_length=20)
    status = models.PositiveSmallIntegerField(_("HTTP status"), null=True)
    milliseconds = models.PositiveIntegerField(_("time (ms)"))
    answer = models.CharField(_("answer"), max_length=1024, blank=True)

    class Meta:
        verbose_name = _("attempt")
        verbose_name_plural = _("attempts")
        ordering = ("created_at", "pk")

    def __str__(self) -> str:
        return f"{self.reason} {self.created_at:%Y-%m-%d %H:%M}"


def event_labels(events: Iterable[Any]) -> list[str]:
    """What a later release offers, and this one does not know, is told by its name."""
    known = dict(Event.choices)
    return [str(known.get(one, one)) for one in events]
