from django.db import migrations, models


class Migration(migrations.Migration):
    """Nullable: a process of the release before writes rows without it."""

    dependencies = [
        ("chat", "0018_tables_follow_deletions"),
    ]

    operations = [
        migrations.AddField(
            model_name="answertable",
            name="numbers",
            field=models.JSONField(help_text="by name, what was computed of all rows", null=True),
        ),
    ]
