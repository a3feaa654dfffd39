"""Tool servers in tests: the real one of `tests.fakes.tool_server`, and one that says at the wire what it is told."""

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from accounts.models import Organization
from foreign.definitions import read_tool
from foreign.models import ForeignTool, ToolServer

Said = bytes | Iterable[bytes]
READS = {"readOnlyHint": True}
FORECAST = {
    "name": "forecast",
    "description": "The weather of a city.",
    "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    "annotations": READS,
}


@contextmanager
def running_server(*arguments: str) -> Iterator[str]:
    """The address of a real one, in a process of its own."""
    command = [sys.executable, "-m", "tests.fakes.tool_server", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}/mcp"
        finally:
            process.terminate()


def as_json(message: Any, *headers: str, status: str = "200 OK") -> bytes:
    body = json.dumps(message).encode()
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def as_stream(*messages: Any) -> bytes:
    """Without an end: the connection stays open."""
    events = "".join(f"event: message\ndata: {json.dumps(one)}\n\n" for one in messages)
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + events.encode()


def answering(asked: dict[str, Any], **result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": asked.get("id"), "result": result}


@dataclass
class ToolHost:
    """Scripted by method; what is not scripted is answered as a good server does. `asked` is what came."""

    tools: list[dict[str, Any]] = field(default_factory=lambda: [FORECAST])
    text: str = "It rains."
    said: dict[str, Callable[[dict[str, Any]], Said]] = field(default_factory=dict)
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""

    def serve(self, listening: socket.socket) -> None:
        while True:
            try:
                connection, _address = listening.accept()
            except OSError:
                return
            threading.Thread(target=self.handle, args=(connection,), daemon=True).start()

    def handle(self, connection: socket.socket) -> None:
        try:
            with connection, connection.makefile("rb") as lines:
                method = lines.readline().split(b" ")[0].decode()
                pairs = iter(lambda: lines.readline().decode().rstrip("\r\n"), "")
                headers = {name.lower(): value for name, _, value in (one.partition(": ") for one in pairs)}
                body = lines.read(int(headers["content-length"]))
                message = json.loads(body) if method == "POST" else {"method": method}
                self.asked.append(message)
                self.headers.append(headers)
                said = self.said.get(message["method"], self.answer)(message)
                for part in [said] if isinstance(said, bytes) else said:
                    connection.sendall(part)
        except (OSError, ValueError):
            pass  # the client has had enough

    def answer(self, asked: dict[str, Any]) -> bytes:
        method = asked["method"]
        if method == "initialize":
            return as_json(answering(asked, protocolVersion="2025-06-18", capabilities={}, serverInfo={}))
        if method == "tools/list":
            return as_json(answering(asked, tools=self.tools))
        if method == "tools/call":
            return as_json(answering(asked, content=[{"type": "text", "text": self.text}]))
        return b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"

    @property
    def calls(self) -> list[dict[str, Any]]:
        return [one["params"] for one in self.asked if one["method"] == "tools/call"]


@contextmanager
def hosting(**host: Any) -> Iterator[ToolHost]:
    made = ToolHost(**host)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=made.serve, args=(listening,), daemon=True).start()
        made.url = f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        yield made
        listening.shutdown(socket.SHUT_RDWR)


def dripping(start: bytes, drop: bytes, pause: float = 0.0) -> Iterator[bytes]:
    """Without an end."""
    yield start
    while True:
        yield drop
        time.sleep(pause)


def server_of(organization: Organization, url: str = "https://tools.example/mcp", name: str = "Weather") -> ToolServer:
    return ToolServer.objects.create(organization=organization, name=name, url=url)


def tool_of(server: ToolServer, told: dict[str, Any] | None = None, *, chosen: bool = True) -> ForeignTool:
    """As it is read; chosen by an admin unless something else is said."""
    read = read_tool(told or FORECAST)
    assert read is not None
    return ForeignTool.objects.create(server=server, reviewed_digest=read.digest if chosen else "", **read._asdict())
