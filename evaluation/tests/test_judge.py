"""The judge, against a scripted model server: its numbers, its bill, and what it makes of nonsense."""

from decimal import Decimal

import pytest

from corpora.scope import Scope
from evaluation.judge import Bill, Judge
from retrieval.results import RetrievalPolicy
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, Library

GOOD = {"faithfulness": 0.9, "context_precision": 0.5, "context_recall": 1}
pytestmark = pytest.mark.django_db(transaction=True)


def scope_of(library: Library) -> Scope:
    return Scope(library.admin.organization_id, library.admin.user_id, frozenset([library.loans.pk]))


def test_each_question_is_answered_and_judged_and_both_are_billed(library: Library, chat_model: ModelServer) -> None:
    chat_model.script(match="strict-judge", json_answer=GOOD)
    judge = Judge("openai:talker", "openai:strict-judge", price=(Decimal(2), Decimal(8)))
    verdict = judge.judge_all([ABOUT_LOANS, "¿Y las sanciones?"], scope_of(library), RetrievalPolicy())
    assert (verdict.questions, verdict.failed) == (2, 0)
    assert verdict.measures == {"faithfulness": 0.9, "context_precision": 0.5, "context_recall": 1.0}
    assert (verdict.answering.calls, verdict.judging.calls) == (2, 2)
    assert verdict.judging.prompt_tokens > 0
    assert verdict.judging.completion_tokens > 0
    expected = (verdict.judging.prompt_tokens * 2 + verdict.judging.completion_tokens * 8) / Decimal(1_000_000)
    assert verdict.judging.cost == expected
    assert verdict.answering.cost is None, "its price was not told"
    assert verdict.bill["judging"]["cost"] == float(expected)
    asked = [one["body"] for one in chat_model.requests()]
    assert [one["model"] for one in asked] == ["talker", "strict-judge"] * 2
    assert "veintiún días" in asked[1]["messages"][-1]["content"], "the judge sees the passages"


def test_a_verdict_that_is_none_is_counted_billed_and_not_rated(library: Library, chat_model: ModelServer) -> None:
    chat_model.script(match="judge", json_answer=GOOD)
    chat_model.script(match="judge", text="I would say it is fine.", times=1)
    verdict = Judge("openai:talker", "openai:judge").judge_all([ABOUT_LOANS] * 2, scope_of(library), RetrievalPolicy())
    assert (verdict.failed, verdict.measures["faithfulness"], verdict.judging.calls) == (1, 0.9, 2)


def test_a_model_that_refuses_leaves_no_measures(library: Library, chat_model: ModelServer) -> None:
    chat_model.script(match="judge", status=401)
    verdict = Judge("openai:talker", "openai:judge").judge_all([ABOUT_LOANS], scope_of(library), RetrievalPolicy())
    assert (verdict.failed, verdict.measures) == (1, {})


def test_only_the_first_questions_are_judged(library: Library, chat_model: ModelServer) -> None:
    chat_model.script(match="judge", json_answer=GOOD)
    judge = Judge("openai:talker", "openai:judge", most=1)
    assert judge.judge_all([ABOUT_LOANS] * 3, scope_of(library), RetrievalPolicy()).questions == 1


def test_the_extractive_answerer_can_be_judged_too(library: Library, chat_model: ModelServer) -> None:
    chat_model.script(match="judge", json_answer=GOOD)
    verdict = Judge("extractive", "openai:judge").judge_all([ABOUT_LOANS], scope_of(library), RetrievalPolicy())
    assert (verdict.failed, verdict.answering.shown["model"]) == (0, "extractive")


def test_a_bill_without_a_price_has_no_cost() -> None:
    assert Bill("m").cost is None
