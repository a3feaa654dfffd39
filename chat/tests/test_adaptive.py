"""The adaptive loop against a scripted model server: every path it can take (issue 3; adaptive-retrieval.es.md)."""

import time
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.db import InterfaceError, OperationalError

from accounts.tenancy.scope import system_scope
from chat.answering import adaptive
from chat.answering.inquiry import Inquiry
from chat.answering.judging import evaluator
from chat.models import Citation, Message, Trace
from corpora.models import Chunk, Document
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, ABOUT_NOTHING, Library
from tests.live import Caller, LiveServer, SseEvent, asked, eventually

pytestmark = pytest.mark.django_db(transaction=True)

GOOD = {"faithfulness": 0.9, "context_precision": 0.8, "context_recall": 0.7}
LOW_RECALL = {**GOOD, "context_recall": 0.2}
LOW_PRECISION = {**GOOD, "context_precision": 0.3}
JUDGE = "fake-judge"


@pytest.fixture
def library(adaptive_library: Library) -> Library:
    """The writer is judged by a model of another name."""
    adaptive_library.writer.evaluator_model = JUDGE
    adaptive_library.writer.save()
    return adaptive_library


@pytest.fixture
def alicia(server: LiveServer, library: Library) -> Caller:
    return server.by_key(library.alicia)


def verdicts(model: ModelServer, *said: Any) -> None:
    """What the judge says, in this order; the latest script counts first."""
    for one in reversed(said):
        model.script(path="chat", match=JUDGE, json_answer=one, times=1)


def answers(model: ModelServer, *texts: str) -> None:
    for text in reversed(texts):
        model.script(path="chat", text=text, times=1)


def story(events: list[SseEvent]) -> list[Any]:
    """Sources and tokens as (name, attempt), each run once; the stages with their sizes."""
    told: list[Any] = []
    for event in events:
        if event.name == "status":
            step: Any = (event.data["stage"], event.data["attempt"], event.data.get("granularity"))
        elif event.name in ("sources", "token"):
            step = (event.name, event.data["attempt"])
        else:
            step = event.name
        if not told or told[-1] != step:
            told.append(step)
    return told


def shown(events: list[SseEvent]) -> str:
    """What a client shows: a new attempt replaces the tokens of the one before."""
    attempt, text = 0, ""
    for event in events:
        if event.name == "token":
            text = (text if event.data["attempt"] == attempt else "") + event.data["token"]
            attempt = event.data["attempt"]
    return text


def attempts() -> list[dict[str, Any]]:
    kept: list[dict[str, Any]] = Trace.objects.get().attempts
    return kept


def test_a_good_answer_is_accepted_at_once(alicia: Caller, chat_model: ModelServer) -> None:
    verdicts(chat_model, GOOD)
    events = alicia.answers("writer", ABOUT_LOANS)
    assert story(events) == [
        ("sources", 1), ("generating", 1, None), ("token", 1), ("evaluating", 1, None), "done",
    ]  # fmt: skip
    evaluation = events[-1].data["evaluation"]
    assert {name: evaluation[name] for name in GOOD} == GOOD
    assert (evaluation["attempt"], evaluation["attempts"], evaluation["granularity"]) == (1, 1, 512)
    assert [one["decision"] for one in attempts()] == ["accepted"]
    assert asked(chat_model) == 2


@pytest.mark.parametrize(("fault", "size"), [(LOW_RECALL, 1024), (LOW_PRECISION, 256)])
def test_a_poor_answer_is_tried_again_at_the_size_that_its_fault_asks_for(
    alicia: Caller, chat_model: ModelServer, fault: dict[str, float], size: int
) -> None:
    answers(chat_model, "Primera respuesta [1].", "Segunda respuesta [1].")
    verdicts(chat_model, fault, GOOD)
    events = alicia.answers("writer", ABOUT_LOANS)
    assert story(events) == [
        ("sources", 1), ("generating", 1, None), ("token", 1), ("evaluating", 1, None), ("retrying", 2, size),
        ("sources", 2), ("generating", 2, None), ("token", 2), ("evaluating", 2, None), "done",
    ]  # fmt: skip
    assert shown(events) == "Segunda respuesta [1]."
    kept = Message.objects.get(role="assistant")
    assert (kept.content, kept.status) == ("Segunda respuesta [1].", "complete")
    assert [(one["granularity"], one["kept"]) for one in attempts()] == [(512, False), (size, True)]
    second = next(event for event in events if event.name == "sources" and event.data["attempt"] == 2)
    told = [str(one.chunk_id) for one in Citation.objects.filter(message=kept)]
    assert told == [source["chunk"] for source in second.data["sources"]]
    assert {Chunk.objects.get(pk=chunk).granularity for chunk in told} == {size}
    assert {*told} <= {one["chunk"] for one in Trace.objects.get().candidates if one["kept"]}


def test_after_three_attempts_the_last_stands_if_none_was_better(alicia: Caller, chat_model: ModelServer) -> None:
    verdicts(chat_model, LOW_RECALL, LOW_RECALL, LOW_RECALL)
    events = alicia.answers("writer", ABOUT_LOANS)
    assert [step for step in story(events) if step[0] == "retrying"] == [("retrying", 2, 1024), ("retrying", 3, 1024)]
    assert [one["decision"] for one in attempts()] == ["low_recall", "low_recall", "attempts_used"]
    assert [one["breadth"] for one in attempts()] == [1.0, 1.0, 2.0]
    assert events[-1].data["evaluation"]["attempt"] == 3
    assert asked(chat_model) == 6


def test_the_best_attempt_is_kept_and_told_again_when_a_later_one_was_worse(
    alicia: Caller, chat_model: ModelServer
) -> None:
    answers(chat_model, "La mejor [1].", "Peor.", "La peor.")
    verdicts(chat_model, LOW_RECALL, {**LOW_RECALL, "faithfulness": 0.1}, {**LOW_RECALL, "faithfulness": 0.0})
    events = alicia.answers("writer", ABOUT_LOANS)
    assert story(events)[-3:] == [("sources", 4), ("token", 4), "done"]
    assert shown(events) == "La mejor [1]."
    assert (events[-1].data["evaluation"]["attempt"], events[-1].data["cited"]) == (1, [1])
    assert Message.objects.get(role="assistant").content == "La mejor [1]."
    assert [one["kept"] for one in attempts()] == [True, False, False]


@pytest.mark.parametrize(
    "broken",
    [
        {"status": 500},
        {"json_answer": "no lo sé"},
        {"json_answer": {"faithfulness": "mucha"}},
        {"json_answer": {**GOOD, "context_recall": 7}},
        {"json_answer": {**GOOD, "faithfulness": None}},
    ],
)
def test_a_broken_judge_leaves_the_answer_as_it_is(
    alicia: Caller, chat_model: ModelServer, broken: dict[str, Any]
) -> None:
    chat_model.script(path="chat", match=JUDGE, **broken)
    events = alicia.answers("writer", ABOUT_LOANS)
    assert events[-1].data["status"] == "complete"
    assert "evaluation" not in events[-1].data
    assert [(one["fault"], one["metrics"]) for one in attempts()] == [("evaluator_failed", None)]


def test_a_judge_that_is_too_slow_is_not_waited_for(
    alicia: Caller, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluator, "SECONDS", 0.3)
    chat_model.script(path="chat", match=JUDGE, stall_before=30)
    began = time.monotonic()
    events = alicia.answers("writer", ABOUT_LOANS)
    assert time.monotonic() - began < 10
    assert (events[-1].data["status"], attempts()[0]["fault"]) == ("complete", "evaluator_failed")
    eventually(lambda: chat_model.stats()["active"] == 0, 1.0)


def test_a_further_attempt_is_given_up_at_the_deadline(
    alicia: Caller, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adaptive, "DEADLINE_SECONDS", 1.5)
    chat_model.script(path="chat", match="fake", endless=True, pace=0.02)
    answers(chat_model, "Primera respuesta [1].")
    verdicts(chat_model, LOW_RECALL)
    events = alicia.answers("writer", ABOUT_LOANS)
    assert shown(events) == "Primera respuesta [1]."
    assert events[-1].data["status"] == "complete"
    assert [(one["kept"], one["fault"]) for one in attempts()] == [(True, ""), (False, "model_timeout")]
    eventually(lambda: chat_model.stats()["active"] == 0, 1.0)


def test_a_model_that_fails_in_a_further_attempt_costs_only_that(alicia: Caller, chat_model: ModelServer) -> None:
    chat_model.script(path="chat", match="fake", status=400)
    answers(chat_model, "Primera respuesta [1].")
    verdicts(chat_model, LOW_RECALL)
    events = alicia.answers("writer", ABOUT_LOANS)
    assert (shown(events), events[-1].data["status"]) == ("Primera respuesta [1].", "complete")
    assert attempts()[1]["fault"] == "model_rejected"


def test_stopping_while_it_is_judged_keeps_the_answer(alicia: Caller, chat_model: ModelServer) -> None:
    chat_model.script(path="chat", match=JUDGE, stall_before=30)
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        message = stream.until("sources").data["message"]
        while stream.until("status").data["stage"] != "evaluating":
            pass
        eventually(lambda: chat_model.stats()["active"] == 1)
        assert alicia.call("POST", f"/api/messages/{message}/stop/").status == 202
        ending = stream.until("done")
    assert ending.data["status"] == "stopped"
    kept = Message.objects.get(pk=message)
    assert (kept.status, bool(kept.content)) == ("stopped", True)
    eventually(lambda: chat_model.stats()["active"] == 0, 1.0)


def test_leaving_during_a_further_attempt_keeps_the_whole_one(alicia: Caller, chat_model: ModelServer) -> None:
    chat_model.script(path="chat", match="fake", text="Segunda", endless=True, pace=0.02)
    answers(chat_model, "Primera respuesta [1].")
    verdicts(chat_model, LOW_RECALL)
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        message = stream.until("sources").data["message"]
        while stream.until("token").data["attempt"] != 2:
            pass
    eventually(lambda: Message.objects.get(pk=message).status == "stopped")
    assert Message.objects.get(pk=message).content == "Primera respuesta [1]."
    eventually(lambda: chat_model.stats()["active"] == 0, 1.0)


def test_taking_the_corpus_back_counts_for_the_next_attempt(
    alicia: Caller, chat_model: ModelServer, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = adaptive.search_again

    async def taken_back(*args: Any) -> Any:
        from asgiref.sync import sync_to_async

        with system_scope():  # somebody else takes it back: the asker may not
            await sync_to_async(library.writer.assignments.all().delete)()
        return await search(*args)

    monkeypatch.setattr(adaptive, "search_again", taken_back)
    verdicts(chat_model, LOW_RECALL)
    events = alicia.answers("writer", ABOUT_LOANS)
    assert [step[0] for step in story(events)].count("sources") == 1
    assert attempts()[0]["fault"] == "nothing_found"


@pytest.mark.parametrize("error", [OperationalError("away"), InterfaceError("the connection was dropped")])
def test_a_database_that_restarts_between_attempts_costs_only_the_next_one(
    alicia: Caller, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def plan_anew(*_: Any) -> Any:
        raise error

    monkeypatch.setattr(Inquiry, "plan_anew", plan_anew)
    answers(chat_model, "Primera respuesta [1].")
    verdicts(chat_model, LOW_RECALL)
    events = alicia.answers("writer", ABOUT_LOANS)
    assert (shown(events), events[-1].data.get("status")) == ("Primera respuesta [1].", "complete")
    assert (attempts()[0]["fault"], Message.objects.get(role="assistant").status) == ("search_failed", "complete")


def test_without_a_model_or_without_sources_nothing_is_judged(
    alicia: Caller, chat_model: ModelServer, library: Library, settings: Any
) -> None:
    events = alicia.answers("writer", ABOUT_NOTHING)
    assert "evaluating" not in str(story(events))
    library.writer.model, library.writer.evaluator_model = "extractive", ""
    library.writer.save()
    events = alicia.answers("writer", ABOUT_LOANS)
    assert "evaluating" not in str(story(events))
    assert asked(chat_model) == 1


def test_an_openai_client_is_told_only_the_attempt_that_is_kept(alicia: Caller, chat_model: ModelServer) -> None:
    answers(chat_model, "Primera [1].", "Segunda [1].")
    verdicts(chat_model, LOW_RECALL, GOOD)
    body = {"model": "writer", "messages": [{"role": "user", "content": ABOUT_LOANS}], "stream": True}
    answer = alicia.call("POST", "/v1/chat/completions", body)
    assert "Segunda" in str(answer.body)
    assert "Primera" not in str(answer.body)


def test_the_terminal_is_told_only_the_attempt_that_is_kept(library: Library, chat_model: ModelServer) -> None:
    answers(chat_model, "Primera [1].", "Segunda [1].")
    verdicts(chat_model, LOW_RECALL, GOOD)
    out = StringIO()
    call_command("ask", "writer", ABOUT_LOANS, user=library.alicia.user.email, stdout=out)
    assert "Segunda" in out.getvalue()
    assert "Primera" not in out.getvalue()


def test_one_object_holds_the_attempt_that_is_kept(alicia: Caller, chat_model: ModelServer) -> None:
    answers(chat_model, "Primera [1].", "Segunda [1].")
    verdicts(chat_model, LOW_PRECISION, GOOD)
    question = {"messages": [{"role": "user", "content": ABOUT_LOANS}], "stream": False}
    body = alicia.call("POST", "/api/agents/writer/chat/", question).body
    assert body["content"] == "Segunda [1]."
    assert body["evaluation"]["attempts"] == 2


def test_usage_and_cost_count_every_call(alicia: Caller, chat_model: ModelServer, settings: Any) -> None:
    settings.MODEL_PRICES = {"fake": [1.0, 2.0], JUDGE: [3.0, 4.0]}
    verdicts(chat_model, LOW_RECALL, GOOD)
    done = alicia.answers("writer", ABOUT_LOANS)[-1].data
    trace = Trace.objects.get()
    purposes = trace.usage
    assert set(purposes) == {"answer", "evaluation"}
    assert done["usage"]["prompt_tokens"] == sum(one["prompt_tokens"] for one in purposes.values())
    expected = (
        purposes["answer"]["prompt_tokens"]
        + 2 * purposes["answer"]["completion_tokens"]
        + 3 * purposes["evaluation"]["prompt_tokens"]
        + 4 * purposes["evaluation"]["completion_tokens"]
    )
    assert float(trace.cost) == pytest.approx(expected / 1e6, abs=1e-6)
    settings.MODEL_PRICES = {"fake": [1.0, 2.0]}
    verdicts(chat_model, GOOD)
    alicia.answers("writer", ABOUT_LOANS)
    assert Trace.objects.order_by("created_at").last().cost is None, "the judge's price is not known"


def test_until_every_document_is_cut_the_size_that_all_have_is_searched(
    alicia: Caller, chat_model: ModelServer, library: Library
) -> None:
    Chunk.objects.filter(document=Document.objects.get(corpus=library.notes), granularity=512).delete()
    verdicts(chat_model, GOOD)
    events = alicia.answers("writer", ABOUT_LOANS)
    assert events[-1].data["evaluation"]["granularity"] == 800
