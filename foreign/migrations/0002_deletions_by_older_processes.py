from django.db import migrations

from accounts.tenancy.postgresql.following import FollowInDatabase


class Migration(migrations.Migration):
    """By itself: the keys are made at the end of the migration before."""

    dependencies = [
        ("foreign", "0001_tool_servers"),
    ]

    operations = [
        FollowInDatabase("ToolServer", "organization"),
        FollowInDatabase("ForeignTool", "server"),
    ]
