"""Follow-ups are searched for as questions that stand alone, and never cost an answer (SPEC §4)."""

import json
from typing import Any

import pytest

from accounts import keys
from accounts.models import ApiKey
from chat.answering import condensing
from chat.models import Trace
from tests.factories import ConversationFactory, MessageFactory
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, Library
from tests.live import Caller, LiveServer, asked

pytestmark = pytest.mark.django_db(transaction=True)

FOLLOW_UP = "¿Y cuántas veces se puede renovar?"
ALONE = "¿Cuántas veces se puede renovar el préstamo de un libro?"


@pytest.fixture
def alicia(server: LiveServer, library: Library) -> Caller:
    return server.by_key(library.alicia)


def ask(caller: Caller, text: str = FOLLOW_UP, before: int = 1) -> Any:
    """In a conversation with so many answers, of an agent that reads nobody's own documents."""
    secret = caller.headers["Authorization"].removeprefix("Bearer ")
    member = ApiKey.objects.get(key_hash=keys.digest(secret)).membership
    talk = ConversationFactory(of=member, agent=member.organization.agents.get(slug="researcher"))
    for n in range(before):
        for role in ("user", "assistant"):
            MessageFactory(conversation=talk, role=role, content=f"{ABOUT_LOANS} {n}")
    body = {"messages": [{"role": "user", "content": text}], "conversation": str(talk.pk), "stream": False}
    return caller.call("POST", "/api/agents/researcher/chat/", body).body


def rewritten(model: ModelServer, question: Any = ALONE, phrasings: Any = ()) -> None:
    model.script(path="chat", json_answer={"question": question, "phrasings": list(phrasings)}, times=1)


def trace() -> Trace:
    return Trace.objects.latest("created_at")


def test_a_follow_up_is_searched_for_as_it_stands_alone_and_answered_as_it_was_asked(
    alicia: Caller, chat_model: ModelServer
) -> None:
    rewritten(chat_model)
    answer = ask(alicia)
    assert answer["sources"][0]["title"] == "Préstamos"
    assert (trace().query, trace().condensed_query) == (FOLLOW_UP, ALONE)
    first, second = (one["body"] for one in chat_model.requests() if "messages" in one["body"])
    assert first["response_format"]["type"] == "json_schema"
    assert second["messages"][-1]["content"] == FOLLOW_UP
    assert "rewriting" in trace().usage


def test_the_model_sees_the_last_five_messages_as_data(alicia: Caller, chat_model: ModelServer) -> None:
    rewritten(chat_model)
    ask(alicia, before=6)
    shown = json.loads(chat_model.requests()[0]["body"]["messages"][-1]["content"])
    assert (len(shown["conversation"]), shown["question"]) == (5, FOLLOW_UP)
    assert shown["conversation"][-1]["content"].endswith("5")


def test_a_conversation_that_the_server_keeps_counts_as_well(alicia: Caller, chat_model: ModelServer) -> None:
    first = alicia.answers("researcher", ABOUT_LOANS)
    rewritten(chat_model)
    body = {"messages": [{"role": "user", "content": FOLLOW_UP}], "conversation": first[0].data["conversation"]}
    assert alicia.call("POST", "/api/agents/researcher/chat/", {**body, "stream": False}).status == 200
    assert trace().condensed_query == ALONE


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 500},
        {"json_answer": "¿Qué?"},
        {"json_answer": {"question": ["no", "text"]}},
        {"json_answer": {"question": "x" * 5_000}},
        {"json_answer": {"question": ""}},
        {"stall_before": 30},
    ],
)
def test_whatever_goes_wrong_the_questions_own_words_are_searched(
    alicia: Caller, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch, fault: dict[str, Any]
) -> None:
    monkeypatch.setattr(condensing, "SECONDS", 0.5)
    times = 3 if "status" in fault else 1
    chat_model.script(path="chat", times=times, **fault)
    answer = ask(alicia, ABOUT_LOANS)
    assert answer["sources"][0]["title"] == "Préstamos"
    assert trace().condensed_query == ""


def test_a_first_question_is_not_rewritten(alicia: Caller, chat_model: ModelServer) -> None:
    alicia.answers("writer", ABOUT_LOANS)
    assert asked(chat_model) == 1


def test_condensing_can_be_switched_off(alicia: Caller, chat_model: ModelServer, library: Library) -> None:
    library.researcher.condense = False
    library.researcher.save()
    ask(alicia)
    assert asked(chat_model) == 1


def test_other_phrasings_are_searched_too_where_the_agent_wants_them(
    alicia: Caller, chat_model: ModelServer, library: Library
) -> None:
    library.researcher.expand_queries = True
    library.researcher.save()
    rewritten(chat_model, "otra cosa", [ABOUT_LOANS, "", 7, "¿Plazo de devolución?", "una más"])
    answer = ask(alicia, "¿Cuánto puedo tenerlo en casa?", before=0)
    assert answer["sources"][0]["title"] == "Préstamos"
    assert trace().condensed_query == "", "nothing stood before it"
    assert "other ways to ask" in chat_model.requests()[0]["body"]["messages"][0]["content"]


def test_a_question_is_refused_before_a_model_is_asked(alicia: Caller, chat_model: ModelServer) -> None:
    body = {"messages": [{"role": "user", "content": "a"}] * 2, "conversation": "00000000-0000-4000-8000-000000000000"}
    assert alicia.call("POST", "/api/agents/writer/chat/", body).status == 404
    assert asked(chat_model) == 0
