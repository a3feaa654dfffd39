"""What the limits keep in the database, which alone is shared by all processes and outlives each of them.

Not in the cache: a Redis that is down would lift every limit, or lock everybody out (docs/limits.md).
"""

from decimal import Decimal

from django.core.validators import MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _


class LimitSetting(models.Model):
    """An amount that holds in one organization: what an operator gave it, or what its admins made of that.

    `name` and `per` as `accounts.limits.declared` has them. Admins only lower what each member has; what they set is
    never more than what was given (`accounts.limits.amounts`).
    """

    organization = models.ForeignKey("accounts.Organization", models.CASCADE, related_name="limits")
    name = models.CharField(max_length=20)
    per = models.CharField(max_length=12)
    by_operator = models.BooleanField()
    amount = models.DecimalField(
        _("amount"), max_digits=18, decimal_places=6, validators=[MinValueValidator(Decimal(0))]
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("organization", "name", "per", "by_operator"), name="limit_setting_once"),
        )

    def __str__(self) -> str:
        return f"{self.name} {self.per}"


class LimitUse(models.Model):
    """How much one member, the organization, or an agent has used in one window. `subject` is the user's id, the
    organization's own, or the agent's; `starts` the window's first second."""

    organization = models.ForeignKey("accounts.Organization", models.CASCADE, related_name="+")
    subject = models.UUIDField()
    name = models.CharField(max_length=20)
    starts = models.BigIntegerField()
    used = models.BigIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("organization", "subject", "name", "starts"), name="limit_use_once"),
        )
        indexes = (models.Index(fields=("starts",), name="limit_use_starts"),)

    def __str__(self) -> str:
        return f"{self.name} {self.starts}"


class SpendingReservation(models.Model):
    """The most that something under way may spend. It counts until it is settled, or until it expires because who
    would have settled it has died. Its id is that of what spends: a message, a run, a search."""

    id = models.UUIDField(primary_key=True, editable=False)
    organization = models.ForeignKey("accounts.Organization", models.CASCADE, related_name="+")
    user = models.UUIDField()
    tokens = models.BigIntegerField()
    microdollars = models.BigIntegerField()
    expires_at = models.DateTimeField()

    class Meta:
        indexes = (models.Index(fields=("organization", "expires_at"), name="spending_reservation_open"),)

    def __str__(self) -> str:
        return str(self.pk)
