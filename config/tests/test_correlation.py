"""Ids of requests: taken where they are sane, made where they are not, and told in every answer and line."""

import json
import logging
from collections.abc import Iterator

import pytest

from accounts import problems
from config.observability.correlation import (
    Correlation,
    cause,
    caused_by,
    correlated,
    current_correlation,
    sane_id,
    sane_traceparent,
)
from config.observability.logs import JsonFormatter
from tests import asgi
from tests.live import LiveServer
from tests.people import People

TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.mark.parametrize("said", ["a" * 8, "0af7651916cd43dd8448eb211c80319c", "Proxy_1.2-3456", "Z" * 64])
def test_a_sane_id_is_taken(said: str) -> None:
    assert sane_id(said) == said


@pytest.mark.parametrize(
    "said",
    ["", "short", "a" * 65, "a b c d e f", 'x"}\n{"level":"1', "ключ-ключ", "a" * 8 + "\n", None, 12345678, ["a" * 8]],
)
def test_any_other_is_not(said: object) -> None:
    assert sane_id(said) == ""


@pytest.mark.parametrize(
    "said",
    [
        "",
        None,
        TRACEPARENT.upper(),
        TRACEPARENT.replace("00-", "01-", 1),
        "00-" + "0" * 32 + "-b7ad6b7169203331-01",
        TRACEPARENT + "-x",
        TRACEPARENT[:-1] + "\n",
        TRACEPARENT.replace("-", "_"),
    ],
)
def test_a_traceparent_that_is_none_is_left_out(said: object) -> None:
    assert sane_traceparent(said) == ""


def test_work_that_is_left_to_others_carries_its_cause_and_whoever_takes_it_up_believes_nothing() -> None:
    with correlated(Correlation("request-1", TRACEPARENT)):
        told = json.loads(json.dumps(cause()))
    assert caused_by(told, "workers.work", "t-1") == Correlation("request-1", TRACEPARENT, "workers.work", "t-1")
    assert caused_by({"request_id": "x\ny" * 5, "traceparent": 7}) == Correlation()
    assert cause() == {}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("path", "status"), [("/healthz", 200), ("/api/corpora/", 401), ("/api/agents/tutor/chat/", 401), ("/nowhere", 404)]
)
async def test_every_answer_tells_the_request_s_id(path: str, status: int, people: People) -> None:
    method = "POST" if "chat" in path else "GET"
    answer = await asgi.request(
        method, path, {"X-Request-ID": "proxy-0123456789"}, [b"{}"] if method == "POST" else [b""]
    )
    assert (answer.status, answer.headers["x-request-id"]) == (status, "proxy-0123456789")
    forged = await asgi.request(method, path, {"X-Request-ID": "forged id"}, [b""])
    assert sane_id(forged.headers["x-request-id"])
    assert "forged" not in forged.headers["x-request-id"]


@pytest.fixture
def server() -> Iterator[LiveServer]:
    with LiveServer() as running:
        yield running


@pytest.mark.django_db(transaction=True)
def test_a_problem_names_the_request_that_it_is_an_answer_to(server: LiveServer, people: People) -> None:
    caller = server.by_key(people.alice)
    refused = caller.call("GET", "/api/corpora/00000000-0000-4000-8000-000000000000/", **{"X-Request-ID": "browser-77"})
    assert (refused.status, refused.body["request_id"], refused.headers["x-request-id"]) == (
        404,
        "browser-77",
        "browser-77",
    )
    other = caller.call("POST", "/api/agents/nobody/chat/", {"messages": [{"role": "user", "content": "?"}]})
    assert other.body["request_id"] == other.headers["x-request-id"]


@pytest.mark.django_db(transaction=True)
def test_lines_of_a_request_have_its_id_on_every_thread_and_none_after_it(
    server: LiveServer, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(JsonFormatter().format(record))

    def fails(*_anything: object) -> None:
        logging.getLogger("chat").warning("told on a thread")
        raise problems.NotFound

    monkeypatch.setattr("chat.stream.view.question_of_request", fails)
    kept = Kept()
    logging.getLogger("chat").addHandler(kept)
    try:
        server.by_key(people.alice).call("POST", "/api/agents/tutor/chat/", {}, **{"X-Request-ID": "thread-000001"})
    finally:
        logging.getLogger("chat").removeHandler(kept)
    assert [json.loads(line)["request_id"] for line in lines] == ["thread-000001"]
    assert current_correlation() == Correlation()
