"""One POST to somebody's server. Its host is hostile: every byte and second is bounded, and what comes back is read no
further than needed.

Written on streams (`connecting`): clients read heads of any size, and parse addresses in ways of their own.
"""

import asyncio
import re
from asyncio import StreamReader
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import NamedTuple

from config.endpoints import retry_after
from tools.hosts import HostRefused
from webhooks.addresses import Destination, destination_of
from webhooks.connecting import connected, failures_told, request_head

SECONDS = 5.0  # from connecting to the end of the answer's head
ANSWER_SECONDS = 1.0  # for the beginning of its body, which only the log shows
MOST_HEAD = 16 * 1024
MOST_ANSWER = 1024  # bytes that are kept
STATUS_LINE = re.compile(rb"HTTP/1\.[01] ([1-5][0-9]{2})[ \r]")
REASONS = frozenset({
    "ok", "status", "redirect", "timeout", "unreachable", "certificate", "no_http", "not_allowed", "private", "unknown",
    "no_url", "not_encrypted", "port", "no_secret",
})  # fmt: skip


class PostOutcome(NamedTuple):
    """`reason` is one of REASONS; `retry_after` in seconds where the server asked for it."""

    reason: str
    status: int | None = None
    answer: str = ""
    retry_after: float | None = None


class _NotSent(Exception):
    """`reason`: one of REASONS."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class _Head(NamedTuple):
    status: int
    fields: Mapping[str, str]
    rest: bytes  # what came of the body with it


def post(url: str, headers: Mapping[str, str], body: bytes) -> PostOutcome:
    """Send and say what became of it; never raises. Blocks for SECONDS and ANSWER_SECONDS at most, once the name is
    looked up."""
    try:
        destination = destination_of(url)
        with failures_told(_NotSent):
            return asyncio.run(_exchange(destination, headers, body))
    except (HostRefused, _NotSent) as error:
        return PostOutcome(error.reason)


async def _exchange(destination: Destination, headers: Mapping[str, str], body: bytes) -> PostOutcome:
    fields = {
        "User-Agent": "Acervo-Webhooks",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Accept": "*/*",
        **headers,
    }
    async with AsyncExitStack() as stack:
        async with asyncio.timeout(SECONDS):
            reader, writer = await stack.enter_async_context(connected(destination))
            writer.write(request_head("POST", destination, fields) + body)
            await writer.drain()
            head = await _read_head(reader)
        return _outcome(head, await _beginning(reader, head))


async def _read_head(reader: StreamReader) -> _Head:
    """The first that is final: of those before (1xx) nothing is wanted. MOST_HEAD bounds them all together."""
    got, searched, room = b"", 0, MOST_HEAD
    while True:
        if (end := got.find(b"\r\n\r\n", searched)) >= 0:
            head = _parsed(got[:end], got[end + 4 :])
            if head.status >= 200:
                return head
            got, searched = head.rest, 0
            continue
        searched = max(0, len(got) - 3)
        if not room or not (part := await reader.read(room)):
            raise _NotSent("no_http")
        got, room = got + part, room - len(part)


def _parsed(head: bytes, rest: bytes) -> _Head:
    first = STATUS_LINE.match(head + b"\r")
    if first is None:
        raise _NotSent("no_http")
    lines = head.decode("latin-1").split("\r\n")[1:]
    pairs = (line.partition(":") for line in lines)
    return _Head(int(first[1]), {name.strip().lower(): value.strip() for name, _colon, value in pairs}, rest)


async def _beginning(reader: StreamReader, head: _Head) -> bytes:
    """Of the body, as far as it is kept and comes soon."""
    got = head.rest
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            while len(got) < _wanted(head) and (part := await reader.read(MOST_ANSWER)):
                got += part
    except (TimeoutError, OSError):
        pass  # the head has said all that counts
    return got[: _wanted(head)]


def _wanted(head: _Head) -> int:
    length = head.fields.get("content-length", "")
    if head.status in (204, 304):
        return 0
    return min(MOST_ANSWER, int(length)) if length.isascii() and length.isdigit() and len(length) < 10 else MOST_ANSWER


def _outcome(head: _Head, answer: bytes) -> PostOutcome:
    reason = {2: "ok", 3: "redirect"}.get(head.status // 100, "status")
    return PostOutcome(reason, head.status, as_line(answer), retry_after(head.fields))


def as_line(answer: bytes) -> str:
    """As a line: what is not printed (control characters, marks of direction, broken UTF-8) is a blank."""
    text = answer.decode("utf-8", "replace").replace("\ufffd", " ")
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())[:MOST_ANSWER]
