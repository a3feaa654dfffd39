"""What a user takes along: exports."""

from typing import Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.models import Identified, Membership, Organization, User
from config.concurrency.clock import DatabaseNow


class ExportQuerySet(models.QuerySet["Export"]):
    def owned_by(self, membership: Membership) -> Self:
        return self.filter(organization_id=membership.organization_id, owner_id=membership.user_id)

    def free(self) -> Self:
        """Asked for, not ended, and in nobody's hands."""
        nobody = Q(lease_expires_at=None) | Q(lease_expires_at__lt=DatabaseNow())
        return self.filter(nobody, status__in=(Export.Status.WAITING, Export.Status.RUNNING))


def export_key(export: "Export", _filename: str) -> str:
    return f"exports/{export.pk}/acervo.zip"


class Export(Identified):
    """A ZIP of what is a user's own in an organization, made by the workers and kept for a few days."""

    class Status(models.TextChoices):
        WAITING = "waiting", _("waiting")
        RUNNING = "running", _("being made")
        DONE = "done", _("ready")
        FAILED = "failed", _("failed")

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="exports")
    owner = models.ForeignKey(User, models.CASCADE, related_name="exports")
    language = models.CharField(max_length=10, blank=True, help_text="of who asked for it: its headings are in it")
    status = models.CharField(max_length=10, choices=Status, default=Status.WAITING)
    progress = models.FloatField(default=0.0)
    file = models.FileField(upload_to=export_key, max_length=200, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    expires_at = models.DateTimeField(null=True)
    lease_holder = models.UUIDField(null=True, editable=False)
    lease_expires_at = models.DateTimeField(null=True, editable=False)
    attempts = models.PositiveSmallIntegerField(default=0, editable=False)
    objects = ExportQuerySet.as_manager()

    class Meta:
        app_label = "chat"
        ordering = ("-created_at", "-pk")
        constraints = (
            models.UniqueConstraint(
                fields=("organization", "owner"),
                condition=Q(status__in=("waiting", "running")),
                name="one_export_at_once",
            ),
        )

    def __str__(self) -> str:
        return str(self.pk)

    @property
    def is_open(self) -> bool:
        return self.status in (self.Status.WAITING, self.Status.RUNNING)

    @property
    def is_withdrawn(self) -> bool:
        """Something that it held was erased."""
        return self.status == self.Status.DONE and not self.file
