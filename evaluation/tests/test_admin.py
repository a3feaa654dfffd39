"""The admin's pages of question sets: making them, choosing truth, running, comparing, and who may not."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from chat.models import Message
from evaluation import runs
from evaluation.admin.presets import COMPARED, MEASURED
from evaluation.configurations import configuration, parse_configurations
from evaluation.models import EvaluationRun, Question, QuestionSet
from evaluation.report import COLUMNS
from evaluation.tests.test_cases import loans, note, rated
from tests import factories
from tests.library import ABOUT_LOANS, Library

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def client(library: Library) -> Client:
    browser = Client()
    browser.force_login(library.admin.user)
    return browser


@pytest.fixture
def questions(library: Library) -> QuestionSet:
    return QuestionSet.objects.create(organization=library.admin.organization, corpus=library.loans, name="Préstamos")


def page(name: str, questions: QuestionSet) -> str:
    return reverse(f"admin:evaluation_set_{name}", args=[questions.pk])


def test_an_admin_makes_a_set_for_a_global_corpus(client: Client, library: Library) -> None:
    add = reverse("admin:evaluation_questionset_add")
    inline = {"questions-TOTAL_FORMS": 0, "questions-INITIAL_FORMS": 0}
    client.post(add, {"name": "Nuevo", "corpus": library.loans.pk, **inline})
    assert QuestionSet.objects.get(name="Nuevo").organization == library.admin.organization
    refused = client.post(add, {"name": "Privado", "corpus": library.notes.pk, **inline})
    assert refused.status_code == 200
    assert not QuestionSet.objects.filter(name="Privado").exists()


def test_a_question_is_added_and_its_truth_chosen_on_the_next_page(
    client: Client, library: Library, questions: QuestionSet
) -> None:
    add = reverse("admin:evaluation_question_add")
    assert "Préstamos" in client.get(add, {"question_set": questions.pk}).content.decode()
    moved = client.post(add, {"question_set": questions.pk, "text": ABOUT_LOANS, "note": ""})
    question = questions.questions.get()
    change = reverse("admin:evaluation_question_change", args=[question.pk])
    assert moved["Location"] == change
    document = loans(library)
    assert str(document.pk) in client.get(change).content.decode(), "offered"
    answered = {"text": ABOUT_LOANS, "documents": [document.pk], "quotes": "veintiún días naturales", "note": ""}
    assert client.post(change, answered).status_code == 302
    question.refresh_from_db()
    assert question.relevant == [str(document.pk)]
    assert question.spans[0][0] == str(document.pk)
    assert "veintiún días naturales" in client.get(change).content.decode()
    client.post(change, {**answered, "note": "looked at again"})
    question.refresh_from_db()
    assert (question.note, question.relevant) == ("looked at again", [str(document.pk)])


def test_a_quote_that_no_document_has_and_a_personal_document_are_refused(
    client: Client, library: Library, questions: QuestionSet
) -> None:
    question = Question.objects.create(question_set=questions, text=ABOUT_LOANS)
    change = reverse("admin:evaluation_question_change", args=[question.pk])
    wrong = client.post(change, {"text": "x", "documents": [loans(library).pk], "quotes": "treinta días", "note": ""})
    assert wrong.status_code == 200
    private = client.post(change, {"text": "x", "documents": [note(library).pk], "quotes": "", "note": ""})
    assert private.status_code == 200
    question.refresh_from_db()
    assert (question.relevant, question.spans) == ([], [])
    assert "novela" not in client.get(change).content.decode().lower()


def test_runs_are_started_plotted_and_listed(client: Client, library: Library, questions: QuestionSet) -> None:
    Question.objects.create(question_set=questions, text=ABOUT_LOANS, relevant=[str(loans(library).pk)])
    started = client.post(
        page("runs", questions), {"configurations": "default, bm25", "measure": "hit@1", "least": "0.9"}
    )
    assert started["Location"] == page("runs", questions)
    waiting = client.get(page("runs", questions)).content.decode()
    assert 'http-equiv="refresh"' in waiting
    assert "<svg" not in waiting.split("<main", 1)[-1] or "polyline" not in waiting
    while runs.run_next_evaluation():
        pass
    shown = client.get(page("runs", questions), {"measure": "ndcg@10"}).content.decode()
    assert shown.count("<polyline") == 4, "two lines, and two in the legend"
    assert 'role="img"' in shown
    assert "1.000" in shown, "the table has the values"
    assert 'http-equiv="refresh"' not in shown


def test_a_run_names_the_ids_that_no_document_has(client: Client, questions: QuestionSet) -> None:
    unknown = {"ids": ["no-such-id"], "questions": 2}
    EvaluationRun.objects.create(question_set=questions, measures={"state": "done", "hit@1": 1.0, "unknown": unknown})
    with override("en"):
        shown = client.get(page("runs", questions), headers={"accept-language": "en"}).content.decode()
    assert "no-such-id" in shown


def test_a_run_at_work_shows_how_far_it_is_and_the_minutes_left(client: Client, questions: QuestionSet) -> None:
    run = runs.create_waiting_run(questions, configuration("default"))
    runs.claim_run(run)
    EvaluationRun.objects.filter(pk=run.pk).update(measures=runs.running_state(10, 100, 60.0))
    assert "10 / 100 · quedan 9 minutos" in client.get(page("runs", questions)).content.decode()


def test_what_is_compared_is_chosen_by_name_and_a_sentence(client: Client, questions: QuestionSet) -> None:
    with override("en"):
        shown = client.get(page("runs", questions), headers={"accept-language": "en"}).content.decode()
    assert "Meaning and words (as now)" in shown
    assert "Finds what says the very words" in shown
    assert shown.index("<summary", shown.index("Expert") - 60) < shown.index('name="configurations"')
    client.post(
        page("runs", questions), {"presets": ["default", "bm25"], "configurations": "hybrid=0.6", "measure": "mrr"}
    )
    assert {one.configuration["name"] for one in EvaluationRun.objects.all()} == {"default", "bm25", "hybrid=0.6"}
    listed = client.get(page("runs", questions), headers={"accept-language": "en"}).content.decode()
    assert "Words alone" in listed.split("<caption", 1)[1]
    assert parse_configurations(",".join(COMPARED))
    assert set(MEASURED) | {"ms"} == set(COLUMNS)


@pytest.mark.parametrize("wrong", ["", "fancy", ",".join(f"hybrid=0.{n}" for n in range(1, 10))])
def test_what_is_no_configuration_is_said_and_nothing_runs(client: Client, questions: QuestionSet, wrong: str) -> None:
    response = client.post(page("runs", questions), {"configurations": wrong, "measure": "hit@1"})
    assert response.status_code == 200
    assert 'role="alert"' in response.content.decode()
    assert not EvaluationRun.objects.exists()


def test_feedback_is_chosen_and_becomes_cases(client: Client, library: Library, questions: QuestionSet) -> None:
    answer = rated(library, library.alicia, ABOUT_LOANS, [loans(library)])
    rated(library, library.alicia, "¿Qué dice mi diario?", [note(library)])
    shown = client.get(page("feedback", questions)).content.decode()
    assert ABOUT_LOANS in shown
    assert "diario" not in shown
    assert library.alicia.user.email not in shown
    assert "Hola, soy yo" not in shown
    client.post(page("feedback", questions), {"answer": [str(answer.pk), "nonsense"]})
    assert questions.questions.get().text == ABOUT_LOANS


def test_too_small_a_corpus_to_make_questions_from_is_a_message(client: Client, questions: QuestionSet) -> None:
    response = client.post(page("sample", questions), follow=True)
    assert response.status_code == 200
    assert not questions.questions.exists()
    assert client.get(page("sample", questions)).status_code == 404


@pytest.mark.parametrize("name", ["runs", "feedback", "sample"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_for_strangers_and_members_a_sets_pages_do_not_exist(
    library: Library, questions: QuestionSet, name: str, method: str
) -> None:
    foreign_admin = factories.MembershipFactory(role="admin", organization=library.carla.organization)
    for member in (library.alicia, foreign_admin):
        browser = Client()
        browser.force_login(member.user)
        asked: Any = getattr(browser, method)
        assert asked(page(name, questions), {"configurations": "default", "measure": "hit@1"}).status_code == 404
    assert getattr(Client(), method)(page(name, questions)).status_code == 302
    assert not EvaluationRun.objects.exists()


def test_a_run_of_the_command_line_is_the_operators_to_see(client: Client) -> None:
    run = EvaluationRun.objects.create(dataset="xquad_es", configuration={"name": "default"}, measures={"hit@1": 0.9})
    change = reverse("admin:evaluation_evaluationrun_change", args=[run.pk])
    assert client.get(change).status_code == 404
    operator = Client()
    operator.force_login(factories.UserFactory(is_superuser=True))
    assert "xquad_es" in operator.get(change).content.decode()
    assert operator.get(reverse("admin:evaluation_evaluationrun_changelist")).status_code == 200


def test_deleting_a_set_tells_what_goes_with_it(client: Client, questions: QuestionSet) -> None:
    Question.objects.create(question_set=questions, text="Secret question")
    delete = reverse("admin:evaluation_questionset_delete", args=[questions.pk])
    assert "Secret question" not in client.get(delete).content.decode()
    client.post(delete, {"post": "yes"})
    assert not QuestionSet.objects.exists()
    assert not Message.objects.filter(rating=-1).exists()
