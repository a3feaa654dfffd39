from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpora", "0017_deletions_by_older_processes")]

    operations = [
        migrations.AddField("document", "moved_at", models.DateTimeField(editable=False, null=True)),
        migrations.AddField("document", "moved_from", models.UUIDField(editable=False, null=True)),
    ]
