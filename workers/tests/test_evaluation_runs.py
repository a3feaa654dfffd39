"""Question sets in the database: their cases, their runs in the background, and what ends a run."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connections
from django.utils import timezone

from accounts.limits.rows import SpendingReservation
from accounts.problems import QuotaExceeded
from corpora import removal
from corpora.models import Corpus
from evaluation import runs
from evaluation.configurations import configuration, parse_configurations
from evaluation.models import EvaluationRun, Question, QuestionSet
from tests import factories
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, LOANS, Library, upload
from tests.limits import limit, reserved, used
from workers.queue import lanes

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def questions(library: Library) -> QuestionSet:
    made = QuestionSet.objects.create(organization=library.admin.organization, corpus=library.loans, name="Préstamos")
    document = library.loans.documents.get()
    start = LOANS.index("veintiún días")
    Question.objects.create(
        question_set=made, text=ABOUT_LOANS, relevant=[str(document.pk)],
        spans=[[str(document.pk), start, start + 13]],
    )  # fmt: skip
    Question.objects.create(question_set=made, text="¿Y esto?", note="no truth yet")
    return made


def work_off(questions: QuestionSet) -> list[EvaluationRun]:
    while runs.run_next_evaluation():
        pass
    return list(questions.runs.order_by("created_at", "pk"))


def test_a_run_waits_is_worked_off_and_keeps_its_configuration_and_measures(
    questions: QuestionSet, library: Library, hints: Any
) -> None:
    runs.start_runs(questions, parse_configurations("default,bm25"), {"hit@1": 0.5}, library.admin)
    assert hints[-1] == "ingestion"
    assert {run.state for run in questions.runs.all()} == {"waiting"}
    default, bm25 = work_off(questions)
    assert (default.configuration["name"], bm25.configuration["name"]) == ("default", "bm25")
    assert default.configuration["space"].startswith("lexical")
    assert default.measures["questions"] == 1, "the one without truth is not measured"
    assert (default.measures["hit@1"], default.measures["answer@1"], default.measures["failed"]) == (1.0, 1.0, [])
    assert default.state == "done"
    before = list(questions.runs.values_list("measures", flat=True))
    assert not runs.run_next_evaluation(), "a second delivery does nothing"
    assert list(questions.runs.values_list("measures", flat=True)) == before


def test_the_ingestion_lane_works_a_set_off(questions: QuestionSet, library: Library) -> None:
    runs.start_runs(questions, parse_configurations("default"), {}, library.admin)
    lanes.drain("ingestion", 5.0)
    assert questions.runs.get().state == "done"


def test_a_run_below_its_threshold_says_which_measure(questions: QuestionSet, library: Library) -> None:
    runs.start_runs(questions, parse_configurations("default"), {"hit@1": 0.9, "token_iou": 0.9}, library.admin)
    (run,) = work_off(questions)
    assert (run.state, run.measures["failed"]) == ("done", ["token_iou"])


def test_what_is_gone_is_no_truth_any_more(questions: QuestionSet, library: Library) -> None:
    removal.remove_document(library.loans.documents.get(), library.admin)
    runs.start_runs(questions, parse_configurations("default"), {}, library.admin)
    (run,) = work_off(questions)
    assert run.state == "failed"
    assert "no question" in run.measures["reason"]


def test_without_the_model_a_run_fails_instead_of_measuring_words_alone(
    questions: QuestionSet, library: Library, all_models: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evaluation.measuring.PATIENCE", ())

    def unreachable(*_: Any) -> Any:
        yield from ()

    monkeypatch.setattr("retrieval.search._embedding", unreachable)
    runs.start_runs(questions, parse_configurations("default"), {}, library.admin)
    (run,) = work_off(questions)
    assert (run.state, run.measures["reason"]) == ("failed", "nothing was measured: embedding_unavailable")


def test_personal_corpora_are_in_no_scope(questions: QuestionSet, library: Library) -> None:
    questions.corpus = None
    scope = runs.scope_of(questions)
    assert (scope.global_ids, scope.personal_ids) == ({library.loans.pk}, frozenset())
    questions.corpus = library.notes  # no form offers it, and still nothing is read
    assert runs.scope_of(questions).is_empty
    note = library.notes.documents.get()
    Question.objects.create(question_set=questions, text="¿Quién es?", relevant=[str(note.pk)])
    assert runs.cases(questions) == []


def test_another_organizations_corpora_are_in_no_scope(questions: QuestionSet, library: Library) -> None:
    foreign = factories.CorpusFactory(shared_in=library.carla.organization)
    questions.corpus = foreign
    assert runs.scope_of(questions).is_empty


def test_a_corpus_that_is_off_is_not_asked(questions: QuestionSet, library: Library) -> None:
    Corpus.objects.filter(pk=library.loans.pk).update(is_active=False)
    assert runs.scope_of(questions).is_empty


def test_a_run_whose_worker_died_is_interrupted_and_taken_up_again(questions: QuestionSet) -> None:
    row = runs.create_waiting_run(questions, configuration("default"))
    row.measures, row.lease_holder = runs.running_state(3, 9), uuid4()
    row.lease_expires_at = timezone.now() + timedelta(seconds=30)
    row.save()
    assert (row.state, runs.run_next_evaluation()) == ("running", False)
    row.lease_expires_at = timezone.now() - timedelta(seconds=1)
    row.save()
    assert row.state == "interrupted"
    (run,) = work_off(questions)
    assert run.state == "done"


def test_a_run_that_somebody_else_has_taken_is_left_alone(questions: QuestionSet) -> None:
    row = runs.create_waiting_run(questions, configuration("default"))
    with ThreadPoolExecutor(10) as threads:
        took = list(threads.map(lambda _: in_a_thread(runs.run_evaluation, row), range(10)))
    assert took.count(True) == 1


def in_a_thread(work: Any, *args: Any) -> Any:
    try:
        return work(*args)
    finally:
        connections.close_all()


def test_a_run_lives_while_it_is_judged(
    questions: QuestionSet, library: Library, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hundred calls of a model pass without a word: nobody takes the run for dead meanwhile."""
    monkeypatch.setattr(runs, "LEASE", timedelta(seconds=0.3))
    monkeypatch.setattr(runs, "HEARTBEAT_SECONDS", 0.05)
    judge_all, seen = runs.Judge.judge_all, []

    def slowly(*args: Any) -> Any:
        time.sleep(0.8)
        seen.append((questions.runs.get().state, runs.free_runs().exists()))
        return judge_all(*args)

    monkeypatch.setattr(runs.Judge, "judge_all", slowly)
    runs.start_runs(questions, parse_configurations("default"), {}, library.admin, "openai:judge")
    (run,) = work_off(questions)
    assert (seen, run.state) == ([("running", False)], "done")


def test_a_run_that_stops_its_worker_each_time_fails(questions: QuestionSet) -> None:
    row = runs.create_waiting_run(questions, configuration("default"))
    EvaluationRun.objects.filter(pk=row.pk).update(attempts=3)
    (run,) = work_off(questions)
    assert (run.state, run.measures["reason"]) == ("failed", runs.INTERRUPTED)


def test_the_organization_with_less_in_work_is_measured_first(questions: QuestionSet, library: Library) -> None:
    ours = [runs.create_waiting_run(questions, configuration("default")) for _ in range(3)]
    other = QuestionSet.objects.create(organization=library.carla.organization, name="Otra")
    theirs = runs.create_waiting_run(other, configuration("default"))
    assert list(runs.due_runs()) == [*ours, theirs]
    EvaluationRun.objects.filter(pk=ours[0].pk).update(lease_expires_at=timezone.now() + timedelta(seconds=9))
    assert list(runs.due_runs()) == [theirs, *ours[1:]]


def test_a_run_reports_how_far_it_is(questions: QuestionSet, library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "REPORTED_EVERY", 1)
    seen: list[Any] = []
    at_work = runs.running_state
    monkeypatch.setattr(runs, "running_state", lambda *now: seen.append(now[:2]) or at_work(*now))
    runs.start_runs(questions, parse_configurations("default"), {}, library.admin)
    work_off(questions)
    assert seen == [(0, 0), (1, 1)]


@pytest.mark.parametrize(("done", "seconds", "left"), [(0, 0.0, None), (10, 60.0, 9), (50, 61.0, 2), (100, 9.0, None)])
def test_a_run_tells_the_minutes_that_are_left(questions: QuestionSet, done: int, seconds: float, left: int) -> None:
    row = runs.create_waiting_run(questions, configuration("default"))
    runs.claim_run(row)
    row.refresh_from_db()
    row.measures = runs.running_state(done, 100, seconds)
    assert row.minutes_left == left


def test_a_run_may_be_judged_and_tells_the_bill(
    questions: QuestionSet, library: Library, chat_model: ModelServer
) -> None:
    verdict = {"faithfulness": 1, "context_precision": 0.5, "context_recall": 0.75}
    chat_model.script(match="judge", json_answer=verdict)
    runs.start_runs(questions, parse_configurations("default"), {"context_recall": 0.9}, library.admin, "openai:judge")
    (run,) = work_off(questions)
    assert (run.measures["faithfulness"], run.measures["failed"]) == (1.0, ["context_recall"])
    assert run.measures["judged"]["judging"]["calls"] == 1
    assert run.measures["judged"]["judging"]["prompt_tokens"] > 0


def test_what_a_judge_spends_is_reserved_for_the_run_and_settled_when_it_ends(
    questions: QuestionSet, library: Library, chat_model: ModelServer, settings: Any
) -> None:
    limit(settings)
    chat_model.script(text='{"faithfulness": 1, "context_precision": 1, "context_recall": 1}')
    (run,) = runs.start_runs(questions, [configuration("default")], {}, library.admin, judge="fake")
    reservation = SpendingReservation.objects.get()
    assert (reservation.pk, reservation.user) == (run.pk, library.admin.user_id)
    (ended,) = work_off(questions)
    bill = ended.measures["judged"]
    billed = sum(
        bill[role][kind] for role in ("answering", "judging") for kind in ("prompt_tokens", "completion_tokens")
    )
    assert 0 < used("tokens_day", library.admin.organization_id) == billed < reservation.tokens
    assert not reserved()
    limit(settings, tokens_month=reservation.tokens, evaluations=5)
    with pytest.raises(QuotaExceeded):
        runs.start_runs(questions, [configuration("default")], {}, library.admin, judge="fake")
    assert questions.runs.count() == 1
    assert used("evaluations", library.admin.user_id) == 0, "a refused one is not counted"


def test_a_document_added_later_is_measured_too(library: Library, questions: QuestionSet, worker: Any) -> None:
    upload(library.loans, library.admin, "otra.md", "# Horario\n\nLa sala abre a las nueve y cierra a las ocho.\n")
    worker()
    later = library.loans.documents.exclude(title="").get(filename="otra.md")
    Question.objects.create(question_set=questions, text="¿A qué hora abre la sala?", relevant=[str(later.pk)])
    runs.start_runs(questions, parse_configurations("default"), {}, library.admin)
    (run,) = work_off(questions)
    assert (run.measures["questions"], run.measures["hit@1"]) == (2, 1.0)
