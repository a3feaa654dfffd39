"""An embedding endpoint on loopback that answers as told: the real protocol over a real socket."""

import base64
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

DIMENSIONS = 4


@dataclass
class Reply:
    """One answer: a status, headers and either a body or the vectors that the request deserves."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    delay: float = 0.0
    trickle: float = 0.0  # seconds between single bytes of the body
    hang_up: bool = False
    broken_off: bool = False  # the first half of the body in chunks, and then the end of the connection


@dataclass
class Endpoint:
    """`script` holds the next replies; when it is empty every request gets its vectors."""

    url: str = ""
    script: deque[Reply] = field(default_factory=deque)
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    connections: int = 0
    in_flight: int = 0
    most_in_flight: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def items(self) -> int:
        return sum(len(request["input"]) for request in self.requests)


def vector_of(text: str, dimensions: int = DIMENSIONS) -> np.ndarray:
    """Not normalised: that is the client's duty."""
    return np.array([len(text) + 1, *(ord(c) for c in text.ljust(dimensions - 1)[: dimensions - 1])], dtype="<f4")


def answer(texts: list[str], encode: Callable[[np.ndarray], Any] | None = None) -> bytes:
    encode = encode or (lambda vector: base64.b64encode(vector.tobytes()).decode())
    items = [{"object": "embedding", "index": n, "embedding": encode(vector_of(t))} for n, t in enumerate(texts)]
    return json.dumps({"object": "list", "data": items, "model": "m"}).encode()


class Handler(BaseHTTPRequestHandler):
    """Answers for the endpoint that its server carries."""

    protocol_version = "HTTP/1.1"
    server: "EndpointServer"

    def setup(self) -> None:
        super().setup()
        with self.server.endpoint.lock:
            self.server.endpoint.connections += 1

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        endpoint = self.server.endpoint
        with endpoint.lock:
            endpoint.requests.append(request)
            endpoint.headers.append(dict(self.headers))
            endpoint.in_flight += 1
            endpoint.most_in_flight = max(endpoint.most_in_flight, endpoint.in_flight)
            reply = endpoint.script.popleft() if endpoint.script else Reply()
        try:
            self.give(reply, request)
        except OSError:
            self.close_connection = True  # the client went away
        finally:
            with endpoint.lock:
                endpoint.in_flight -= 1

    def give(self, reply: Reply, request: dict[str, Any]) -> None:
        time.sleep(reply.delay)
        if reply.hang_up:
            self.close_connection = True
            return
        body = reply.body if reply.body is not None else answer(request["input"])
        self.send_response(reply.status)
        if reply.broken_off:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            half = body[: len(body) // 2]
            self.wfile.write(b"%x\r\n%b\r\n" % (len(half), half))
            self.close_connection = True
            return
        for name, value in (reply.headers | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        step = 1 if reply.trickle else len(body)
        for start in range(0, len(body), step):
            self.wfile.write(body[start : start + step])
            time.sleep(reply.trickle)

    def log_message(self, *args: Any) -> None: ...


class EndpointServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # of five, the sixth that connects at the same moment is kept waiting for a second

    def __init__(self, endpoint: Endpoint) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.endpoint = endpoint


@contextmanager
def serving() -> Iterator[Endpoint]:
    endpoint = Endpoint()
    server = EndpointServer(endpoint)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
