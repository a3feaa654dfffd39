from django.db import migrations, models

from accounts.tenancy.postgresql.online import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False  # documents are written meanwhile

    dependencies = [("corpora", "0018_moved_documents")]

    operations = [
        AddIndexOnline(
            model_name="document",
            index=models.Index(
                condition=models.Q(("moved_from__isnull", False)),
                fields=["moved_from", "moved_at"],
                name="document_moved",
            ),
        ),
    ]
