"""Rows that are deleted in two steps: into the trash, where nobody reads them, and out of the world.

`deleted_at` alone decides who reads a row, so that whatever leaves out what is deleted leaves out the trash too.
"""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Coalesce
from django.db.models.lookups import LessThanOrEqual

from accounts.models import User
from config.concurrency.clock import DatabaseNow, read_database_clock


class Deletable(models.Model):
    deleted_at = models.DateTimeField(null=True, editable=False)  # since then nobody reads it
    deleted_by = models.ForeignKey(User, models.SET_NULL, null=True, editable=False, related_name="+")
    kept_until = models.DateTimeField(null=True, editable=False)  # in the trash; null or past: to be erased

    class Meta:
        abstract = True


def deletion(by: User | None, *, at_once: bool = False) -> dict[str, Any]:
    """The columns of a row that is deleted now: into the trash, or to be erased when there is none."""
    now = read_database_clock()
    return {"deleted_at": now, "deleted_by": by, "kept_until": None if at_once else end_of_trash(now)}


def end_of_trash(since: datetime) -> datetime | None:
    return since + timedelta(days=settings.TRASH_DAYS) if settings.TRASH_DAYS > 0 else None


RESTORED: dict[str, Any] = {"deleted_at": None, "deleted_by": None, "kept_until": None}


def is_erasable() -> Q:
    """Deleted, and not in the trash, or not any more: in the words of an index that what stays in it is not in."""
    over = LessThanOrEqual(Coalesce("kept_until", "deleted_at"), DatabaseNow())
    return Q(deleted_at__isnull=False) & Q(over)


def is_in_trash() -> Q:
    return Q(deleted_at__isnull=False, kept_until__gt=DatabaseNow())
