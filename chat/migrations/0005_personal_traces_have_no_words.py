from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """By itself: PostgreSQL changes no table whose rows were changed in the same transaction."""

    dependencies = [
        ("chat", "0004_words_of_personal_searches"),
    ]

    operations = [
        migrations.AddConstraint(
            model_name="trace",
            constraint=models.CheckConstraint(
                condition=Q(is_personal=False) | Q(query="", condensed_query=""),
                name="personal_trace_without_words",
            ),
        ),
    ]
