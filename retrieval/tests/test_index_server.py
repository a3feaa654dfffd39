"""The server engine at the wire: what it sends, and that a server fails in one way, soon enough.

The server is faked at the HTTP wire only; the client is Qdrant's own.
"""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from uuid import uuid4

import numpy as np
import pytest

from corpora.scope import Scope
from retrieval.filters import search_filter
from retrieval.index import Hit, IndexOutdated, IndexUnavailable, Point
from retrieval.index.base import IndexRefused
from retrieval.index.server import ServerIndex, connect
from retrieval.index.server.batches import BATCH_BYTES, DECIMALS, json_bytes
from retrieval.tests.library import DIMENSIONS, furnished, named, sparse
from retrieval.tests.test_index_contract import WHERES

DENSE = np.ones(DIMENSIONS, dtype=np.float32)
WHERE = WHERES["both tiers"]
DONE = {"result": {"operation_id": 1, "status": "completed"}, "status": "ok"}
FOUND = {"result": [{"points": [{"id": str(named("x")), "version": 1, "score": 0.5}]}] * 2, "status": "ok"}


@dataclass
class Wire:
    """What the fake server was asked, and how it answers next; `silence` in seconds."""

    asked: list[tuple[str, str, Any]] = field(default_factory=list)
    status: int = 200
    body: Any = field(default_factory=lambda: FOUND)
    silence: float = 0.0
    hang_ups: int = 0
    version: str = "1.19.0"
    versions_asked: int = 0
    script: list[int] = field(default_factory=list)  # statuses of the next answers, before `status` holds
    headers: dict[str, str] = field(default_factory=dict)  # of those


def handler(wire: Wire) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            if self.path == "/" and not wire.silence and not wire.hang_ups:
                wire.versions_asked += 1
                return self.say(200, {"title": "qdrant - vector search engine", "version": wire.version})
            content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            wire.asked.append((self.command, self.path, json.loads(content) if content else None))
            time.sleep(wire.silence)
            if wire.hang_ups:
                wire.hang_ups -= 1
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return None
            if wire.script:
                status = wire.script.pop(0)
                return self.say(status, wire.body if status == 200 else {"status": {"error": "busy"}}, wire.headers)
            return self.say(wire.status, wire.body)

        def say(self, status: int, said: Any, headers: dict[str, str] | None = None) -> None:
            body = json.dumps(said).encode()
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_DELETE = answer

        def log_message(self, *_arguments: object) -> None:
            """Quiet."""

    return Handler


def serve(wire: Wire, port: int = 0) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", port), handler(wire))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    return server


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def server(wire: Wire) -> Iterator[ThreadingHTTPServer]:
    running = serve(wire)
    yield running
    running.shutdown()
    running.server_close()


@pytest.fixture
def index(server: ThreadingHTTPServer) -> Iterator[ServerIndex]:
    opened = ServerIndex(connect(f"http://127.0.0.1:{server.server_port}"), "space", DIMENSIONS)
    yield opened
    opened.close()


def search(index: ServerIndex) -> Any:
    return index.search(DENSE, sparse(1, 2), WHERE, 50)


def test_both_legs_go_in_one_request_with_one_filter(index: ServerIndex, wire: Wire) -> None:
    found = search(index)
    assert found.dense == found.sparse == (Hit(named("x"), 0.5),)
    ((method, path, body),) = wire.asked
    assert (method, path.split("?")[0]) == ("POST", "/collections/space/points/query/batch")
    dense, words = body["searches"]
    assert (dense["using"], words["using"]) == ("dense", "bm25")
    assert dense["filter"] == words["filter"] == words["params"]["idf"]["corpus"]
    assert dense["limit"] == words["limit"] == 50


def test_the_filter_on_the_wire_is_the_rule_of_the_two_tiers(index: ServerIndex, wire: Wire) -> None:
    search(index)
    sent = wire.asked[0][2]["searches"][0]["filter"]
    assert sent["must"] == [
        {"key": "organization_id", "match": {"value": str(named("acme"))}},
        {"key": "granularity", "match": {"value": "800"}},
    ]
    assert sent["should"] == [
        {
            "must": [
                {"key": "corpus_type", "match": {"value": "global"}},
                {"key": "corpus_id", "match": {"value": str(named("manual"))}},
            ]
        },
        {
            "must": [
                {"key": "corpus_type", "match": {"value": "personal"}},
                {"key": "corpus_id", "match": {"value": str(named("notes"))}},
                {"key": "user_id", "match": {"value": str(named("alice"))}},
            ]
        },
    ]


def test_one_tier_alone_joins_the_conditions_that_must_hold(index: ServerIndex, wire: Wire) -> None:
    scope = Scope(named("acme"), named("alice"), global_ids=frozenset({named("manual"), named("laws")}))
    index.search(DENSE, sparse(1, 2), search_filter(scope, 800), 50)
    sent = wire.asked[0][2]["searches"][0]["filter"]
    assert sent["must"] == [
        {"key": "organization_id", "match": {"value": str(named("acme"))}},
        {"key": "granularity", "match": {"value": "800"}},
        {"key": "corpus_type", "match": {"value": "global"}},
        {"key": "corpus_id", "match": {"any": sorted(map(str, (named("manual"), named("laws"))))}},
    ]
    assert not sent.get("should")


def test_a_silent_server_is_unavailable_within_one_and_a_half_seconds(index: ServerIndex, wire: Wire) -> None:
    wire.silence = 5
    started = time.monotonic()
    with pytest.raises(IndexUnavailable):
        search(index)
    assert time.monotonic() - started < 1.5
    assert len(wire.asked) == 1
    assert not index.healthy()


def test_a_server_that_is_down_is_unavailable_at_once_and_used_again_when_it_is_back(
    index: ServerIndex, server: ThreadingHTTPServer, wire: Wire
) -> None:
    search(index)
    server.shutdown()
    server.server_close()
    time.sleep(0.05)
    wire.hang_ups = 10  # kept connections of the old server die
    started = time.monotonic()
    with pytest.raises(IndexUnavailable):
        search(index)
    assert time.monotonic() - started < 1.5
    assert not index.healthy()
    wire.hang_ups = 0
    again = serve(wire, server.server_port)
    try:
        assert search(index).dense
    finally:
        again.shutdown()
        again.server_close()


def test_a_connection_that_was_dropped_is_tried_once_more(index: ServerIndex, wire: Wire) -> None:
    search(index)
    wire.hang_ups = 1
    assert search(index).dense
    wire.hang_ups = 2
    with pytest.raises(IndexUnavailable):
        search(index)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 429, 500, 502, 503])
def test_every_refusal_is_one_error(index: ServerIndex, wire: Wire, status: int) -> None:
    wire.status, wire.body = status, {"status": {"error": "no"}}
    with pytest.raises(IndexUnavailable, match="space"):
        search(index)


@pytest.mark.parametrize("status", [400, 404, 413, 422, 429])
def test_one_organizations_bad_request_closes_the_index_for_nobody(index: ServerIndex, wire: Wire, status: int) -> None:
    for _ in range(5):
        wire.status, wire.body = status, {"status": {"error": "a bad filter"}}
        with pytest.raises(IndexRefused):
            search(index)
    wire.status, wire.body = 200, FOUND
    assert search(index).dense


def test_a_failing_server_is_left_alone(index: ServerIndex, wire: Wire) -> None:
    wire.status, wire.body = 503, {"status": {"error": "overloaded"}}
    for _ in range(5):
        with pytest.raises(IndexUnavailable):
            search(index)
    assert len(wire.asked) == 2


@pytest.mark.parametrize("body", [{}, {"result": "nonsense"}, [], {"result": [{"points": [{"id": 1}]}]}])
def test_an_answer_that_makes_no_sense_is_one_error(index: ServerIndex, wire: Wire, body: Any) -> None:
    wire.body = body
    with pytest.raises(IndexUnavailable):
        search(index)


CALLS: dict[str, Callable[[ServerIndex], Any]] = {
    "ensure": lambda index: index.ensure(),
    "upsert": lambda index: index.upsert(furnished().points),
    "delete document": lambda index: index.delete_document(named("d"), keep_version=1),
    "delete corpus": lambda index: index.delete_corpus(named("c")),
    "delete points": lambda index: index.delete_points([named("p")]),
    "set metadata": lambda index: index.set_metadata(named("d"), {"unit": "1"}),
    "count": lambda index: index.count(),
    "list": lambda index: list(index.point_ids()),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_every_call_fails_as_unavailable(index: ServerIndex, wire: Wire, call: Callable[[ServerIndex], Any]) -> None:
    wire.status, wire.body = 503, {"status": {"error": "overloaded"}}
    with pytest.raises(IndexUnavailable):
        call(index)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_an_older_server_is_asked_for_nothing(
    index: ServerIndex, wire: Wire, call: Callable[[ServerIndex], Any]
) -> None:
    wire.version = "1.18.3"
    with pytest.raises(IndexOutdated, match=r"1\.18\.3"):
        call(index)
    with pytest.raises(IndexOutdated):
        search(index)
    assert wire.asked == []
    assert not index.healthy()


def test_the_version_is_asked_once_and_again_after_a_failure(index: ServerIndex, wire: Wire) -> None:
    for _ in range(3):
        assert search(index).dense
    assert wire.versions_asked == 1
    wire.hang_ups = 2  # it restarts, and comes back as an older one
    with pytest.raises(IndexUnavailable):
        search(index)
    wire.version = "1.18.3"
    with pytest.raises(IndexOutdated):
        search(index)
    wire.version = "1.19.0"
    assert search(index).dense


def test_a_write_waits_for_a_server_that_is_busy_for_a_moment(index: ServerIndex, wire: Wire) -> None:
    wire.script = [503, 503]
    wire.body = DONE
    index.delete_document(named("d"))
    assert len(wire.asked) == 3
    wire.asked.clear()
    wire.script, wire.headers = [429], {"Retry-After": "1"}
    began = time.monotonic()
    index.delete_document(named("d"))
    assert len(wire.asked) == 2
    assert time.monotonic() - began >= 1


def test_a_write_does_not_hold_its_thread_for_a_server_that_asks_for_long(index: ServerIndex, wire: Wire) -> None:
    wire.script, wire.headers, wire.body = [429], {"Retry-After": "60"}, DONE
    began = time.monotonic()
    with pytest.raises(IndexRefused):
        index.delete_document(named("d"))
    assert time.monotonic() - began < 1
    assert len(wire.asked) == 1


@pytest.mark.parametrize("status", ["wait_timeout", "acknowledged"])
def test_a_write_that_is_taken_and_not_applied_is_not_done(index: ServerIndex, wire: Wire, status: str) -> None:
    wire.body = {"result": {"operation_id": 1, "status": status}, "status": "ok"}
    with pytest.raises(IndexUnavailable, match="not applied"):
        index.upsert(furnished().points[:1])


def test_writes_leave_a_silent_server_alone(index: ServerIndex, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.index.server.calls.WRITE_SECONDS", 1)
    wire.silence, wire.body = 3, DONE
    for _ in range(2):
        with pytest.raises(IndexUnavailable):
            index.delete_document(named("d"))
    began = time.monotonic()
    for _ in range(20):
        with pytest.raises(IndexUnavailable, match="left alone"):
            index.delete_document(named("d"))
    assert time.monotonic() - began < 0.5


def test_points_go_in_requests_of_a_bounded_size_and_in_order(index: ServerIndex, wire: Wire) -> None:
    wire.body = DONE
    point = furnished().points[0]
    heavy = [replace(point, id=uuid4(), payload={**point.payload, "tags": ["x" * 90_000]}) for _ in range(50)]
    index.upsert(heavy)
    sent = [request[2]["points"] for request in wire.asked]
    assert [one["id"] for batch in sent for one in batch] == [str(one.id) for one in heavy]
    assert max(len(json.dumps(batch)) for batch in sent) <= 1.2 * BATCH_BYTES
    assert len(sent) == 3
    wire.asked.clear()
    index.upsert([replace(point, id=uuid4()) for _ in range(1200)])
    assert [len(request[2]["points"]) for request in wire.asked] == [500, 500, 200]


def test_a_write_that_was_broken_off_is_repeated_whole_and_in_order(index: ServerIndex, wire: Wire) -> None:
    wire.body, wire.script = DONE, [200, 503, 503, 503]  # it goes away between the first batch and the second
    points = [replace(furnished().points[0], id=uuid4()) for _ in range(1200)]
    with pytest.raises(IndexUnavailable):
        index.upsert(points)
    assert [len(request[2]["points"]) for request in wire.asked] == [500, 500, 500, 500], "the third was never sent"
    wire.asked.clear()
    index.upsert(points)
    sent = [one["id"] for request in wire.asked for one in request[2]["points"]]
    assert sent == [str(point.id) for point in points]


def test_a_point_s_size_on_the_wire_is_known_beforehand() -> None:
    from qdrant_client import models

    from retrieval.index.translate import engine_vectors

    random = np.random.default_rng(1)
    dense = random.standard_normal(1536).astype(np.float32)
    point = Point(uuid4(), dense / np.linalg.norm(dense), sparse(*range(10**9, 10**9 + 200)), {"tags": ["a"] * 20})
    sent = models.PointStruct(
        id=str(point.id), vector=engine_vectors(point, models, DECIMALS), payload=dict(point.payload)
    )
    assert json_bytes(point) == pytest.approx(len(sent.model_dump_json(exclude_none=True)), rel=0.25)


def test_a_failed_search_names_neither_the_question_nor_the_reader(index: ServerIndex, wire: Wire) -> None:
    wire.status, wire.body = 400, {"status": {"error": "wrong"}}
    with pytest.raises(IndexUnavailable) as failed:
        search(index)
    assert str(named("alice")) not in str(failed.value)
