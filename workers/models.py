"""What the workers keep for themselves."""

from django.db import models


class Claim(models.Model):
    """Work that only one process may do at a time, or not too often: periodic jobs, visits of a folder."""

    name = models.CharField(max_length=200, primary_key=True)
    holder = models.UUIDField(null=True)
    expires_at = models.DateTimeField(null=True)
    began_at = models.DateTimeField(null=True)
    noted = models.BigIntegerField(null=True, help_text="what the job remembers for its next time")

    def __str__(self) -> str:
        return self.name
