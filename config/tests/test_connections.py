"""What a connection may take, over a real socket: a head's bytes, and the seconds of a head and of a body."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest

from config.incoming import connections
from tests.live import LiveServer, eventually

pytestmark = pytest.mark.django_db(transaction=True)

START = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    with LiveServer() as live:
        yield live


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> float:
    monkeypatch.setattr(connections, "SECONDS", 0.3)
    return 0.3


def connect(server: LiveServer) -> "closing[socket.socket]":
    return closing(socket.create_connection(("127.0.0.1", server.port), timeout=10))


def heard(connection: socket.socket) -> bytes:
    """Everything until the server hangs up."""
    parts = []
    try:
        while part := connection.recv(65_536):
            parts.append(part)
    except ConnectionResetError:  # it hung up on what it had not read
        pass
    return b"".join(parts)


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def send_all(connection: socket.socket, data: bytes) -> None:
    with suppress(OSError):  # refused before its end
        connection.sendall(data)


def ask(server: LiveServer, data: bytes) -> tuple[int, bytes]:
    with connect(server) as connection:
        send_all(connection, data)
        answer = heard(connection)
    return status_of(answer), answer


@pytest.mark.parametrize(
    ("head", "status", "code"),
    [
        (START + b"X-A: " + b"a" * 33_000 + b"\r\n\r\n", 431, "headers_too_large"),
        (START + b"X-A: a\r\n" * 5_000 + b"\r\n", 431, "headers_too_large"),
        (START + b"X-A: " + b"a" * 400_000, 431, "headers_too_large"),
        (b"GET /?" + b"a" * 400_000, 431, "headers_too_large"),
        (b"\r\n" * 200_000, 431, "headers_too_large"),
        (b"GET /?" + b"a" * 9_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 414, "address_too_long"),
        (b"GET / HTTP/1.1\r\nX-A\r\n\r\n", 400, "parse_error"),
        (b"NOTHING AT ALL\r\n\r\n", 400, "parse_error"),
        (b"GET /\xff\xfe HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "parse_error"),
    ],
    ids=lambda value: value[:20].decode("latin-1") if isinstance(value, bytes) else str(value),
)
def test_a_head_that_is_not_taken_is_answered_with_a_problem(
    head: bytes, status: int, code: str, server: LiveServer
) -> None:
    found, answer = ask(server, head)
    assert found == status
    said, _, body = answer.partition(b"\r\n\r\n")
    assert b"application/problem+json" in said
    assert json.loads(body)["code"] == code


def test_a_head_within_its_limits_is_answered(server: LiveServer) -> None:
    found, _ = ask(server, START + b"Connection: close\r\nX-A: " + b"a" * 31_000 + b"\r\n\r\n")
    assert found == 200


def test_trailers_have_the_limit_of_a_head(server: LiveServer) -> None:
    head = b"POST /healthz HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"
    with connect(server) as connection:
        connection.sendall(head)
        for _ in range(40):
            send_all(connection, b"X-A: " + b"a" * 10_000)
        assert heard(connection).endswith(b"}"), "it is hung up on"


def test_many_requests_at_once_are_no_long_head(server: LiveServer) -> None:
    one = START + b"X-A: " + b"a" * 500 + b"\r\n\r\n"
    with connect(server) as connection:
        connection.sendall(one * 99 + START + b"Connection: close\r\n\r\n")
        assert heard(connection).count(b"HTTP/1.1 200") == 100


def test_who_asks_for_nothing_is_hung_up_on_in_silence(server: LiveServer, impatient: float) -> None:
    with connect(server) as connection:
        assert heard(connection) == b""


@pytest.mark.parametrize("crumb", [b"X", b"\r\n"])
def test_a_slow_head_ends_however_often_a_byte_comes(crumb: bytes, server: LiveServer, impatient: float) -> None:
    with connect(server) as connection:
        started = time.monotonic()
        connection.sendall(START if crumb == b"X" else crumb)
        while time.monotonic() - started < 10 * impatient:
            try:
                connection.sendall(crumb)
            except OSError:
                break
            time.sleep(0.05)
        else:
            pytest.fail("it goes on for ever")


def test_a_slow_body_is_answered_with_408_and_nothing_is_left(server: LiveServer, impatient: float) -> None:
    head = b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nx"
    found, answer = ask(server, head)
    assert found == 408
    assert b'"request_timeout"' in answer
    eventually(lambda: server.connections() == 0)


def test_a_file_may_take_longer_while_it_comes(
    server: LiveServer, impatient: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "SLOWEST_UPLOAD", 1_000)
    pieces = [b"x" * 200] * 8

    def sent(kind: bytes) -> int:
        length = str(sum(map(len, pieces))).encode()
        with connect(server) as connection:
            connection.sendall(
                b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: "
                + kind + b"\r\nContent-Length: " + length + b"\r\n\r\n"
            )  # fmt: skip
            for piece in pieces:
                send_all(connection, piece)
                time.sleep(0.1)
            return status_of(heard(connection))

    assert sent(b"multipart/form-data; boundary=x") != 408
    assert sent(b"application/x-www-form-urlencoded") == 408


def test_the_answer_to_a_body_that_is_not_read_can_be_read(server: LiveServer) -> None:
    """Hung up on while it sends, a client would only see a broken connection."""
    body = b"x" * 5_000_000
    head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body)
    with connect(server) as connection:
        connection.sendall(head + body)
        assert b" 401 " in connection.recv(65_536).split(b"\r\n", 1)[0]
        connection.sendall(START + b"Connection: close\r\n\r\n")
        assert b" 200 " in heard(connection).split(b"\r\n", 1)[0]


def test_two_hundred_slow_connections_end(server: LiveServer, impatient: float) -> None:
    opened = [socket.create_connection(("127.0.0.1", server.port), timeout=10) for _ in range(200)]
    try:
        for connection in opened:
            connection.sendall(START)
        eventually(lambda: server.connections() == 0, 10)
    finally:
        for connection in opened:
            connection.close()
