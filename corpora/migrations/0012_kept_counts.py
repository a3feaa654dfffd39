"""Counts of a corpus's documents, kept. What is there already is counted after the migration, when the triggers are made
(`corpora.rows.counting.triggers`), corpus by corpus, while work goes on."""

import django.db.models.deletion
from django.db import migrations, models

from corpora.rows.counting import triggers


def remove(apps, schema_editor):
    triggers.remove_triggers(schema_editor.connection)



class Migration(migrations.Migration):

    dependencies = [
        ('corpora', '0011_document_names'),
    ]

    operations = [
        migrations.CreateModel(
            name='CorpusCounts',
            fields=[
                ('corpus', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='counts', serialize=False, to='corpora.corpus')),
                ('documents', models.BigIntegerField(default=0)),
                ('chunks', models.BigIntegerField(default=0, help_text='of the versions that readers see')),
                ('busy', models.BigIntegerField(default=0, help_text='documents that wait or are in work')),
                ('failed', models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='MetadataValue',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=20)),
                ('value', models.CharField(max_length=200)),
                ('documents', models.BigIntegerField(default=0)),
                ('corpus', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='metadata_values', to='corpora.corpus')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('corpus', 'name', 'value'), name='metadata_value_once')],
            },
        ),
        migrations.RunPython(migrations.RunPython.noop, remove),
    ]
