"""What an older process deletes takes along what only this release knows of it."""

from django.db import migrations

from accounts.tenancy.postgresql.following import FollowInDatabase


class Migration(migrations.Migration):
    dependencies = [
        ("corpora", "0016_guessed_titles"),
    ]

    operations = [
        FollowInDatabase("UnitReading", "document", "membership"),
        FollowInDatabase("CorpusCounts", "corpus"),
        FollowInDatabase("MetadataValue", "corpus"),
    ]
