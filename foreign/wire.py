"""One request to a tool server, whose host is hostile: every byte and second is bounded.

Written on streams (`webhooks.connecting`): the SDK's client reads lines and answers of any length, and looks
the name up again (docs/adr/0029-external-mcp-servers.md).
"""

import json
from asyncio import StreamReader
from collections.abc import Iterator, Mapping
from typing import Any

import httptools

from webhooks.addresses import Destination
from webhooks.connecting import connected, request_head

PART = 64 * 1024


class ServerFailed(Exception):
    """`reason`: a word of `foreign.problems`. `elsewhere`: where a redirect leads, as the server wrote it."""

    def __init__(self, reason: str, elsewhere: str = "") -> None:
        super().__init__(reason)
        self.reason, self.elsewhere = reason, elsewhere


class Allowance:
    """Bytes that may still come, over all requests of one use of a server."""

    def __init__(self, most: int) -> None:
        self.left = most

    def take(self, count: int) -> None:
        self.left -= count
        if self.left <= 0:
            raise ServerFailed("too_much")


class EventLines:
    """`text/event-stream`, as far as MCP uses it: the JSON objects of its events' data. Linear in what comes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._told: list[bytes] = []

    def feed(self, part: bytes) -> Iterator[dict[str, Any]]:
        if b"\n" not in part:
            self._parts.append(part)
            return
        lines = b"".join((*self._parts, part)).split(b"\n")
        self._parts = [lines.pop()]
        for line in (one.removesuffix(b"\r") for one in lines):
            if line.startswith(b"data:"):
                self._told.append(line[5:].removeprefix(b" "))
            elif not line and self._told:
                event, self._told = b"\n".join(self._told), []
                if event.startswith(b"{") and (read := object_of(event)) is not None:
                    yield read


def object_of(text: bytes) -> dict[str, Any] | None:
    """None for what is no JSON object."""
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


class _Reading:
    """What httptools tells of an answer; `found` is the message that answers the request `wanted`."""

    def __init__(self, wanted: int | None) -> None:
        self.fields: dict[str, str] = {}
        self.parts: list[bytes] = []
        self.found: dict[str, Any] | None = None
        self.has_head = self.is_whole = False
        self._wanted, self._events = wanted, EventLines()

    def on_message_begin(self) -> None:
        """Of what comes before the final answer (1xx) nothing is wanted."""
        self.fields, self.parts, self.has_head, self.is_whole = {}, [], False, False

    def on_header(self, name: bytes, value: bytes) -> None:
        self.fields[name.decode("latin-1").lower()] = value.decode("latin-1").strip()

    def on_headers_complete(self) -> None:
        self.has_head = True

    def on_body(self, body: bytes) -> None:
        if not self.is_stream:
            self.parts.append(body)
            return
        for event in self._events.feed(body):
            self._look_at(event)

    def on_message_complete(self) -> None:
        self.is_whole = True

    @property
    def is_stream(self) -> bool:
        return self.fields.get("content-type", "").lower().startswith("text/event-stream")

    def finish(self) -> None:
        if not self.is_stream and (read := object_of(b"".join(self.parts))) is not None:
            self._look_at(read)

    def _look_at(self, message: dict[str, Any]) -> None:
        """Requests and notifications of the server's are not answered: nothing was offered to it."""
        is_answer = message.get("id") == self._wanted and ("result" in message or "error" in message)
        if self._wanted is not None and self.found is None and is_answer:
            self.found = message


class WireReply:
    """`message`: the JSON-RPC answer, if there was one."""

    def __init__(self, status: int, fields: Mapping[str, str], message: dict[str, Any] | None) -> None:
        self.status, self.fields, self.message = status, fields, message


async def post_message(
    destination: Destination, headers: Mapping[str, str], message: Mapping[str, Any] | None, allowance: Allowance
) -> WireReply:
    """Send one JSON-RPC message; None ends the session (DELETE). Raises ServerFailed, and what `failures_told`
    knows; the caller has the time.

    Of a request nothing is read behind its answer, of a notification nothing behind the head.
    """
    body = json.dumps(message).encode() if message is not None else b""
    fields = {
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Accept": "application/json, text/event-stream",
        **headers,
    }
    async with connected(destination) as (reader, writer):
        writer.write(request_head("POST" if message is not None else "DELETE", destination, fields) + body)
        await writer.drain()
        return await _read(reader, message.get("id") if message else None, allowance)


async def _read(reader: StreamReader, wanted: int | None, allowance: Allowance) -> WireReply:
    reading = _Reading(wanted)
    parser = httptools.HttpResponseParser(reading)
    while not _is_read(reading, parser, wanted):
        part = await reader.read(PART)
        if not part:
            break
        allowance.take(len(part))
        parser.feed_data(part)
    if not reading.has_head:
        raise ServerFailed("no_http")
    reading.finish()
    return WireReply(parser.get_status_code(), reading.fields, reading.found)


def _is_read(reading: _Reading, parser: httptools.HttpResponseParser, wanted: int | None) -> bool:
    """As far as it is wanted."""
    if reading.found or not reading.has_head or parser.get_status_code() < 200:
        return reading.found is not None
    return reading.is_whole or wanted is None or parser.get_status_code() != 200
