"""What an older process deletes takes along what only this release knows of it."""

from django.db import migrations

from accounts.tenancy.postgresql.following import FollowInDatabase


class Migration(migrations.Migration):
    dependencies = [
        ("chat", "0017_tables_of_answers"),
    ]

    operations = [
        FollowInDatabase("AnswerTable", "message"),
    ]
