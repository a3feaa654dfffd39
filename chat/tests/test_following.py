"""An answer belongs to its conversation: it goes on without its reader, and any reader finds it again (API.md)."""

import http.client
import socket
import time
from contextlib import ExitStack
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import OperationalError

from chat.answering import records
from chat.models import Message
from chat.stream import elsewhere, keeping, live, view
from chat.stream.numbers import END
from tests.fakes.fixtures import ModelServer
from tests.library import ABOUT_LOANS, Library
from tests.live import Caller, LiveServer, SseEvent, asked, eventually, text_of

pytestmark = pytest.mark.django_db(transaction=True)
WORDS = [f"palabra{n}" for n in range(60)]


@pytest.fixture
def alicia(server: LiveServer, library: Library) -> Caller:
    return server.by_key(library.alicia)


@pytest.fixture
def page(server: LiveServer, library: Library) -> Caller:
    return server.by_session(library.alicia)


@pytest.fixture
def slow(chat_model: ModelServer) -> ModelServer:
    """Sixty words in blocks of ten, one every 20 ms."""
    text = "\n\n".join(" ".join(WORDS[n : n + 10]) for n in range(0, 60, 10))
    chat_model.script(text=text, pace=0.02)
    return chat_model


@pytest.fixture(params=["here", "elsewhere"])
def anywhere(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Followed in the process that writes the answer, and as in another one, where only its row is known."""
    monkeypatch.setattr(keeping, "TICK_SECONDS", 0.05)
    if request.param == "elsewhere":
        monkeypatch.setattr(view, "live_of", lambda message: None)


def row(pk: Any) -> Message:
    return Message.objects.get(pk=pk)


def whole(events: list[SseEvent]) -> list[str]:
    return text_of(events).split()


def leave_after(caller: Caller, tokens: int, **fields: Any) -> list[SseEvent]:
    """The events of an answer up to its reader's leaving."""
    with caller.ask("writer", ABOUT_LOANS, **fields) as stream:
        events: list[SseEvent] = []
        for event in stream:
            events.append(event)
            if sum(one.name == "token" for one in events) == tokens:
                return events
    raise AssertionError("ended before")


@pytest.mark.usefixtures("anywhere")
def test_a_page_that_is_left_finds_its_answer_still_streaming(page: Caller, slow: ModelServer) -> None:
    before = leave_after(page, 5)
    pk = before[0].data["message"]
    assert row(pk).status == "streaming"
    with page.follow(pk, after=before[-1].id) as stream:
        rest = list(stream)
    assert whole([*before, *rest]) == WORDS
    assert (rest[-1].name, rest[-1].data["status"]) == ("done", "complete")
    blocks = [event.data["block"] for event in [*before, *rest] if event.name == "html"]
    assert blocks == list(range(6))
    ids = [event.id for event in [*before, *rest]]
    assert ids == sorted(set(ids))
    assert (row(pk).status, row(pk).content.split()) == ("complete", WORDS)
    assert asked(slow) == 1


@pytest.mark.usefixtures("anywhere")
def test_with_background_an_api_clients_answer_goes_on_too(alicia: Caller, slow: ModelServer) -> None:
    pk = leave_after(alicia, 3, background=True)[0].data["message"]
    with alicia.follow(pk) as stream:
        events = list(stream)
    assert whole(events) == WORDS
    assert "html" not in {event.name for event in events}
    assert row(pk).status == "complete"


@pytest.mark.usefixtures("anywhere")
def test_any_number_of_readers_are_told_the_same(
    page: Caller, alicia: Caller, server: LiveServer, slow: ModelServer
) -> None:
    with page.ask("writer", ABOUT_LOANS) as stream:
        pk = stream.until("sources").data["message"]
        stream.until("token")
        with page.follow(pk) as second, alicia.follow(pk) as third:
            events = [list(second), list(third)]
        list(stream)
    assert whole(events[0]) == whole(events[1]) == WORDS
    assert events[0][0].data == events[1][0].data


def test_what_nobody_listens_to_stops_in_time_and_keeps_what_there_is(
    page: Caller, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "TICK_SECONDS", 0.05)
    monkeypatch.setattr(live, "UNHEARD_SECONDS", 0.5)
    chat_model.script(endless=True, pace=0.02)
    pk = leave_after(page, 3)[0].data["message"]
    left = time.monotonic()
    eventually(lambda: row(pk).status == "stopped")
    assert time.monotonic() - left >= 0.5
    assert row(pk).content
    eventually(lambda: not live._live)
    eventually(lambda: chat_model.stats()["active"] == 0, 1.0)


def test_a_reader_in_another_process_keeps_it_going(
    page: Caller, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "TICK_SECONDS", 0.05)
    monkeypatch.setattr(keeping, "UNHEARD_SECONDS", 0.8)
    monkeypatch.setattr(live, "UNHEARD_SECONDS", 0.8)
    monkeypatch.setattr("chat.stream.elsewhere.SAY_SO", 0.2)
    monkeypatch.setattr(view, "live_of", lambda message: None)
    chat_model.script(endless=True, pace=0.02)
    pk = leave_after(page, 3)[0].data["message"]
    with page.follow(pk) as stream:
        began = time.monotonic()
        while time.monotonic() - began < 2.0:
            stream.until("token")
        assert row(pk).status == "streaming"
    eventually(lambda: row(pk).status == "stopped")


def running_elsewhere(alicia: Caller, content: str) -> UUID:
    """An answer that another process writes and does not end."""
    pk = UUID(alicia.answers("writer", ABOUT_LOANS)[0].data["message"])
    Message.objects.filter(pk=pk).update(status="streaming", writer_seen_at="2999-01-01T00:00Z", content=content)
    return pk


def test_many_readers_of_another_process_look_at_its_answer_as_often_as_one(
    alicia: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    pk, looks, in_thread = running_elsewhere(alicia, "Veintiún días"), list[float](), elsewhere.in_thread

    async def counted(*args: Any) -> Any:
        looks.append(time.monotonic())
        return await in_thread(*args)

    monkeypatch.setattr(elsewhere, "in_thread", counted)
    with ExitStack() as readers:
        streams = [readers.enter_context(alicia.follow(pk)) for _ in range(10)]
        assert [stream.until("token").data["token"] for stream in streams] == ["Veintiún días"] * 10
        began = time.monotonic()
        time.sleep(1.0)
        during = [at for at in looks if at >= began]
        assert 0 < len(during) <= (time.monotonic() - began) / elsewhere.POLL_SECONDS + 1
        Message.objects.filter(pk=pk).update(content="Veintiún días [1].", status="complete")
        assert [text_of(list(stream)) for stream in streams] == [" [1]."] * 10
    eventually(lambda: not elsewhere._mirrors, 1.0)


def test_nobody_looks_at_the_answer_of_another_process_when_its_last_reader_has_left(alicia: Caller) -> None:
    pk = running_elsewhere(alicia, "Veintiún días")
    with alicia.follow(pk) as stream:
        with alicia.follow(pk) as second:
            second.until("token")
        stream.until("token")
    eventually(lambda: not elsewhere._mirrors, 2.0)
    with alicia.follow(pk) as again:
        assert again.until("token").data["token"] == "Veintiún días"


def test_a_reader_of_another_process_that_stops_reading_is_let_go(
    alicia: Caller, server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "STALLED_SECONDS", 0.3)
    pk, at_rest = running_elsewhere(alicia, "palabra " * 500_000), server.tasks()
    server.narrow_sockets(16_384)
    connection = http.client.HTTPConnection("127.0.0.1", alicia.port, timeout=10)
    connection.sock = socket.socket()
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
    connection.sock.connect(("127.0.0.1", alicia.port))
    connection.request("GET", f"/api/messages/{pk}/events/", headers=alicia.headers)
    eventually(lambda: server.tasks() > at_rest + 1)
    eventually(lambda: server.tasks() <= at_rest, 3.0)
    connection.close()
    eventually(lambda: server.connections() == 0)


@pytest.mark.parametrize(("error", "told"), [(OperationalError("away"), "done"), (RuntimeError("a fault"), "error")])
def test_a_database_that_is_away_is_waited_for_and_a_fault_of_ours_ends_it_for_its_readers(
    alicia: Caller, monkeypatch: pytest.MonkeyPatch, error: Exception, told: str
) -> None:
    pk, look = running_elsewhere(alicia, "Veintiún días"), elsewhere.Mirror._look
    Message.objects.filter(pk=pk).update(status="complete")
    errors = iter([error])

    def fail_once(mirror: elsewhere.Mirror) -> elsewhere.Glance:
        for one in errors:
            raise one
        return look(mirror)

    monkeypatch.setattr(elsewhere.Mirror, "_look", fail_once)
    with alicia.follow(pk) as stream:
        assert list(stream)[-1].name == told


def test_a_reader_of_another_process_hears_that_its_connection_lives(
    alicia: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "SILENCE_SECONDS", 0.05)
    pk = running_elsewhere(alicia, "Veintiún días")
    with alicia.follow(pk) as stream:
        stream.until("token")
        time.sleep(0.5)
        Message.objects.filter(pk=pk).update(status="complete")
        list(stream)
        assert stream.comments >= 3


@pytest.mark.usefixtures("anywhere")
def test_a_finished_answer_is_told_again_and_ends(page: Caller, alicia: Caller) -> None:
    first = page.answers("writer", ABOUT_LOANS)
    pk = first[0].data["message"]
    with page.follow(pk) as stream:
        again = list(stream)
    assert text_of(again) == text_of(first)
    assert again[0].data == first[0].data
    assert [e.data for e in again if e.name == "html"] == [e.data for e in first if e.name == "html"]
    assert {**again[-1].data, "usage": {}} == {**first[-1].data, "usage": {}}
    with alicia.follow(pk, after=again[-1].id) as stream:
        assert (stream.status, list(stream)) == (200, [])
    middle = next(event for event in first if event.name == "token")
    with alicia.follow(pk, after=middle.id) as stream:
        rest = list(stream)
    assert middle.data["token"] + text_of(rest) == text_of(first)
    assert [event.name for event in rest][-1] == "done"
    assert rest[-1].id == END


def test_only_ones_own_answers_are_followed(server: LiveServer, library: Library, alicia: Caller) -> None:
    pk = alicia.answers("writer", ABOUT_LOANS)[0].data["message"]
    question = Message.objects.get(role="user").pk
    callers = [server.by_key(one) for one in (library.bob, library.admin, library.carla)]
    path = "/api/messages/{}/events/"
    refused = [caller.call("GET", path.format(pk)) for caller in callers]
    refused += [alicia.call("GET", path.format(other)) for other in (uuid4(), question)]
    assert {answer.status for answer in refused} == {404}
    assert all(answer.body == refused[0].body for answer in refused)
    assert server.anonymous().call("GET", path.format(pk)).status == 401
    assert alicia.call("POST", f"/api/messages/{pk}/events/").status == 405


@pytest.mark.usefixtures("anywhere")
def test_an_answer_is_followed_from_before_its_sources_are_found(
    page: Caller, chat_model: ModelServer, library: Library
) -> None:
    library.writer.expand_queries = True
    library.writer.save()
    chat_model.script(path="chat", text="Veintiún días [1].")
    chat_model.script(path="chat", stall_before=1.0, json_answer={"question": "", "phrasings": []}, times=1)
    with page.ask("writer", ABOUT_LOANS) as stream:
        pk = stream.headers["x-message"]
        assert (row(pk).status, row(pk).content) == ("streaming", "")
        conversation = page.call("GET", f"/api/conversations/{row(pk).conversation_id}/").body
        assert [one["content"] for one in conversation["messages"]] == [ABOUT_LOANS, ""]
        with page.follow(pk) as second:
            events = list(second)
        assert text_of(events) == text_of(list(stream)) == "Veintiún días [1]."


def test_what_was_written_is_kept_while_it_is_written(
    page: Caller, slow: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with page.ask("writer", ABOUT_LOANS) as stream:
        pk = stream.until("sources").data["message"]
        monkeypatch.setattr(keeping, "TICK_SECONDS", 0.05)
        eventually(lambda: row(pk).content.startswith("palabra0"), 2.5)
        assert (row(pk).status, row(pk).attempt) == ("streaming", 1)
        list(stream)


@pytest.mark.parametrize("content", ["", "Lo que había llegado"])
def test_an_answer_whose_writer_died_is_broken_off_for_every_reader(page: Caller, alicia: Caller, content: str) -> None:
    pk = UUID(alicia.answers("writer", ABOUT_LOANS)[0].data["message"])
    dead = {"status": "streaming", "writer_seen_at": "2026-01-01T00:00Z", "content": content}
    Message.objects.filter(pk=pk).update(**dead)
    with page.follow(pk) as stream:
        events = list(stream)
    assert (events[-1].name, events[-1].data["code"], text_of(events)) == ("error", "interrupted", content)
    assert events[-1].data["detail"]
    shown = page.call("GET", f"/api/conversations/{row(pk).conversation_id}/").body["messages"][-1]
    assert (shown["status"], shown["error_code"], shown["content"]) == ("failed", "interrupted", content)
    assert keeping.close_interrupted() == 1
    assert (row(pk).status, row(pk).error_code, row(pk).content) == ("failed", "interrupted", content)
    assert keeping.close_interrupted() == 0


@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_a_writer_that_was_only_cut_off_from_the_database_still_keeps_its_answer(
    page: Caller, slow: ModelServer, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    """Also when its sources were not stored yet."""
    keep = records.keep_sources

    def late(*args: Any) -> None:
        time.sleep(seconds)
        keep(*args)

    monkeypatch.setattr(records, "keep_sources", late)
    slow.script(text=" ".join(WORDS), pace=0.05)  # it must still be writing when it is closed
    with page.ask("writer", ABOUT_LOANS) as stream:
        pk = stream.until("sources").data["message"]
        stream.until("token")
        assert Message.objects.streaming().filter(pk=pk).update(status="failed", error_code="interrupted")
        list(stream)
    assert (row(pk).status, row(pk).error_code, row(pk).content.split()) == ("complete", "", WORDS)
    assert row(pk).citations.count() > 0


def test_an_answer_that_is_deleted_while_it_is_written_ends(
    page: Caller, chat_model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would go on at the model's price, beside the limit of answers at once."""
    monkeypatch.setattr(keeping, "TICK_SECONDS", 0.05)
    chat_model.script(endless=True, pace=0.02)
    with page.ask("writer", ABOUT_LOANS) as stream:
        conversation = stream.until("sources").data["conversation"]
        stream.until("token")
        assert page.call("DELETE", f"/api/conversations/{conversation}/").status == 204
        eventually(lambda: chat_model.stats()["active"] == 0)


def test_what_a_model_says_with_nul_is_kept_without(alicia: Caller, chat_model: ModelServer) -> None:
    chat_model.script(text="Veintiún\0 días.")
    events = alicia.answers("writer", ABOUT_LOANS)
    assert text_of(events) == "Veintiún días."
    assert row(events[-1].data["message"]).content == "Veintiún días."
