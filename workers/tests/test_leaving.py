"""A web process that ends, over real sockets: who has reached it is answered, who has not asks elsewhere."""

import http.client
import socket
import sys
import threading
import time
from collections import Counter
from contextlib import closing
from typing import Any

import pytest

from tests.live import LiveServer, eventually
from workers.management.leaving import let_nobody_in

BUSY = 0.004  # seconds of the loop that a request takes


async def busy(scope: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    time.sleep(BUSY)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


def connected(server: LiveServer) -> http.client.HTTPConnection:
    link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    link.connect()
    return link


def test_a_connection_that_has_not_asked_yet_may_ask_once() -> None:
    with LiveServer(busy) as server, closing(connected(server)) as new, closing(connected(server)) as used:
        used.request("POST", "/", b"first")
        assert used.getresponse().read() == b"ok"
        eventually(lambda: server.connections() == 2)
        server.leave()
        eventually(server.is_leaving)
        for link in (new, used):
            link.request("POST", "/", b"last")
            answer = link.getresponse()
            assert (answer.read(), answer.headers["Connection"]) == (b"ok", "close")


def test_who_never_asks_is_hung_up_on() -> None:
    with LiveServer(busy) as server, closing(socket.create_connection(("127.0.0.1", server.port), timeout=10)) as idle:
        eventually(lambda: server.connections() == 1)
        server.leave()
        assert idle.recv(1) == b""


def test_a_head_that_has_begun_to_come_is_answered() -> None:
    with LiveServer(busy) as server, closing(socket.create_connection(("127.0.0.1", server.port), timeout=10)) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost:")
        eventually(lambda: server.connections() == 1)
        server.leave()
        time.sleep(1)  # longer than one that asks nothing has
        slow.sendall(b" localhost\r\n\r\n")
        assert slow.recv(12) == b"HTTP/1.1 200"


@pytest.mark.skipif(sys.platform != "linux", reason="what a listening socket takes in can be told to Linux alone")
def test_whoever_stands_in_the_queue_is_taken_and_nobody_joins_it() -> None:
    with closing(socket.create_server(("127.0.0.1", 0), backlog=8)) as listening:
        waiting = socket.create_connection(listening.getsockname(), timeout=5)
        waiting.sendall(b"asked")
        let_nobody_in([listening])
        with pytest.raises(TimeoutError):
            socket.create_connection(listening.getsockname(), timeout=0.3)
        waiting.sendall(b" more")
        taken, _address = listening.accept()
        with waiting, taken:
            taken.sendall(b"answer")
            assert waiting.recv(100) == b"answer"
            assert taken.recv(100) == b"asked more"


class People:
    """Eight who ask without a pause. `told`: how often what was answered, or became of a request that was sent."""

    def __init__(self) -> None:
        self.port = 0
        self.told: Counter[str] = Counter()
        self.ended = threading.Event()
        self.threads = [threading.Thread(target=self.ask_on) for _ in range(8)]

    def __enter__(self) -> "People":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        for thread in self.threads:
            thread.join()

    def ask_on(self) -> None:
        while not self.ended.wait(0.001):
            with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)) as link:
                try:
                    link.connect()
                    self.told[asked(link)] += 1
                except OSError:
                    self.told["asks elsewhere"] += 1


def asked(link: http.client.HTTPConnection) -> str:
    try:
        link.request("POST", "/", b"x" * 1000)
        return link.getresponse().read().decode()
    except (OSError, http.client.HTTPException) as error:
        return repr(error)


@pytest.mark.skipif(sys.platform != "linux", reason="what a listening socket takes in can be told to Linux alone")
def test_no_request_that_was_sent_is_lost_while_processes_are_replaced() -> None:
    with People() as people:
        for _ in range(8):
            with LiveServer(busy) as server:
                people.port = server.port
                time.sleep(0.2)
    assert people.told.pop("asks elsewhere") > 0
    assert set(people.told) == {"ok"}, people.told
