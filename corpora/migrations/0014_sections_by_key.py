"""Sections are looked for by their keys in all documents at once: the key comes first, and no condition keeps SQLite
from using the index."""

from django.db import migrations, models

from accounts.tenancy.postgresql.online import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False  # questions go on naming places meanwhile: the new index is there before the old one goes

    dependencies = [
        ('corpora', '0013_indexes_of_upkeep'),
    ]

    operations = [
        AddIndexOnline(
            model_name='section',
            index=models.Index(fields=['key', 'document'], name='section_of_key'),
        ),
        migrations.RemoveIndex(
            model_name='section',
            name='section_by_key',
        ),
    ]
