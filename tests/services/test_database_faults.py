"""PostgreSQL down or restarted: 503 and nothing from memory, streams that end well, a service that comes back."""

import time

import pytest

from tests.fakes.fixtures import ModelServer
from tests.live import Caller, patience, text_of
from tests.services.installation import Background, Installation, Web, indexed, new_corpus, upload, uploaded
from tests.services.servers import wait_until

AGENT = "investigador-tecnico"
QUESTION = "¿Cuánto dura un préstamo?"
LOANS = "# Préstamos\n\nUn préstamo dura veintiún días.\n".encode()


@pytest.fixture(scope="module")
def admin(installation: Installation, web: Web, worker: Background, beat: Background) -> Caller:
    return installation.caller(web)


@pytest.fixture(scope="module")
def corpus(admin: Caller) -> str:
    made = new_corpus(admin, AGENT)
    indexed(admin, uploaded(admin, made, "prestamos.md", LOANS))
    return made


def test_a_stream_outlives_a_restart_of_the_database_and_is_kept(
    admin: Caller, corpus: str, installation: Installation, model: ModelServer
) -> None:
    postgres = installation.services.postgres
    model.script(path="chat", text="palabra " * 60, pace=0.05, times=1)
    with admin.ask(AGENT, QUESTION) as stream:
        message = stream.until("sources").data["message"]
        postgres.stop()
        events = list(stream) if postgres.start() else []
    assert events[-1].data["status"] == "complete"
    assert text_of(events).split() == ["palabra"] * 60
    kept = installation.query("SELECT status, content FROM chat_message WHERE id = %s", message)
    assert kept == [("complete", text_of(events))]


def test_a_stream_that_ends_while_the_database_is_down_is_kept_when_it_is_back(
    admin: Caller, corpus: str, installation: Installation, model: ModelServer
) -> None:
    postgres = installation.services.postgres
    model.script(path="chat", text="palabra " * 20, pace=0.05, times=1)
    with admin.ask(AGENT, QUESTION) as stream:
        message = stream.until("sources").data["message"]
        postgres.stop()
        tokens = [stream.until("token") for _ in range(20)]
        time.sleep(1)  # it has been tried to keep it by now, in vain
        postgres.start()
        assert stream.until("done").data["status"] == "complete"
    assert len(tokens) == 20
    ((status, content),) = installation.query("SELECT status, content FROM chat_message WHERE id = %s", message)
    assert (status, content.split()) == ("complete", ["palabra"] * 20)


def test_without_the_database_every_door_answers_503_and_nothing_is_retrieved(
    admin: Caller, corpus: str, installation: Installation, model: ModelServer
) -> None:
    asked = model.stats().get("chat_requests", 0)
    question = {"messages": [{"role": "user", "content": QUESTION}]}
    postgres = installation.services.postgres
    postgres.stop()
    try:
        started = time.monotonic()
        answers = {
            "chat": admin.call("POST", f"/api/agents/{AGENT}/chat/", question),
            "retrieve": admin.call("POST", f"/api/agents/{AGENT}/retrieve/", {"query": QUESTION}),
            "openai": admin.call("POST", "/v1/chat/completions", {**question, "model": AGENT}),
            "list": admin.call("GET", "/api/corpora/"),
            "upload": upload(admin, corpus, "nada.md", LOANS + b"\n"),
        }
        each = (time.monotonic() - started) / len(answers)
        ready, alive = admin.call("GET", "/readyz"), admin.call("GET", "/healthz")
    finally:
        postgres.start()
    assert {name: answer.status for name, answer in answers.items()} == dict.fromkeys(answers, 503)
    codes = {name: answer.body["code"] for name, answer in answers.items() if name != "openai"}
    assert set(codes.values()) == {"database_unavailable"}
    assert each < patience(6)
    assert (ready.status, ready.body["dependencies"]["database"], alive.status) == (503, "down", 200)
    assert model.stats().get("chat_requests", 0) == asked


def test_a_page_without_the_database_is_503_too(web: Web, installation: Installation) -> None:
    installation.services.postgres.stop()
    try:
        page = Caller(web.port, {"Cookie": "sessionid=somebody"}).call("GET", "/")
    finally:
        installation.services.postgres.start()
    assert page.status == 503


def test_the_service_is_back_soon_after_the_database_is(admin: Caller, corpus: str, installation: Installation) -> None:
    postgres = installation.services.postgres
    postgres.stop()
    try:
        for _ in range(4):  # some 20 s, in which a pool that backs off would learn patience
            assert admin.call("GET", "/api/corpora/").status == 503
    finally:
        postgres.start()
    took = wait_until(lambda: admin.call("GET", "/api/corpora/").status == 200, 20, "the service is back")
    assert took < patience(8)
    indexed(admin, uploaded(admin, corpus, "despues.md", LOANS.replace(b"dura", b"duraba")), 40)
