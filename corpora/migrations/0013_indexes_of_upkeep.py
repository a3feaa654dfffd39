import django.db.models.functions.comparison
from django.conf import settings
from django.db import migrations, models

from accounts.tenancy.postgresql.online import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False  # indexes that are made while everybody goes on writing

    dependencies = [
        ('accounts', '0006_indexes_of_upkeep'),
        ('corpora', '0012_kept_counts'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        AddIndexOnline(
            model_name='corpus',
            index=models.Index(condition=models.Q(('deleted_at__isnull', False)), fields=['deleted_at'], name='corpus_deleted'),
        ),
        AddIndexOnline(
            model_name='document',
            index=models.Index(django.db.models.functions.comparison.Coalesce('kept_until', 'deleted_at'), condition=models.Q(('deleted_at__isnull', False)), name='document_erasure_due'),
        ),
    ]
