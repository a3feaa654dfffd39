from django.db import migrations, models

from accounts.tenancy.postgresql.online import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False  # indexes that are made while everybody goes on writing

    dependencies = [
        ('accounts', '0005_row_level_security'),
    ]

    operations = [
        AddIndexOnline(
            model_name='auditevent',
            index=models.Index(fields=['organization', 'created_at'], name='audit_of_organization'),
        ),
        AddIndexOnline(
            model_name='idempotentreply',
            index=models.Index(fields=['created_at'], name='idempotent_reply_created'),
        ),
    ]
