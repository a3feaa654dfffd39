from django.db import migrations

from accounts.tenancy.postgresql.following import FollowInDatabase


class Migration(migrations.Migration):
    """By itself: the keys are made at the end of the migration before."""

    dependencies = [
        ("sign_on", "0001_sign_on"),
    ]

    operations = [
        FollowInDatabase("IdentityProvider", "organization"),
        FollowInDatabase("MailDomain", "organization"),
        FollowInDatabase("ProvidedIdentity", "organization"),
        FollowInDatabase("ProvidedIdentity", "user"),
    ]
