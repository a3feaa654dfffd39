from django.db import migrations

from accounts.tenancy.postgresql.following import FollowInDatabase


class Migration(migrations.Migration):
    """By itself: the keys are made at the end of the migration before."""

    dependencies = [
        ("webhooks", "0001_webhooks"),
    ]

    operations = [
        FollowInDatabase("Webhook", "organization"),
        FollowInDatabase("Delivery", "webhook"),
        FollowInDatabase("DeliveryAttempt", "delivery"),
    ]
