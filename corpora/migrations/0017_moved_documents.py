from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpora", "0016_guessed_titles")]

    operations = [
        migrations.AddField("document", "moved_at", models.DateTimeField(editable=False, null=True)),
        migrations.AddField("document", "moved_from", models.UUIDField(editable=False, null=True)),
    ]
