"""Answers that end early: stopped, abandoned, or read by somebody who reads no more (RELIABILITY, faults; R3)."""

import asyncio
import http.client
import json
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from asgiref.sync import async_to_sync
from django.utils import timezone

from chat.answering import answers, inquiry
from chat.answering.admission import Admission, Asking
from chat.answering.questions import ChatQuestion
from chat.models import Message
from chat.stream import keeping, live
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, Library
from tests.limits import limit
from tests.live import Caller, LiveServer, Stream, eventually, text_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alicia(server: LiveServer, library: Library) -> Caller:
    return server.by_key(library.alicia)


@pytest.fixture
def talkative(chat_model: ModelServer) -> ModelServer:
    """A model that speaks for ever, a word every 20 ms."""
    chat_model.script(endless=True, pace=0.02)
    return chat_model


def message(stream: Stream) -> UUID:
    return UUID(stream.until("sources").data["message"])


def status_of(pk: UUID) -> str:
    return str(Message.objects.values_list("status", flat=True).get(pk=pk))


def idle(model: ModelServer) -> bool:
    return model.stats()["active"] == 0


def test_hanging_up_ends_the_models_stream_and_keeps_what_was_said(alicia: Caller, talkative: ModelServer) -> None:
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        pk = message(stream)
        said = "".join(stream.until("token").data["token"] for _ in range(3))
    assert eventually(lambda: idle(talkative), 1.0) < 5
    eventually(lambda: status_of(pk) == "stopped", 1.0)
    assert Message.objects.get(pk=pk).content.startswith(said)
    assert talkative.stats()["aborted"] == 1


def test_hanging_up_while_the_model_is_silent_ends_its_stream_too(alicia: Caller, chat_model: ModelServer) -> None:
    chat_model.script(stall_before=30.0)
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        pk = message(stream)
        eventually(lambda: not idle(chat_model))
    eventually(lambda: idle(chat_model), 1.0)
    eventually(lambda: status_of(pk) == "stopped", 1.0)
    assert Message.objects.get(pk=pk).content == ""


def test_a_stopped_answer_ends_with_done_and_keeps_what_was_said(alicia: Caller, talkative: ModelServer) -> None:
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        pk = message(stream)
        stream.until("token")
        asked = time.monotonic()
        answer = alicia.call("POST", f"/api/messages/{pk}/stop/")
        assert (answer.status, answer.body) == (202, {"message": str(pk)})
        done = stream.until("done")
        assert time.monotonic() - asked < 5
    assert done.data["status"] == "stopped"
    kept = Message.objects.get(pk=pk)
    assert (kept.status, kept.error_code) == ("stopped", "")
    assert kept.content
    assert kept.stop_requested_at is not None
    eventually(lambda: idle(talkative), 1.0)


def test_a_silent_model_is_stopped_at_once(alicia: Caller, chat_model: ModelServer) -> None:
    chat_model.script(stall_after=2)
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        pk = message(stream)
        stream.until("token")
        alicia.call("POST", f"/api/messages/{pk}/stop/")
        assert stream.until("done").data["status"] == "stopped"
    eventually(lambda: idle(chat_model), 1.0)


def test_stopping_twice_is_stopping_once(alicia: Caller, talkative: ModelServer) -> None:
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        pk = message(stream)
        stream.until("token")
        for _ in range(5):
            live.stop(pk)
        assert alicia.call("POST", f"/api/messages/{pk}/stop/").status == 202
        events = list(stream)
    assert events[-1].name == "done"
    assert status_of(pk) == "stopped"


def test_stopping_what_has_ended_changes_nothing(alicia: Caller) -> None:
    pk = alicia.answers("writer", ABOUT_LOANS)[-1].data["message"]
    assert alicia.call("POST", f"/api/messages/{pk}/stop/").status == 202
    kept = Message.objects.get(pk=pk)
    assert (kept.status, kept.stop_requested_at) == ("complete", None)


def test_a_stop_that_comes_while_the_answer_is_stored_does_not_undo_it(
    alicia: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = Admission._store

    async def stopped_meanwhile(admission: Admission) -> None:
        live.stop(admission.message)
        await asyncio.sleep(0.05)
        await stored(admission)

    monkeypatch.setattr(Admission, "_store", stopped_meanwhile)
    events = alicia.answers("writer", ABOUT_LOANS)
    assert (events[-1].name, events[-1].data["status"]) == ("done", "complete")
    assert status_of(events[-1].data["message"]) == "complete"


def test_only_the_asker_stops_an_answer(
    alicia: Caller, server: LiveServer, library: Library, talkative: ModelServer
) -> None:
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        pk = message(stream)
        others = (server.by_key(one) for one in (library.bob, library.admin, library.carla))
        answers = [other.call("POST", f"/api/messages/{pk}/stop/") for other in others]
        answers.append(alicia.call("POST", f"/api/messages/{uuid4()}/stop/"))
        assert {answer.status for answer in answers} == {404}
        assert all(answer.body == answers[0].body for answer in answers)
        assert server.anonymous().call("POST", f"/api/messages/{pk}/stop/").status == 401
        stream.until("token")
    assert Message.objects.get(pk=pk).stop_requested_at is None


def test_a_question_cannot_be_stopped(alicia: Caller) -> None:
    alicia.answers("writer", ABOUT_LOANS)
    question = Message.objects.get(role="user")
    assert alicia.call("POST", f"/api/messages/{question.pk}/stop/").status == 404


def test_a_session_stops_only_with_a_csrf_token(server: LiveServer, library: Library, talkative: ModelServer) -> None:
    page = server.by_session(library.alicia)
    with page.ask("writer", ABOUT_LOANS) as stream:
        pk = message(stream)
        token = page.headers.pop("X-CSRFToken")
        assert page.call("POST", f"/api/messages/{pk}/stop/").status == 403
        page.headers["X-CSRFToken"] = token
        assert page.call("POST", f"/api/messages/{pk}/stop/").status == 202
        assert stream.until("done").data["status"] == "stopped"


def test_a_stop_that_another_process_took_is_seen_in_the_database(alicia: Caller, talkative: ModelServer) -> None:
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        pk = message(stream)
        stream.until("token")
        Message.objects.filter(pk=pk).update(stop_requested_at="2026-01-01T00:00Z")
        assert stream.until("done").data["status"] == "stopped"
    eventually(lambda: not live._live)


def test_an_answer_that_is_not_streamed_can_be_stopped(alicia: Caller, talkative: ModelServer) -> None:
    answers = []
    body = {"messages": [{"role": "user", "content": ABOUT_LOANS}], "stream": False}
    asking = threading.Thread(target=lambda: answers.append(alicia.call("POST", "/api/agents/writer/chat/", body)))
    asking.start()
    eventually(lambda: talkative.stats()["tokens"] > 3)
    alicia.call("POST", f"/api/messages/{Message.objects.get(role='assistant').pk}/stop/")
    asking.join(10)
    assert answers[0].status == 200
    assert answers[0].body["content"]


def sockets_to(port: int) -> int:
    """Established connections to a port of this machine, as Linux lists them; 0 where it does not."""
    table = Path("/proc/net/tcp")
    rows = [line.split() for line in table.read_text().splitlines()[1:]] if table.exists() else []
    return sum(1 for row in rows if row[2].endswith(f":{port:04X}") and row[3] == "01")


def test_two_hundred_who_leave_leak_nothing(
    alicia: Caller, server: LiveServer, talkative: ModelServer, settings: Any
) -> None:
    limit(settings, streams=300)
    alicia.call("GET", "/api/agents/")
    tasks = server.tasks()
    streams: list[Stream] = []
    askers = [threading.Thread(target=lambda: streams.append(alicia.ask("writer", ABOUT_LOANS))) for _ in range(200)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join(30)
    assert len(streams) == 200
    for n, stream in enumerate(streams):
        stream.until("token" if n % 2 else "sources")
        stream.close()
    left = (
        lambda: idle(talkative),
        lambda: not Message.objects.filter(status="streaming").exists(),
        lambda: server.tasks() <= tasks,
        lambda: server.connections() == 0,
        lambda: sockets_to(int(talkative.url.rsplit(":", 1)[1])) == 0,
    )
    for is_gone in left:  # how soon one is let go of is another test's
        eventually(is_gone, 10.0)
    assert not live._live
    assert Message.objects.filter(role="assistant", status="stopped").count() == 200
    assert talkative.stats()["aborted"] >= 100, "those that the model had begun to answer"


@pytest.fixture
def slow_retrieval(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Retrieval takes 0.4 s; the event is set when one has begun."""
    begun, retrieve = threading.Event(), inquiry.aretrieve

    async def slowly(*args: Any) -> Any:
        begun.set()
        await asyncio.sleep(0.4)
        return await retrieve(*args)

    monkeypatch.setattr(inquiry, "aretrieve", slowly)
    return begun


def request_and_hang_up(caller: Caller, when: Callable[[], object]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", caller.port)
    body = json.dumps({"messages": [{"role": "user", "content": ABOUT_LOANS}]})
    connection.request("POST", "/api/agents/writer/chat/", body, {"Content-Type": "application/json", **caller.headers})
    when()
    connection.close()


def test_hanging_up_during_retrieval_ends_an_api_clients_answer(
    server: LiveServer, library: Library, settings: Any, slow_retrieval: threading.Event
) -> None:
    limit(settings, streams=1)
    alicia = server.by_key(library.alicia)
    request_and_hang_up(alicia, lambda: slow_retrieval.wait(10))
    eventually(lambda: Message.objects.filter(role="assistant", status="stopped").exists(), 1.0)
    eventually(lambda: not live._live)
    assert alicia.answers("writer", ABOUT_LOANS)[-1].name == "done"


def test_hanging_up_during_retrieval_leaves_a_pages_answer_to_be_found(
    server: LiveServer, library: Library, slow_retrieval: threading.Event
) -> None:
    page = server.by_session(library.alicia)
    request_and_hang_up(page, lambda: slow_retrieval.wait(10))
    answer = Message.objects.get(role="assistant")
    assert (answer.status, answer.conversation.messages.get(role="user").content) == ("streaming", ABOUT_LOANS)
    with page.follow(answer.pk) as stream:
        events = list(stream)
    assert (events[0].name, events[-1].data["status"]) == ("sources", "complete")
    assert status_of(answer.pk) == "complete"


def test_an_answer_that_nobody_comes_to_read_is_closed(
    library: Library, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "UNREAD_SECONDS", 0.05)
    monkeypatch.setattr(keeping, "TICK_SECONDS", 0.05)
    chat_model.script(endless=True, pace=0.02)

    async def ask_and_forget() -> UUID:
        asking = Asking(library.alicia, "writer", ChatQuestion(ABOUT_LOANS))
        admission, _ = await answers.ask(asking, goes_on=False)
        await asyncio.gather(*answers._under_way)
        return admission.message

    assert status_of(async_to_sync(ask_and_forget)()) == "stopped"
    assert not live._live


def test_running_answers_are_looked_after_whatever_went_wrong_once(
    alicia: Caller, talkative: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    wishes, errors = keeping.wishes, iter([RuntimeError("can't start new thread")])

    def fail_once() -> keeping.Wishes:
        for error in errors:
            raise error
        return wishes()

    monkeypatch.setattr(keeping, "wishes", fail_once)
    monkeypatch.setattr(keeping, "TICK_SECONDS", 0.05)
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        pk = message(stream)
        eventually(lambda: next(errors, None) is None)
        Message.objects.filter(pk=pk).update(stop_requested_at=timezone.now())  # as another process takes it
        assert stream.until("done").data["status"] == "stopped"


def test_a_reader_that_stops_reading_is_let_go(
    alicia: Caller,
    library: Library,
    server: LiveServer,
    chat_model: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live, "STALLED_SECONDS", 0.3)
    monkeypatch.setattr(keeping, "TICK_SECONDS", 0.1)
    library.writer.max_tokens = 32_000
    library.writer.save()
    chat_model.script(text=f"{'x' * 2_000} " * 4_000, pace=0.001)
    server.narrow_sockets(16_384)
    connection = http.client.HTTPConnection("127.0.0.1", alicia.port, timeout=10)
    connection.sock = socket.socket()
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
    connection.sock.connect(("127.0.0.1", alicia.port))
    body = json.dumps({"messages": [{"role": "user", "content": ABOUT_LOANS}]})
    connection.request("POST", "/api/agents/writer/chat/", body, {"Content-Type": "application/json", **alicia.headers})
    eventually(lambda: Message.objects.filter(role="assistant", status="stopped").exists())
    assert 0 < len(Message.objects.get(role="assistant").content) < 8_000_000
    eventually(lambda: idle(chat_model), 1.0)
    connection.close()
    eventually(lambda: server.connections() == 0)


def test_a_slow_reader_gets_everything(alicia: Caller, chat_model: ModelServer) -> None:
    words = [f"palabra{n}" for n in range(400)]
    chat_model.script(text=" ".join(words))
    with alicia.ask("writer", ABOUT_LOANS) as stream:
        events = []
        for n, event in enumerate(stream):
            events.append(event)
            if n % 20 == 0:
                time.sleep(0.01)
    assert text_of(events).split() == words
    assert events[-1].data["status"] == "complete"
