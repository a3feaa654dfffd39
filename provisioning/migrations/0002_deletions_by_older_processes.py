from django.db import migrations

from accounts.tenancy.postgresql.following import FollowInDatabase


class Migration(migrations.Migration):
    """By itself: the keys are made at the end of the migration before."""

    dependencies = [
        ("provisioning", "0001_directory"),
    ]

    operations = [
        FollowInDatabase("DirectoryToken", "organization"),
        FollowInDatabase("DirectoryUser", "organization", "membership"),
        FollowInDatabase("DirectoryGroup", "organization"),
        FollowInDatabase("DirectoryGroup_users", "directorygroup", "directoryuser"),
    ]
