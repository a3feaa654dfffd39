from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpora", "0015_courses")]

    operations = [
        migrations.AddField("document", "title_guessed", models.BooleanField(default=False, editable=False, null=True)),
    ]
