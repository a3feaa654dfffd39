"""The question set of a question and of a run has a name that is translated; nothing changes in the database."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('evaluation', '0003_cases_of_personal_conversations'),
    ]

    operations = [
        migrations.AlterField(
            model_name='evaluationrun',
            name='question_set',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='evaluation.questionset', verbose_name='question set'),
        ),
        migrations.AlterField(
            model_name='question',
            name='question_set',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='questions', to='evaluation.questionset', verbose_name='question set'),
        ),
    ]
