"""Addresses that nobody has proven go, and sessions of which it is not known whose browser they are in.

Until 0.1.0 anybody could put any address beside their own in django-allauth's table, which sign-in and resets looked
at. Now both look at `User.email` alone, which stays, and the table is empty for good. Sessions begin anew, because
those of before are in no list from which their user could end them.
"""

from django.db import migrations


def forget_addresses_and_sessions(apps, schema_editor):
    apps.get_model('account', 'EmailAddress').objects.all().delete()
    apps.get_model('sessions', 'Session').objects.all().delete()


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0002_sessions_keys_and_second_factors'),
        ('account', '0009_emailaddress_unique_primary_email'),
        ('sessions', '0001_initial'),
    ]

    operations = [
        migrations.RunPython(forget_addresses_and_sessions, migrations.RunPython.noop),
    ]
