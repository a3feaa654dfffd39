"""What a question gets when a model, the embeddings or the index fail (RELIABILITY, faults; SPEC §4, fail-safe)."""

import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import pytest

from agents.llm import openai
from agents.llm.limits import CallLimits
from chat.answering import answers
from chat.models import Message, Trace
from retrieval.index.base import IndexUnavailable
from retrieval.spaces import opened
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, ABOUT_NOTHING, Library
from tests.live import Caller, LiveServer, SseEvent, asked, eventually, patience, text_of

pytestmark = pytest.mark.django_db(transaction=True)
UPSTREAM_WORDS = "upstream-secret"


@pytest.fixture
def alicia(server: LiveServer, library: Library) -> Caller:
    return server.by_key(library.alicia)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model's limits in a second or two."""
    short = CallLimits(first_token=2.0, idle=1.0, total=20.0, backoff=0.01)
    monkeypatch.setattr(openai, "CallLimits", lambda: short)


def failed(events: list[SseEvent], code: str) -> Message:
    """Checks that the answer ended with that error, kept what was said, and quotes nothing of the provider."""
    ending = events[-1]
    assert (ending.name, ending.data["code"]) == ("error", code)
    assert set(ending.data) == {"code", "detail", "message"}
    assert ending.data["detail"]
    assert UPSTREAM_WORDS not in ending.data["detail"]
    kept = Message.objects.get(pk=ending.data["message"])
    assert (kept.status, kept.error_code, kept.content) == ("failed", code, text_of(events))
    return kept


# The model


@pytest.mark.parametrize("fault", [{"status": 500}, {"status": 429}, {"hangup": True}, {"end_after": 0}])
def test_a_model_that_fails_before_its_first_token_is_asked_three_times(
    alicia: Caller, chat_model: ModelServer, impatient: None, fault: dict[str, Any]
) -> None:
    chat_model.script(complaint=UPSTREAM_WORDS, **fault)
    events = alicia.answers("writer", ABOUT_LOANS)
    assert failed(events, "model_unavailable").content == ""
    assert asked(chat_model) == 3
    assert events[0].data["sources"], "the sources came first all the same"


def test_a_model_that_recovers_answers(alicia: Caller, chat_model: ModelServer, impatient: None) -> None:
    chat_model.script(status=503, times=2)
    events = alicia.answers("writer", ABOUT_LOANS)
    assert events[-1].data["status"] == "complete"
    assert asked(chat_model) == 3


@pytest.mark.parametrize(("status", "calls"), [(401, 1), (404, 1), (413, 1)])
def test_a_model_that_refuses_is_not_asked_again(
    alicia: Caller, chat_model: ModelServer, status: int, calls: int
) -> None:
    chat_model.script(status=status, complaint=UPSTREAM_WORDS)
    failed(alicia.answers("writer", ABOUT_LOANS), "model_rejected")
    assert asked(chat_model) == calls


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ({"stall_before": 20.0}, "model_timeout"),
        ({"stall_after": 3}, "model_timeout"),
        ({"comments": 0.05}, "model_timeout"),
        ({"reset_after": 3}, "model_interrupted"),
        ({"end_after": 3}, "model_interrupted"),
        ({"error_after": 3}, "model_interrupted"),
    ],
)
def test_what_a_model_said_before_it_failed_is_kept(
    alicia: Caller, chat_model: ModelServer, impatient: None, fault: dict[str, Any], code: str
) -> None:
    chat_model.script(text="uno dos tres cuatro cinco", pace=0.01, **fault)
    events = alicia.answers("writer", ABOUT_LOANS)
    said = failed(events, code).content
    assert said == ("" if "stall_before" in fault or "comments" in fault else "uno dos tres")
    eventually(lambda: chat_model.stats()["active"] == 0, 1.0)


@pytest.mark.parametrize("pace", [0.0, 0.02])
def test_a_model_that_never_ends_is_ended(
    alicia: Caller, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch, library: Library, pace: float
) -> None:
    monkeypatch.setattr(answers, "DEADLINE_SECONDS", 0.5)
    library.writer.max_tokens = 32_000
    library.writer.save()
    chat_model.script(endless=True, pace=pace)
    events = alicia.answers("writer", ABOUT_LOANS)
    if events[-1].name == "error":
        assert failed(events, "model_timeout").content
    else:
        assert pace == 0.0, "a fast one may reach its token cap first"
    eventually(lambda: chat_model.stats()["active"] == 0, 1.0)


def test_a_model_that_ignores_its_token_cap_is_cut(alicia: Caller, chat_model: ModelServer, library: Library) -> None:
    library.writer.max_tokens = 20
    library.writer.save()
    chat_model.script(endless=True)
    events = alicia.answers("writer", ABOUT_LOANS)
    assert events[-1].name == "done"
    assert len(text_of(events).split()) <= 22


def test_a_model_without_a_key_says_what_to_do(alicia: Caller, library: Library) -> None:
    library.writer.model = "anthropic:claude"
    library.writer.save()
    kept = failed(alicia.answers("writer", ABOUT_LOANS), "model_not_configured")
    assert kept.content == ""


def test_without_streaming_a_failed_model_is_a_problem_with_what_it_said(
    alicia: Caller, chat_model: ModelServer, impatient: None
) -> None:
    chat_model.script(text="uno dos tres cuatro", pace=0.01, reset_after=2)
    body = {"messages": [{"role": "user", "content": ABOUT_LOANS}], "stream": False}
    answer = alicia.call("POST", "/api/agents/writer/chat/", body)
    assert (answer.status, answer.body["code"], answer.body["content"]) == (502, "model_interrupted", "uno dos")
    assert Message.objects.get(pk=answer.body["message"]).content == "uno dos"


def test_a_strict_agent_without_sufficient_context_asks_no_model(alicia: Caller, chat_model: ModelServer) -> None:
    events = alicia.answers("researcher", ABOUT_NOTHING)
    assert events[0].data["sufficient"] is False
    assert events[-1].data["status"] == "complete"
    assert "información" in text_of(events)
    assert asked(chat_model) == 0
    assert alicia.answers("researcher", ABOUT_LOANS)[0].data["sufficient"] is True
    assert asked(chat_model) == 1


def test_thoughts_are_not_told_nor_kept(alicia: Caller, chat_model: ModelServer) -> None:
    chat_model.script(text="La respuesta.", thinking="pensamiento secreto " * 20)
    events = alicia.answers("writer", ABOUT_LOANS)
    assert text_of(events) == "La respuesta."
    assert Message.objects.get(role="assistant").content == "La respuesta."


# The embeddings


EMBEDDING_FAULTS: list[dict[str, Any]] = [
    {"status": 500},
    {"status": 429, "retry_after": "30"},
    {"status": 401},
    {"hangup": True},
    {"dims": 7},
    {"nan": True},
    {"drop": 1},
    {"latency": 30.0},
]


@pytest.fixture
def embedded(all_models: ModelServer, library_of_models: Library, server: LiveServer) -> Caller:
    return server.by_key(library_of_models.alicia)


@pytest.fixture
def library_of_models(all_models: ModelServer, request: pytest.FixtureRequest) -> Library:
    """The library, ingested through the fake embeddings."""
    built: Library = request.getfixturevalue("library")
    return built


def test_everything_goes_through_the_model_server(embedded: Caller, all_models: ModelServer) -> None:
    assert all_models.stats()["embed_items"] == 2, "each chunk once"
    events = embedded.answers("writer", ABOUT_LOANS)
    assert events[0].data["sources"]
    assert all_models.stats()["embed_items"] == 3
    assert events[-1].data["usage"]["total_tokens"] > 0
    embedded.answers("writer", ABOUT_LOANS)
    assert all_models.stats()["embed_items"] == 3, "a question is remembered"


@pytest.mark.parametrize("fault", EMBEDDING_FAULTS, ids=lambda fault: "-".join(map(str, fault)))
def test_without_embeddings_words_alone_are_searched_and_the_answer_says_so(
    embedded: Caller, all_models: ModelServer, fault: dict[str, Any]
) -> None:
    all_models.script(path="embeddings", complaint=UPSTREAM_WORDS, **fault)
    started = time.monotonic()
    events = embedded.answers("writer", ABOUT_LOANS)
    assert events[0].at < patience(1.5)
    assert time.monotonic() - started < patience(2.5)
    assert events[0].data["degraded"] == "embedding_unavailable"
    assert events[0].data["sources"], "BM25 needs no model"
    assert events[-1].data["status"] == "complete"
    assert Trace.objects.get().degraded == "embedding_unavailable"


def test_the_breaker_spares_questions_the_wait(embedded: Caller, all_models: ModelServer) -> None:
    all_models.script(path="embeddings", latency=30.0)
    times = [embedded.answers("writer", f"{ABOUT_LOANS} {n}")[0].at for n in range(5)]
    assert all_models.stats()["embeddings_requests"] <= 2 + 3 * 2
    assert min(times[3:]) < patience(0.5)


# The index


@pytest.fixture
def index_down(monkeypatch: pytest.MonkeyPatch) -> None:
    def down(space: Any) -> Any:
        raise IndexUnavailable(UPSTREAM_WORDS)

    monkeypatch.setattr("retrieval.search.index_of", down)


def test_without_the_index_the_answer_has_no_context_and_says_so(
    alicia: Caller, chat_model: ModelServer, index_down: None
) -> None:
    events = alicia.answers("writer", ABOUT_LOANS)
    found = events[0].data
    assert events[0].at < patience(1.5)
    assert (found["degraded"], found["sources"], found["sufficient"]) == ("index_unavailable", [], False)
    assert events[-1].data["status"] == "complete"
    assert Trace.objects.get().degraded == "index_unavailable"
    assert asked(chat_model) == 1


def test_a_strict_agent_without_the_index_refuses(alicia: Caller, chat_model: ModelServer, index_down: None) -> None:
    events = alicia.answers("researcher", ABOUT_LOANS)
    assert events[0].data["degraded"] == "index_unavailable"
    assert events[-1].data["status"] == "complete"
    assert asked(chat_model) == 0


def test_a_qdrant_server_that_is_not_there_costs_a_question_little(
    alicia: Caller, chat_model: ModelServer, settings: Any
) -> None:
    opened.close()
    settings.QDRANT_URL = "http://127.0.0.1:9"
    try:
        for _ in range(3):
            events = alicia.answers("writer", ABOUT_LOANS)
            assert events[0].data["degraded"] == "index_unavailable"
            assert events[0].at < patience(1.5)
    finally:
        settings.QDRANT_URL = ""


# The database


def test_a_database_that_is_down_is_a_503_and_retrieves_nothing(
    alicia: Caller, monkeypatch: pytest.MonkeyPatch, chat_model: ModelServer
) -> None:
    from django.db import OperationalError

    from agents.models import Agent

    def down(*_: Any) -> Any:
        raise OperationalError("connection refused")

    monkeypatch.setattr(Agent, "scope_for", down)
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        assert (stream.status, stream.problem()["code"]) == (503, "database_unavailable")
    assert asked(chat_model) == 0


def test_an_answer_is_stored_when_the_database_is_back(alicia: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    from django.db import OperationalError

    from chat.answering import records

    close, failures = records.close_answer, iter([OperationalError("restart")] * 2)

    def flaky(*args: Any) -> None:
        for failure in failures:
            raise failure
        close(*args)

    monkeypatch.setattr(records, "close_answer", flaky)
    events = alicia.answers("writer", ABOUT_LOANS)
    assert events[-1].data["status"] == "complete"
    assert Message.objects.get(role="assistant").content == text_of(events)


@pytest.fixture
def silent_qdrant(settings: Any) -> Iterator[None]:
    """A server that takes connections and never answers. Importing its client, 0.7 s, belongs to a process's start."""
    import_module("qdrant_client")
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listener:
        opened.close()
        settings.QDRANT_URL = f"http://127.0.0.1:{listener.getsockname()[1]}"
        yield
        opened.close()
        settings.QDRANT_URL = ""


def test_a_qdrant_server_that_does_not_answer_costs_a_question_little(
    alicia: Caller, chat_model: ModelServer, silent_qdrant: None
) -> None:
    with ThreadPoolExecutor(4) as threads:
        at_once = list(threads.map(lambda _: alicia.answers("writer", ABOUT_LOANS), range(4)))
    assert all(events[0].data["degraded"] == "index_unavailable" for events in at_once)
    assert max(events[0].at for events in at_once) < patience(1.5)
    later = alicia.answers("writer", ABOUT_LOANS)
    assert later[0].at < patience(0.5), "the breaker is open"
