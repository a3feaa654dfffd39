from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpora", "0019_index_of_moves")]

    operations = [
        migrations.AddField(
            "documenttext",
            "pictures",
            models.JSONField(
                db_default=[],
                default=list,
                help_text="[[character, number, width, height, what is said of it], …]",
            ),
        ),
    ]
