"""Evaluation took its tables over from `workers`: what was measured before is still there."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from accounts.models import Organization
from accounts.tenancy.owner import as_owner

BEFORE = [("evaluation", None), ("workers", "0001_question_sets")]


@pytest.fixture
def before(transactional_db: None) -> Iterator[MigrationExecutor]:
    with as_owner():
        latest = MigrationExecutor(connection).loader.graph.leaf_nodes()
        executor = MigrationExecutor(connection)
        executor.migrate(BEFORE)
        yield executor
        MigrationExecutor(connection).migrate(latest)
        call_command("flush", interactive=False, verbosity=0)  # makes the content types anew; other tests keep them


def test_question_sets_questions_and_runs_survive_the_move(before: MigrationExecutor) -> None:
    old = before.loader.project_state(BEFORE[1:]).apps
    organization = Organization.objects.create(name="Liceo", slug="liceo")
    sets = old.get_model("workers", "QuestionSet").objects
    questions = sets.create(organization_id=organization.pk, name="Examen")
    asked = old.get_model("workers", "Question").objects.create(question_set=questions, text="¿Qué es un átomo?")
    run = old.get_model("workers", "EvaluationRun").objects.create(question_set=questions)
    content_type = old.get_model("contenttypes", "ContentType").objects.create(app_label="workers", model="question")

    MigrationExecutor(connection).migrate(MigrationExecutor(connection).loader.graph.leaf_nodes("evaluation"))

    from django.contrib.contenttypes.models import ContentType

    from evaluation.models import EvaluationRun, Question

    assert Question.objects.get().pk == asked.pk
    assert Question.objects.get().question_set.name == "Examen"
    assert EvaluationRun.objects.get().pk == run.pk
    assert ContentType.objects.get(pk=content_type.pk).app_label == "evaluation"
