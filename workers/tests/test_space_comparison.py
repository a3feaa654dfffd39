"""Before a switch both spaces are asked what the installation knows the answers to."""

import logging
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from evaluation.measuring import Scores
from evaluation.models import EvaluationRun, Question, QuestionSet
from retrieval.spaces import registry
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, Library
from workers.tests.test_space_change import LEXICAL, SMALL, model, other_model, states
from workers.upkeep import space_comparison
from workers.upkeep.space_change import advance
from workers.upkeep.space_comparison import Compared, loss
from workers.upkeep.space_filling import fill

__all__ = ["model", "other_model"]
pytestmark = pytest.mark.django_db(transaction=True)


def scores(questions: int, hit: float, ndcg: float) -> Scores:
    return Scores("s", "default", "space", questions, 1, 1, {"hit@1": hit, "ndcg@10": ndcg})


@pytest.fixture
def questions(library: Library) -> QuestionSet:
    made = QuestionSet.objects.create(organization=library.admin.organization, corpus=library.loans, name="Préstamos")
    document = library.loans.documents.get()
    for n in range(10):
        Question.objects.create(question_set=made, text=f"{ABOUT_LOANS} ({n})", relevant=[str(document.pk)])
    return made


def test_the_loss_is_that_of_all_questions_in_the_measure_that_loses_most() -> None:
    large = Compared(scores(90, 0.9, 0.9), scores(90, 0.9, 0.8))
    small = Compared(scores(10, 0.5, 0.5), scores(10, 0.9, 0.9))
    assert loss([large, small]) == pytest.approx(0.1 * 0.9 - 0.4 * 0.1)
    assert loss([small]) == pytest.approx(-0.4)
    assert loss([Compared(scores(9, 1.0, 1.0), scores(9, 0.0, 0.0))]) == 0.0, "nine questions are too few"
    assert str(large) == "s (90 questions): hit@1 0.900 → 0.900, ndcg@10 0.900 → 0.800"


def test_a_space_that_answers_as_well_is_switched_to_and_both_measures_are_kept(
    other_model: ModelServer, questions: QuestionSet
) -> None:
    advance()
    assert states() == {LEXICAL: "retired", SMALL: "active"}
    kept = {run.configuration["space"]: run.measures["hit@1"] for run in questions.runs.all()}
    assert kept == {LEXICAL: 1.0, SMALL: 1.0}


def test_a_space_that_is_worse_waits_for_an_operator_and_is_measured_once(
    other_model: ModelServer, questions: QuestionSet, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    measured: list[str] = []

    def worse(space: Any, asked: QuestionSet) -> Scores:
        measured.append(space.collection)
        return scores(10, 1.0 if space.collection == LEXICAL else 0.6, 1.0)

    monkeypatch.setattr(space_comparison, "measure_in", worse)
    with caplog.at_level(logging.ERROR):
        advance()
        advance()
    assert states() == {LEXICAL: "active", SMALL: "filling"}
    assert "worse by 0.400" in caplog.text
    assert measured == [LEXICAL, SMALL]
    assert EvaluationRun.objects.get(dataset=SMALL).measures == {"loss": pytest.approx(0.4)}

    out, err = StringIO(), StringIO()
    call_command("space", "switch", stdout=out, stderr=err)
    assert "hit@1 1.000 → 0.600" in out.getvalue()
    assert "worse by 0.400" in err.getvalue()
    assert states() == {LEXICAL: "retired", SMALL: "active"}


def test_where_a_model_does_not_answer_points_alone_decide(
    other_model: ModelServer, questions: QuestionSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.measuring.PATIENCE", ())
    fill(registry.begin_filling(registry.wanted_space()))
    other_model.script(path="embeddings", status=503)
    assert space_comparison.compare_spaces(registry.active_space(), registry.space_named(SMALL)) == []


def test_without_question_sets_nothing_is_asked(other_model: ModelServer, library: Library) -> None:
    advance()
    assert states() == {LEXICAL: "retired", SMALL: "active"}
    assert not EvaluationRun.objects.exists()
