"""The names of documents, as hashes. Documents that are there already get theirs from the workers, which copy the
metadata of each once more (`workers.jobs.metadata`)."""

import django.db.models.deletion
from django.db import migrations, models
from django.utils import timezone


def let_workers_name(apps, schema_editor):
    documents = apps.get_model("corpora", "Document").objects.filter(deleted_at=None, version__gt=0)
    documents.update(metadata_changed_at=timezone.now())


class Migration(migrations.Migration):
    dependencies = [
        ("corpora", "0010_free_metadata"),
    ]

    operations = [
        migrations.CreateModel(
            name="DocumentName",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.UUIDField()),
                (
                    "document",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="names", to="corpora.document"
                    ),
                ),
            ],
            options={
                "verbose_name": "name of a document",
                "verbose_name_plural": "names of documents",
                "constraints": [models.UniqueConstraint(fields=("key", "document"), name="document_name_once")],
            },
        ),
        migrations.RunPython(let_workers_name, migrations.RunPython.noop),
    ]
