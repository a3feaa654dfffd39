"""The tables of evaluation, taken over from `workers` with their rows."""

import uuid

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


def take_over_content_types(apps, schema_editor):
    """What refers to a model by name (the admin's log) follows it into its new app."""
    content_types = apps.get_model("contenttypes", "ContentType").objects
    for model in ("questionset", "question", "evaluationrun"):
        content_types.filter(app_label="evaluation", model=model).delete()
        content_types.filter(app_label="workers", model=model).update(app_label="evaluation")


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0001_initial"),
        ("chat", "0002_confidence_and_evaluation"),
        ("contenttypes", "0002_remove_content_type_name"),
        ("corpora", "0002_confidence_and_evaluation"),
        ("workers", "0002_hand_over_evaluation"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(state_operations=[
            migrations.CreateModel(
                name='QuestionSet',
                fields=[
                    ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='created')),
                    ('name', models.CharField(max_length=150, verbose_name='name')),
                    ('corpus', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='question_sets', to='corpora.corpus')),
                    ('organization', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='question_sets', to='accounts.organization')),
                ],
                options={
                    'verbose_name': 'question set',
                    'verbose_name_plural': 'question sets',
                    'ordering': ('name', 'pk'),
                },
            ),
            migrations.CreateModel(
                name='Question',
                fields=[
                    ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='created')),
                    ('text', models.TextField(max_length=8000, verbose_name='question')),
                    ('relevant', models.JSONField(blank=True, default=list, help_text='document ids', verbose_name='relevant documents')),
                    ('spans', models.JSONField(blank=True, default=list, help_text='[[document id, start, end], …]', verbose_name='spans')),
                    ('note', models.TextField(blank=True, max_length=2000, verbose_name='note')),
                    ('message', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='chat.message')),
                    ('question_set', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='questions', to='evaluation.questionset')),
                ],
                options={
                    'verbose_name': 'question',
                    'verbose_name_plural': 'questions',
                    'ordering': ('created_at', 'pk'),
                },
            ),
            migrations.CreateModel(
                name='EvaluationRun',
                fields=[
                    ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                    ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, verbose_name='created')),
                    ('dataset', models.CharField(blank=True, max_length=150, verbose_name='data set')),
                    ('configuration', models.JSONField(default=dict)),
                    ('measures', models.JSONField(default=dict)),
                    ('question_set', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='runs', to='evaluation.questionset')),
                ],
                options={
                    'verbose_name': 'evaluation run',
                    'verbose_name_plural': 'evaluation runs',
                    'ordering': ('-created_at', '-pk'),
                },
            ),
            migrations.AddConstraint(
                model_name='questionset',
                constraint=models.UniqueConstraint(fields=('organization', 'name'), name='question_set_name_in_organization'),
            ),
        ]),
        migrations.RunPython(take_over_content_types, migrations.RunPython.noop),
    ]
