"""The daily roll-ups."""

from django.db import models

from accounts.models import Organization, User


class DailyUsage(models.Model):
    """How often something happened in an organization on a day that is over: counts, never anybody's words.

    `measure` says what (`chat.usage.counting`), `value` which of its kinds. `agent` and `user` are of questions alone;
    who is erased leaves the count behind.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    day = models.DateField()
    measure = models.CharField(max_length=12)
    value = models.CharField(max_length=40, blank=True)
    agent = models.ForeignKey("agents.Agent", models.CASCADE, null=True, related_name="+")
    user = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    count = models.PositiveIntegerField()
    cost = models.DecimalField(max_digits=16, decimal_places=6, null=True, help_text="US dollars")

    class Meta:
        app_label = "chat"
        indexes = (
            models.Index(fields=("organization", "day"), name="daily_usage_of_organization"),
            models.Index(fields=("day",), name="daily_usage_day"),
        )

    def __str__(self) -> str:
        return f"{self.day} {self.measure} {self.value}"
