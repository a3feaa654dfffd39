"""PostgreSQL down or restarted: 503 and nothing from memory, streams that end well, a service that comes back."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.fakes.fixtures import ModelServer
from tests.live import Answer, Caller, patience, text_of
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


def test_a_database_that_says_nothing_is_503_within_seconds_at_every_door_and_soon_back(
    admin: Caller, corpus: str, installation: Installation, web: Web
) -> None:
    """Frozen with the connections that the process keeps, as by a disk that hangs; asked by many at a time."""
    question = {"messages": [{"role": "user", "content": QUESTION}]}
    with_session = Caller(web.port, {"Cookie": "sessionid=somebody"})
    doors: dict[str, Callable[[], Answer]] = {
        "chat": lambda: admin.call("POST", f"/api/agents/{AGENT}/chat/", question),
        "retrieve": lambda: admin.call("POST", f"/api/agents/{AGENT}/retrieve/", {"query": QUESTION}),
        "openai": lambda: admin.call("POST", "/v1/chat/completions", {**question, "model": AGENT}),
        "list": lambda: admin.call("GET", "/api/corpora/"),
        "upload": lambda: upload(admin, corpus, "muda.md", LOANS + b"\nmuda\n"),
        "page": lambda: with_session.call("GET", "/"),
    }
    assert doors["list"]().status == 200  # a connection is kept
    postgres = installation.services.postgres

    def timed(ask: Callable[[], Answer]) -> tuple[int, float]:
        began = time.monotonic()
        return ask().status, time.monotonic() - began

    postgres.freeze()
    try:
        with ThreadPoolExecutor(24) as people:
            asked = {name: [people.submit(timed, ask) for _ in range(4)] for name, ask in doors.items()}
            answers = {name: [one.result() for one in ones] for name, ones in asked.items()}
        again = timed(doors["list"])
    finally:
        postgres.thaw()
    took = wait_until(lambda: doors["list"]().status == 200, 20, "the service is back")
    assert {name: {status for status, _ in ones} for name, ones in answers.items()} == {name: {503} for name in doors}
    assert max(seconds for ones in answers.values() for _, seconds in ones) < patience(6)
    assert (again[0], again[1] < patience(5)) == (503, True)
    assert took < patience(8)
    indexed(admin, uploaded(admin, corpus, "muda.md", LOANS + b"\nmuda\n"), 40)


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


def test_documents_in_work_go_on_within_seconds_after_the_database_is_back(
    admin: Caller, corpus: str, installation: Installation, model: ModelServer
) -> None:
    """Away for longer than a document takes and for less than a lease lasts: nobody waits for the lease's end."""
    model.script(path="embeddings", latency=2.0)
    documents = [uploaded(admin, corpus, f"{n}.md", LOANS + f"\n{n}\n".encode()) for n in range(4)]
    in_work = "SELECT count(*) FROM corpora_document WHERE status = 'processing'"
    wait_until(lambda: installation.query(in_work) != [(0,)], 20, "documents are in work")
    installation.services.postgres.stop()
    time.sleep(6)  # each has been embedded by now, and could not be written
    model.reset()
    installation.services.postgres.start()
    began = time.monotonic()
    for document in documents:
        indexed(admin, document, patience(15))
    assert time.monotonic() - began < patience(15)
