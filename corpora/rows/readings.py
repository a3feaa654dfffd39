"""How far a member has read: one row for each document of a course that was opened."""

from typing import Self

from django.db import models
from django.utils import timezone

from accounts.models import Membership


class UnitReadingQuerySet(models.QuerySet["UnitReading"]):
    def owned_by(self, membership: Membership) -> Self:
        return self.filter(membership=membership)


class UnitReading(models.Model):
    """A member has opened a document of a course; `read_at`: and has come to its end, or said so."""

    membership = models.ForeignKey(Membership, models.CASCADE, related_name="unit_readings")
    document = models.ForeignKey("corpora.Document", models.CASCADE, related_name="unit_readings")
    opened_at = models.DateTimeField(default=timezone.now)
    read_at = models.DateTimeField(null=True)
    objects = UnitReadingQuerySet.as_manager()

    class Meta:
        app_label = "corpora"
        constraints = (models.UniqueConstraint(fields=("membership", "document"), name="unit_reading_once"),)

    def __str__(self) -> str:
        return f"{self.membership_id} {self.document_id}"
