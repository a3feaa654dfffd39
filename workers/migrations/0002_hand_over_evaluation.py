"""Question sets, questions and runs move to the app `evaluation`: the tables are renamed, their rows stay."""

from django.db import migrations

MODELS = ("QuestionSet", "Question", "EvaluationRun")


class Migration(migrations.Migration):
    dependencies = [("workers", "0001_question_sets")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.AlterModelTable(name, f"evaluation_{name.lower()}") for name in MODELS
            ],
            state_operations=[migrations.DeleteModel(name) for name in reversed(MODELS)],
        )
    ]
