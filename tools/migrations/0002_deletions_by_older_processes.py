from django.db import migrations

from accounts.tenancy.postgresql.following import FollowInDatabase


class Migration(migrations.Migration):
    """By itself: the keys are made at the end of the migration before."""

    dependencies = [
        ("tools", "0001_data_sources"),
    ]

    operations = [
        FollowInDatabase("DataSource", "organization"),
        FollowInDatabase("SourceFile", "source"),
        FollowInDatabase("SourceTable", "source"),
        FollowInDatabase("SourceColumn", "table"),
    ]
