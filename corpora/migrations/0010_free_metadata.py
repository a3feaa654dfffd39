from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpora", "0009_chunk_parts")]

    operations = [
        migrations.AddField("document", "meta", models.JSONField(blank=True, default=dict, verbose_name="free metadata")),
    ]
