"""A collector of OpenTelemetry traces at the wire: OTLP over HTTP, protobuf, on a port that was free."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.services.servers import wait_until


@dataclass(frozen=True)
class Seen:
    """A span as it came; ids in hexadecimal."""

    name: str
    trace: str
    id: str
    parent: str
    values: dict[str, Any]
    service: str


class Collector:
    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.bodies: list[bytes] = []
        self.spans: list[Seen] = []

    def take(self, body: bytes) -> None:
        self.bodies.append(body)
        for group in ExportTraceServiceRequest.FromString(body).resource_spans:
            service = values_of(group.resource.attributes).get("service.name", "")
            for scope in group.scope_spans:
                self.spans += [
                    Seen(
                        one.name,
                        one.trace_id.hex(),
                        one.span_id.hex(),
                        one.parent_span_id.hex(),
                        values_of(one.attributes),
                        service,
                    )
                    for one in scope.spans
                ]

    def of(self, trace: str) -> list[Seen]:
        return [one for one in self.spans if one.trace == trace]

    def wait_for(self, trace: str, *names: str, seconds: float = 60.0) -> list[Seen]:
        """The trace's spans, once those of these names are among them; of a name that ends in "/" or a space, one that
        begins with it."""

        def are_here() -> bool:
            here = [one.name for one in self.of(trace)]
            begun = [name for name in names if name.endswith(("/", " "))]
            return {*names} - {*begun} <= {*here} and all(any(one.startswith(name) for one in here) for name in begun)

        wait_until(are_here, seconds, f"{names} in {trace}")
        return self.of(trace)

    def way_up(self, spans: list[Seen], name: str) -> list[str]:
        """From the first span whose name begins so to the one at the top, by their names."""
        by_id = {one.id: one for one in spans}
        one: Seen | None = next(span for span in spans if span.name.startswith(name))
        names = []
        while one is not None:
            names.append(one.name)
            one = by_id.get(one.parent)
        return names


def values_of(attributes: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in attributes}


@contextmanager
def running_collector() -> Iterator[Collector]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            is_ours = self.path == "/v1/traces" and self.headers["Content-Type"] == "application/x-protobuf"
            if is_ours:
                collector.take(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)
            self.send_response(200 if is_ours else 404)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collector = Collector(server.server_address[1])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
