import accounts.models
import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0006_indexes_of_upkeep'),
    ]

    operations = [
        migrations.AddField(
            model_name='organization',
            name='audit_kept_days',
            field=models.PositiveSmallIntegerField(blank=True, help_text='Empty: as the installation keeps it.', null=True, validators=[accounts.models.keeps_audit_long_enough], verbose_name='the audit log is kept for (days)'),
        ),
        migrations.AddField(
            model_name='organization',
            name='traces_kept_days',
            field=models.PositiveSmallIntegerField(blank=True, help_text='Traces: what was searched, found and spent. Empty: as the installation keeps them.', null=True, validators=[django.core.validators.MinValueValidator(30)], verbose_name='records of answers are kept for (days)'),
        ),
    ]
