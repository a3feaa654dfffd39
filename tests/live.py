"""The ASGI application behind a real socket, in a thread of the test's own process, and a client for it.

In the same process, so that a test can shorten a deadline or count tasks; over a socket, so that headers, buffering
and disconnects are those of the wire.
"""

import asyncio
import http.client
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import uvicorn

from accounts import keys
from accounts.models import Membership
from tests.fakes.fixtures import ModelServer
from workers.management.leaving import LeavingServer

SAME_ID = "of-the-tests"  # of every request: two refusals are the same to the letter
ANSWER_SILENCE = 45.0  # seconds without a byte; what has to be quicker is timed by its test
STREAM_SILENCE = 45.0  # seconds without a byte: a reader is told every 15 that the connection lives, or a little later


class SseEvent(NamedTuple):
    """One event; `at` is seconds since the request was sent."""

    name: str
    data: dict[str, Any]
    at: float
    id: int = 0


class Answer(NamedTuple):
    """A response that is not a stream."""

    status: int
    headers: dict[str, str]
    body: Any


class Stream:
    """An open server-sent stream. Iterate over its events; leave the block, or `close`, to hang up."""

    def __init__(self, connection: http.client.HTTPConnection, sent_at: float) -> None:
        self._connection, self._sent_at = connection, sent_at
        self._response = connection.getresponse()
        self.status = self._response.status
        self.headers = {name.lower(): value for name, value in self._response.getheaders()}
        self.received = 0
        self.comments = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._response.close()
        self._connection.close()

    def lines(self) -> Iterator[str]:
        while line := self._response.readline():
            self.received += len(line)
            yield line.decode().rstrip("\n")

    def __iter__(self) -> Iterator[SseEvent]:
        name, number = "", 0
        for line in self.lines():
            if line.startswith(":"):
                self.comments += 1
            elif line.startswith("id: "):
                number = int(line.removeprefix("id: "))
            elif line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                at = time.monotonic() - self._sent_at
                yield SseEvent(name, json.loads(line.removeprefix("data: ")), at, number)

    def until(self, name: str) -> SseEvent:
        """The next event of that name; what comes before it is dropped."""
        return next(event for event in self if event.name == name)

    def problem(self) -> Any:
        return json.loads(self._response.read())


def text_of(events: list[SseEvent]) -> str:
    return "".join(event.data["token"] for event in events if event.name == "token")


@dataclass
class Caller:
    """Speaks to a server with one person's credentials."""

    port: int
    headers: dict[str, str] = field(default_factory=dict)

    def stream(self, path: str, body: Any, timeout: float = STREAM_SILENCE, **headers: str) -> Stream:
        connection, sent_at = self._sent("POST", path, body, timeout, headers)
        return Stream(connection, sent_at)

    def ask(self, agent: str, question: str, *, headers: dict[str, str] | None = None, **fields: Any) -> Stream:
        body = {"messages": [{"role": "user", "content": question}], **fields}
        return self.stream(f"/api/agents/{agent}/chat/", body, **(headers or {}))

    def follow(self, message: Any, after: int = 0) -> Stream:
        """The events of an answer, again or from there on."""
        headers = {"Last-Event-ID": str(after)} if after else {}
        connection, sent_at = self._sent("GET", f"/api/messages/{message}/events/", None, STREAM_SILENCE, headers)
        return Stream(connection, sent_at)

    def answers(self, agent: str, question: str, **fields: Any) -> list[SseEvent]:
        """All events of an answer."""
        with self.ask(agent, question, **fields) as stream:
            assert stream.status == 200, stream.problem()
            return list(stream)

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        connection, _ = self._sent(method, path, body, ANSWER_SILENCE, headers)
        try:
            response = connection.getresponse()
            content = response.read()
            fields = {name.lower(): value for name, value in response.getheaders()}
            is_json = "json" in fields.get("content-type", "")
            return Answer(response.status, fields, json.loads(content) if is_json and content else content)
        finally:
            connection.close()

    def _sent(
        self, method: str, path: str, body: Any, timeout: float, headers: dict[str, str]
    ) -> tuple[http.client.HTTPConnection, float]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        encoded = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        sent = {"Content-Type": "application/json", "X-Request-ID": SAME_ID, **self.headers, **headers}
        connection.request(method, path, encoded, sent)
        return connection, time.monotonic()


class LiveServer:
    """uvicorn with the application, as `manage.py serve` runs it, on a port that was free."""

    def __init__(self, application: Any = None) -> None:
        from config.asgi import application as whole

        protocol = "config.incoming.connections:BoundedProtocol"
        config = uvicorn.Config(
            application or whole, port=0, loop="asyncio", http=protocol, ws="none", lifespan="off", log_config=None,
            log_level="warning", access_log=False, timeout_graceful_shutdown=2,
        )  # fmt: skip
        self._server = LeavingServer(config)
        self._runner = asyncio.Runner()
        self.loop = self._runner.get_loop()
        self._thread = threading.Thread(target=self._run, name="live server", daemon=True)

    def _run(self) -> None:
        with self._runner as runner:
            runner.run(self._server.serve())

    def __enter__(self) -> Self:
        self._thread.start()
        deadline = time.monotonic() + 20
        while not self._server.started:
            assert time.monotonic() < deadline, "the server does not start"
            time.sleep(0.005)
        self.port: int = self._server.servers[0].sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()
        self._thread.join(20)
        assert not self._thread.is_alive(), "the server does not stop"

    def leave(self) -> None:
        """As at SIGTERM; whoever is being answered is answered."""
        self._server.should_exit = True

    def is_leaving(self) -> bool:
        """Whether it takes no connection any more."""
        return not any(one.is_serving() for one in self._server.servers)

    def tasks(self) -> int:
        """Asynchronous tasks that are alive in the server's loop, its own among them."""

        async def count() -> int:
            return len(asyncio.all_tasks()) - 1

        return asyncio.run_coroutine_threadsafe(count(), self.loop).result(5)

    def connections(self) -> int:
        return len(self._server.server_state.connections)

    def narrow_sockets(self, size: int) -> None:
        """Let the kernel buffer little of what a reader does not take, `size` bytes, from now on."""
        self._server.servers[0].sockets[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, size)

    def anonymous(self) -> Caller:
        return Caller(self.port)

    def by_key(self, membership: Membership) -> Caller:
        _key, secret = keys.issue_key(membership, "test")
        return Caller(self.port, {"Authorization": f"Bearer {secret}"})

    def by_session(self, membership: Membership) -> Caller:
        """Signed in with a session cookie and a valid CSRF token."""
        from django.middleware.csrf import CSRF_SECRET_LENGTH
        from django.test import Client
        from django.utils.crypto import get_random_string

        client = Client()
        client.force_login(membership.user)
        session, token = client.cookies["sessionid"].value, get_random_string(CSRF_SECRET_LENGTH)
        return Caller(self.port, {"Cookie": f"sessionid={session}; csrftoken={token}", "X-CSRFToken": token})


def asked(model: ModelServer) -> int:
    """How many questions the model server was asked."""
    return model.stats().get("chat_requests", 0)


def patience(seconds: float) -> float:
    """A promise in seconds, stretched on a machine with more to do than it has cores."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def eventually(condition: Any, seconds: float = 5.0) -> float:
    """Wait until `condition()` is true; returns the seconds it took, fails after `patience(seconds)`."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < patience(seconds), f"not within {seconds} s"
        time.sleep(0.005)
    return time.monotonic() - start
