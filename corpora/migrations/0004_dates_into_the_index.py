"""The date of a source is in the index's payload now: have it written there for what was indexed before."""

from django.db import migrations
from django.utils import timezone


def mark_dated_documents(apps, schema_editor):
    dated = apps.get_model("corpora", "Document").objects.exclude(source_date=None).filter(deleted_at=None)
    dated.update(metadata_changed_at=timezone.now())


class Migration(migrations.Migration):
    dependencies = [("corpora", "0003_fair_queue")]

    operations = [migrations.RunPython(mark_dated_documents, migrations.RunPython.noop)]
