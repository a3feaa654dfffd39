from django.db import migrations

from accounts.tenancy.postgresql.following import FollowInDatabase


class Migration(migrations.Migration):
    """By itself: the keys are made at the end of the migration before."""

    dependencies = [
        ("accounts", "0010_oauth"),
    ]

    operations = [
        FollowInDatabase("OAuthClient", "user"),
        FollowInDatabase("OAuthGrant", "membership", "client"),
        FollowInDatabase("OAuthCode", "user", "application", "grant"),
        FollowInDatabase("OAuthAccessToken", "user", "application", "grant"),
        FollowInDatabase("OAuthRefreshToken", "user", "application", "access_token", "grant"),
    ]
