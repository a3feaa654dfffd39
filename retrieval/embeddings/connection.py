"""Pooled HTTP/1.1 connections to one model endpoint, each call under one deadline (`openai`, `rerank.http`)."""

import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

IDLE_CONNECTIONS = 32
LONGEST_ANSWER = 64 * 1024 * 1024
READ_SIZE = 256 * 1024


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to post to, and the request's head up to its length."""

    host: str
    port: int
    encrypted: bool
    head: bytes = field(repr=False)  # carries the key

    @classmethod
    def parse(cls, base_url: str, path: str, api_key: str) -> "Endpoint":
        """From settings only (RELIABILITY R20): HTTPS unless loopback, no user information. Raises ValueError."""
        base_url = base_url.strip()
        if not (base_url + api_key).isascii() or not (base_url + api_key).isprintable() or " " in base_url:
            raise ValueError("a model endpoint and its key are printable ASCII")
        url = urlsplit(base_url)
        host = url.hostname or ""
        if url.scheme not in ("http", "https") or not host:
            raise ValueError("a model endpoint starts with https:// and names a host")
        if "@" in url.netloc or url.query or url.fragment:
            raise ValueError("a model endpoint has no user, query or fragment")
        if url.scheme == "http" and not is_loopback(host):
            raise ValueError("a model endpoint that is not on this machine needs https://")
        head = f"POST {url.path.rstrip('/')}{path} HTTP/1.1\r\nHost: {url.netloc}\r\n"
        head += "Content-Type: application/json\r\nAccept: application/json\r\nAccept-Encoding: identity\r\n"
        head += f"Authorization: Bearer {api_key}\r\n" if api_key else ""
        encrypted = url.scheme == "https"
        return cls(host, url.port or (443 if encrypted else 80), encrypted, head.encode())


def is_loopback(host: str) -> bool:
    """Whether a host name can only mean this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(slots=True)
class Answer:
    """An HTTP answer as the parser fills it."""

    status: int = 0
    headers: dict[bytes, bytes] = field(default_factory=dict)
    chunks: list[bytes] = field(default_factory=list)
    complete: bool = False
    keep_alive: bool = False

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks)

    def retry_after(self) -> float | None:
        """Seconds that the server asks to wait, from either form of Retry-After; None if it does not say."""
        value = self.headers.get(b"retry-after", b"").decode("latin-1").strip()
        try:
            return max(0.0, float(value))
        except ValueError:
            pass
        try:
            moment = parsedate_to_datetime(value)
        except ValueError:
            return None
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())


class _Reading:
    """The parser's callbacks (httptools), which fill an Answer."""

    def __init__(self) -> None:
        import httptools

        self.answer = Answer()
        self.parser = httptools.HttpResponseParser(self)
        self.size = 0

    def on_header(self, name: bytes, value: bytes) -> None:
        self.answer.headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        self.answer.status = self.parser.get_status_code()

    def on_body(self, chunk: bytes) -> None:
        self.size += len(chunk)
        if self.size > LONGEST_ANSWER:
            raise ConnectionError("the answer is too long")
        self.answer.chunks.append(chunk)

    def on_message_complete(self) -> None:
        if self.answer.status >= 200:  # 1xx announce the answer, they are not it
            self.answer.complete = True
            self.answer.keep_alive = self.parser.should_keep_alive()

    def feed(self, received: bytes) -> None:
        """What arrived. Raises ConnectionError for what is not HTTP or ends in the middle."""
        import httptools

        if not received:
            if not self.answer.status or b"content-length" in self.answer.headers:
                raise ConnectionError("the connection was closed in the middle")
            self.answer.complete = True
            return
        try:
            self.parser.feed_data(received)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            raise ConnectionError("the answer is not HTTP") from None


class ConnectionPool:
    """Keeps idle connections for the next call. Safe to share between threads; the newest is used first."""

    def __init__(self, endpoint: Endpoint, clock: Callable[[], float] = time.monotonic) -> None:
        self._endpoint, self._clock = endpoint, clock
        self._idle: list[socket.socket] = []
        self._is_open = True
        self._lock = threading.Lock()
        self._tls = ssl.create_default_context() if endpoint.encrypted else None

    def post(self, body: bytes, deadline: float) -> Answer:
        """One request and its whole answer before `deadline` (of the clock). Raises OSError.

        A server may close an idle connection at any moment: a reused one that fails is replaced once. Asking
        for the same embedding twice harms nobody.
        """
        with self._lock:
            reused = self._idle.pop() if self._idle else None
        if reused is not None:
            try:
                return self._exchange(reused, body, deadline)
            except TimeoutError:
                raise
            except OSError:
                self._forget_idle()
        return self._exchange(self._connect(deadline), body, deadline)

    def close(self) -> None:
        """Close what is idle now, and what is in use when it comes back."""
        self._is_open = False
        self._forget_idle()

    def _forget_idle(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _connect(self, deadline: float) -> socket.socket:
        where = (self._endpoint.host, self._endpoint.port)
        # Half of what is left for each address: a name has two when IPv6 is announced but does not work.
        connection = socket.create_connection(where, timeout=self._left(deadline) / 2)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._tls is None:
            return connection
        connection.settimeout(self._left(deadline))
        return self._tls.wrap_socket(connection, server_hostname=self._endpoint.host)

    def _exchange(self, connection: socket.socket, body: bytes, deadline: float) -> Answer:
        reading = _Reading()
        try:
            connection.settimeout(self._left(deadline))
            connection.sendall(b"%bContent-Length: %d\r\n\r\n%b" % (self._endpoint.head, len(body), body))
            while not reading.answer.complete:
                connection.settimeout(self._left(deadline))
                reading.feed(connection.recv(READ_SIZE))
        except BaseException:
            connection.close()
            raise
        self._keep(connection, reading.answer)
        return reading.answer

    def _keep(self, connection: socket.socket, answer: Answer) -> None:
        with self._lock:
            if self._is_open and answer.keep_alive and len(self._idle) < IDLE_CONNECTIONS:
                self._idle.append(connection)
                return
        connection.close()

    def _left(self, deadline: float) -> float:
        left = deadline - self._clock()
        if left <= 0:
            raise TimeoutError("the deadline has passed")
        return left
