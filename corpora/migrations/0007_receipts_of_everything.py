"""Receipts of corpora, users and organizations too; no foreign key holds what they outlive."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models
from django.db.models import F

KINDS = [("document", "document"), ("corpus", "corpus"), ("user", "user"), ("organization", "organization")]


def finish_receipts(apps, schema_editor):
    """Until now a receipt was written when its erasure had been verified."""
    apps.get_model("corpora", "ErasureReceipt").objects.update(finished_at=F("created_at"), verified=True)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_initial"),
        ("corpora", "0006_trash"),
    ]

    operations = [
        migrations.RenameField("erasurereceipt", "document_id", "subject_id"),
        migrations.AlterField("erasurereceipt", "subject_id", models.UUIDField(verbose_name="id")),
        migrations.AlterField(
            "erasurereceipt",
            "organization",
            models.ForeignKey(
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="accounts.organization",
                verbose_name="organization",
            ),
        ),
        migrations.AlterField(
            "erasurereceipt",
            "removed",
            models.JSONField(
                default=dict, help_text="counts by kind; ids and text are gone", verbose_name="removed"
            ),
        ),
        migrations.AddField(
            "erasurereceipt",
            "kind",
            models.CharField(choices=KINDS, default="document", max_length=12, verbose_name="kind"),
        ),
        migrations.AddField(
            "erasurereceipt",
            "owner_id",
            models.UUIDField(help_text="whose personal thing it was: only they see the receipt", null=True),
        ),
        migrations.AddField("erasurereceipt", "requested_by", models.UUIDField(null=True, verbose_name="asked for by")),
        migrations.AddField(
            "erasurereceipt", "requested_at", models.DateTimeField(null=True, verbose_name="asked for")
        ),
        migrations.AddField("erasurereceipt", "finished_at", models.DateTimeField(null=True, verbose_name="erased")),
        migrations.AddField(
            "erasurereceipt",
            "verified",
            models.BooleanField(
                default=False, help_text="counted again afterwards: nothing was left", verbose_name="verified"
            ),
        ),
        migrations.RunPython(finish_receipts, migrations.RunPython.noop, elidable=True),
        migrations.AddConstraint(
            "erasurereceipt",
            models.UniqueConstraint(
                condition=models.Q(("finished_at", None)), fields=("kind", "subject_id"), name="one_open_receipt"
            ),
        ),
        migrations.AddIndex(
            "erasurereceipt",
            models.Index(fields=["organization", "owner_id", "-created_at"], name="receipt_of_owner"),
        ),
    ]
