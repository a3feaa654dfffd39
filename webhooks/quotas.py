"""Limits that an organization has nearly reached. Looked at now and then: who counts pays nothing for it."""

from datetime import UTC, datetime, time
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from accounts.limits.declared import Per, Window
from accounts.limits.present import Present, present_limits
from accounts.models import Membership, Organization, User
from webhooks.announcing import announce
from webhooks.models import Delivery, Event, Webhook

NEAR = 80  # percent


def announce_near_quotas() -> int:
    """Once a day (UTC) for each limit of an organization that somebody wants to be told of; how many were announced."""
    if not settings.QUOTAS:
        return 0
    listening = [
        organization
        for organization, events in Webhook.objects.filter(is_active=True).values_list("organization", "events")
        if Event.QUOTA_NEAR.value in events
    ]
    return sum(map(_announce_of, Organization.objects.filter(pk__in=set(listening))))


def _announce_of(organization: Organization) -> int:
    nobody = Membership(organization=organization, user=User())  # whose own use is not asked for
    near = [one for one in present_limits(nobody, Per.ORGANIZATION) if is_near(one)]
    known = _announced_today(organization.pk) if near else set()
    fresh = [one for one in near if one.limit.name not in known]
    for one in fresh:
        announce(organization.pk, Event.QUOTA_NEAR, _told(one))
    return len(fresh)


def is_near(one: Present) -> bool:
    """Not of what ends within the minute: by the time anybody reads it, it is over."""
    return one.limit.window is not Window.MINUTE and one.allowed > 0 and 100 * one.used >= NEAR * one.allowed


def _announced_today(organization: UUID) -> set[str]:
    midnight = datetime.combine(timezone.now().astimezone(UTC).date(), time.min, UTC)
    told = Delivery.objects.filter(webhook__organization=organization, event=Event.QUOTA_NEAR)
    return {str(data.get("limit")) for data in told.filter(created_at__gte=midnight).values_list("data", flat=True)}


def _told(one: Present) -> dict[str, Any]:
    return {
        "limit": one.limit.name, "window": one.limit.window.value, "percent": one.percent,
        "used": float(one.used), "allowed": float(one.allowed),
    }  # fmt: skip
