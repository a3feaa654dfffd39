"""A server on loopback that webhooks are told to: it keeps what came, and answers as it was told to."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Answer = Callable[[socket.socket], None]
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nthere"


@dataclass
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """`answer` writes to the connection; it may never end, which the client must not mind."""

    answer: Answer
    received: list[Received] = field(default_factory=list)
    most_at_once: int = 0
    _at_once: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def serve(self, listening: socket.socket) -> None:
        while True:
            try:
                connection, _address = listening.accept()
            except OSError:
                return
            threading.Thread(target=self.handle, args=(connection,), daemon=True).start()

    def handle(self, connection: socket.socket) -> None:
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            with connection, connection.makefile("rb") as lines:
                _method, path, _version = lines.readline().decode().split(" ")
                pairs = iter(lambda: lines.readline().decode().rstrip("\r\n"), "")
                headers = {name.lower(): value for name, _, value in (one.partition(": ") for one in pairs)}
                body = lines.read(int(headers["content-length"]))
                self.received.append(Received(path, headers, body))
                self.answer(connection)
        except (OSError, ValueError):
            pass  # the client has had enough
        finally:
            with self._lock:
                self._at_once -= 1


@contextmanager
def receiving(answer: Answer | bytes = OK) -> Iterator[tuple[str, Receiver]]:
    """Its address, and what it got."""
    receiver = Receiver(saying(answer) if isinstance(answer, bytes) else answer)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=receiver.serve, args=(listening,), daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/hook?a=1", receiver
        listening.shutdown(socket.SHUT_RDWR)


def saying(answer: bytes) -> Answer:
    return lambda connection: connection.sendall(answer)


def dripping(start: bytes, drop: bytes, pause: float = 0.0) -> Answer:
    """Without an end."""

    def answer(connection: socket.socket) -> None:
        connection.sendall(start)
        while True:
            connection.sendall(drop)
            time.sleep(pause)

    return answer


def silent(connection: socket.socket) -> None:
    time.sleep(30)
