"""Deleted rows may lie in the trash (`kept_until`); those that were deleted before go on being erased, without it."""

import django.db.models.deletion
import django.db.models.functions.comparison
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("corpora", "0005_remove_error_detail"),
    ]

    operations = [
        *(
            operation
            for model in ("corpus", "document")
            for operation in (
                migrations.AddField(
                    model_name=model,
                    name="deleted_by",
                    field=models.ForeignKey(
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name=model,
                    name="kept_until",
                    field=models.DateTimeField(editable=False, null=True),
                ),
            )
        ),
        migrations.AddField(
            model_name="document",
            name="presence_changed_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.RemoveIndex(model_name="document", name="document_deleted"),
        migrations.AddIndex(
            model_name="document",
            index=models.Index(
                models.F("corpus"),
                django.db.models.functions.comparison.Coalesce("uploaded_by", "corpus"),
                django.db.models.functions.comparison.Coalesce("kept_until", "deleted_at"),
                condition=models.Q(("deleted_at__isnull", False)),
                name="document_erasable",
            ),
        ),
        migrations.AddIndex(
            model_name="document",
            index=models.Index(
                models.F("corpus"),
                django.db.models.functions.comparison.Coalesce("uploaded_by", "corpus"),
                models.F("presence_changed_at"),
                condition=models.Q(("presence_changed_at__isnull", False)),
                name="document_presence_changed",
            ),
        ),
    ]
