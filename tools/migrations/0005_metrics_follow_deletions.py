from django.db import migrations

from accounts.tenancy.postgresql.following import FollowInDatabase


class Migration(migrations.Migration):
    """By itself: the keys are made at the end of the migration before."""

    dependencies = [
        ("tools", "0004_metrics"),
    ]

    operations = [
        FollowInDatabase("Metric", "table"),
        FollowInDatabase("Dimension", "table"),
    ]
