"""What one hostile request costs a served process: a second of processor time, 50 MB, and nobody waits (R0)."""

import json
import os
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.live import Caller, patience
from tests.processes import Site, memory_mb, site

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="reads memory from /proc"),
]
MOST_SECONDS, MOST_MB, MOST_WAIT = 1.0, 50.0, 0.1
MEGABYTE = 1024 * 1024
ITEMS = b'{"messages":[%s]}' % b",".join([b"{}"] * 345_000)
TICKS = {"role": "assistant", "content": "x" + "`" * 49_000 + "a" * 50_000}
SPACES = {"role": "assistant", "content": "[1]" + " " * 90_000 + "a"}
HISTORY = [{"role": "user", "content": "a"}, TICKS, SPACES, TICKS] * 2
BOUNDARY = b"\r\n--x\r\nContent-Disposition: form-data; name=a\r\n\r\n"


@dataclass
class Cost:
    """`waits`: how long `/healthz` took meanwhile, each time."""

    seconds: float = 0.0
    megabytes: float = 0.0
    waits: list[float] = field(default_factory=list)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with site(tmp_path_factory.mktemp("strangers")) as made:
        made.start()
        made.caller().answers(agent_of(made), "¿Cuántos días dura un préstamo?")  # what is loaded once is loaded
        yield made


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def measured(made: Site) -> Iterator[Cost]:
    cost, done = Cost(), threading.Event()
    Path(f"/proc/{made.pid}/clear_refs").write_text("5")  # the most memory is counted from now on
    before, memory = processor_seconds(made.pid), memory_mb(made.pid)

    def look() -> None:
        while not done.is_set():
            started = time.monotonic()
            assert Caller(made.port).call("GET", "/healthz").status == 200
            cost.waits.append(time.monotonic() - started)
            time.sleep(0.02)

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield cost
    finally:
        done.set()
        watcher.join()
        cost.seconds = processor_seconds(made.pid) - before
        cost.megabytes = memory_mb(made.pid, "VmHWM") - memory


def agent_of(made: Site) -> str:
    return str(made.told["agents"][0]["slug"])


def questions(*history: dict[str, str]) -> bytes:
    said = [*history, {"role": "user", "content": "hola"}]
    return json.dumps({"messages": said, "stream": False}).encode()


STRANGERS = {
    "400,000 messages to no agent": ("/api/agents/nope/chat/", ITEMS),
    "messages to the other face": ("/v1/chat/completions", ITEMS),
    "11 MB to the API": ("/api/projects/", b"[" * 11 * MEGABYTE),
    "11 MB to a page": ("/accounts/login/", b"%41" * (11 * MEGABYTE // 3)),
    "fields to a page": ("/accounts/login/", b"&".join([b"a"] * 500_000)),
}
MEMBERS = {
    "messages": (400, "/api/agents/{agent}/chat/", ITEMS),
    "ticks": (200, "/api/agents/{agent}/chat/", questions(*HISTORY)),
    "ticks to the other face": (200, "/v1/chat/completions", questions(*HISTORY)),
    "lists": (400, "/api/agents/{agent}/chat/", b"[%s]" % b",".join([b"[]"] * 345_000)),
    "objects": (400, "/api/projects/", b'{"corpora":[%s]}' % b",".join([b'{"":{}}'] * 125_000)),
    "deep": (400, "/api/projects/", b"[" * 500_000 + b"]" * 500_000),
    "ids": (
        400,
        "/api/projects/",
        b'{"corpora":[%s]}' % b",".join([b'"00000000-0000-4000-8000-000000000000"'] * 26_000),
    ),
    "tags": (400, "/api/corpora/{corpus}/facts/", b'{"text":"a","tags":[%s]}' % b",".join([b"{}"] * 345_000)),
    "words": (
        200,
        "/api/agents/{agent}/retrieve/",
        json.dumps({"query": " ".join(f"{n:x}" for n in range(1_900))}).encode(),
    ),
    "parts of a form": (400, "/api/corpora/{corpus}/documents/", BOUNDARY * (11 * MEGABYTE // len(BOUNDARY))),
}


def send(made: Site, caller: Caller, path: str, body: bytes, corpus: str = "") -> int:
    filled = path.format(agent=agent_of(made), corpus=corpus)
    kind = "multipart/form-data; boundary=x" if body.startswith(BOUNDARY) else "application/json"
    if path.startswith("/accounts/"):
        kind = "application/x-www-form-urlencoded"
    if path.startswith("/v1/"):
        body = b'{"model":"%s",' % agent_of(made).encode() + body[1:]
    with suppress(BrokenPipeError, ConnectionResetError):
        return caller.call("POST", filled, body, **{"Content-Type": kind}).status
    return 413  # it hung up before the end


def check(cost: Cost, what: str) -> None:
    assert cost.seconds <= MOST_SECONDS, (what, cost)
    assert cost.megabytes <= MOST_MB, (what, cost)
    assert max(cost.waits) <= patience(MOST_WAIT), (what, cost)


@pytest.mark.parametrize("what", STRANGERS)
def test_a_strangers_request_costs_little(what: str, served: Site) -> None:
    with measured(served) as cost:
        status = send(served, Caller(served.port), *STRANGERS[what])
    assert status in (400, 401, 403, 413)
    check(cost, what)


@pytest.mark.parametrize("what", MEMBERS)
def test_a_members_request_costs_little(what: str, served: Site) -> None:
    expected, path, body = MEMBERS[what]
    corpus = served.make_corpus(what)
    with measured(served) as cost:
        assert send(served, served.caller(), path, body, corpus) == expected
    check(cost, what)


def test_a_head_without_end_costs_little(served: Site) -> None:
    with measured(served) as cost, socket.create_connection(("127.0.0.1", served.port), timeout=20) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nX-A: ")
        with suppress(OSError):
            for _ in range(150):
                connection.sendall(b"a" * MEGABYTE)
    check(cost, "150 MB of a header")
