from django.db import migrations
from django.db.models import Q
from django.utils import timezone


def name_again(apps, schema_editor):
    """Documents with headings that ask something are called by these, too: the workers write their names anew, as after
    an edit of their metadata."""
    Document, Section = apps.get_model("corpora", "Document"), apps.get_model("corpora", "Section")
    asks = Q(title__contains="?")
    for word in ("Cómo", "Qué", "Cuándo", "Cuánt", "Dónde", "Quién", "How", "What", "When", "Where", "Who", "Why"):
        asks |= Q(title__contains=word)
    asking = Section.objects.filter(asks).values("document_id")
    Document.objects.filter(id__in=asking, metadata_changed_at=None).update(metadata_changed_at=timezone.now())


class Migration(migrations.Migration):

    dependencies = [
        ("corpora", "0020_document_pictures"),
    ]

    operations = [
        migrations.RunPython(name_again, migrations.RunPython.noop, elidable=True),
    ]
