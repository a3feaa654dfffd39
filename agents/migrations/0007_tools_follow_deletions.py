from django.db import migrations

from accounts.tenancy.postgresql.following import FollowInDatabase


class Migration(migrations.Migration):
    """By itself: the keys are made at the end of the migration before."""

    dependencies = [
        ("agents", "0006_foreign_tools"),
    ]

    operations = [
        FollowInDatabase("ReachableTool", "agent", "tool", "created_by"),
    ]
