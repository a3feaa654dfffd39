"""The receipt of an erasure, and the names of what it counts."""

from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import Identified, Organization

# Beside the models' own names: what an erasure removes that is no row, or no longer one of its own.
COUNTED = (
    _("points"), _("files"), _("page images"), _("texts"), _("embeddings"), _("snippets"), _("condensed questions"),
    _("replies"), _("log entries"), _("exports"), _("names in sources"), _("citations"), _("question sets"),
)  # fmt: skip


class ErasureReceipt(Identified):
    """Proof that something left nothing behind: what was counted and removed (SPEC §3). Ids and numbers, no text.

    It outlives what it speaks of, an organization too: none of its ids is held by a foreign key. Open while the
    erasure of something that holds documents goes on; its counts grow with what is removed, in one transaction.
    """

    class Kind(models.TextChoices):
        DOCUMENT = "document", _("document")
        CORPUS = "corpus", _("corpus")
        USER = "user", _("user")
        ORGANIZATION = "organization", _("organization")

    kind = models.CharField(_("kind"), max_length=12, choices=Kind, default=Kind.DOCUMENT)
    subject_id = models.UUIDField(_("id"))
    organization = models.ForeignKey(
        Organization,
        models.DO_NOTHING,
        null=True,
        db_constraint=False,
        related_name="+",
        verbose_name=_("organization"),
    )
    owner_id = models.UUIDField(null=True, help_text="whose personal thing it was: only they see the receipt")
    requested_by = models.UUIDField(_("asked for by"), null=True)
    requested_at = models.DateTimeField(_("asked for"), null=True)
    finished_at = models.DateTimeField(_("erased"), null=True)
    verified = models.BooleanField(
        _("verified"), default=False, help_text=_("counted again afterwards: nothing was left")
    )
    removed = models.JSONField(_("removed"), default=dict, help_text="counts by kind; ids and text are gone")

    class Meta:
        verbose_name = _("erasure receipt")
        verbose_name_plural = _("erasure receipts")
        ordering = ("-created_at",)
        constraints = (
            models.UniqueConstraint(
                fields=("kind", "subject_id"), condition=models.Q(finished_at=None), name="one_open_receipt"
            ),
        )
        indexes = (models.Index(fields=("organization", "owner_id", "-created_at"), name="receipt_of_owner"),)

    def __str__(self) -> str:
        return f"{self.get_kind_display()} {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def counts(self) -> list[tuple[str, int]]:
        """What was removed, in the reader's language, without what there was none of."""
        return [(gettext(name), count) for name, count in self.removed.items() if count]
