"""One POST to somebody's server. Its host is hostile: every byte and second is bounded, no redirect is followed, no
proxy of the environment asked, no cookie kept, and what comes back is read no further than needed.

Written on streams alone: clients read heads of any size, and parse addresses in ways of their own.
"""

import asyncio
import re
import ssl
from asyncio import StreamReader
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from config.endpoints import retry_after
from tools.hosts import HostRefused
from webhooks.addresses import Destination, destination_of

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


class _NoHttp(Exception):
    """What came back is no answer."""


class _Head(NamedTuple):
    status: int
    fields: Mapping[str, str]
    rest: bytes  # what came of the body with it


def post(url: str, headers: Mapping[str, str], body: bytes) -> PostOutcome:
    """Send and say what became of it; never raises. Blocks for SECONDS and ANSWER_SECONDS at most, once the name is
    looked up."""
    try:
        return asyncio.run(_exchange(destination_of(url), headers, body))
    except HostRefused as error:
        return PostOutcome(error.reason)
    except TimeoutError:
        return PostOutcome("timeout")
    except ssl.SSLCertVerificationError:
        return PostOutcome("certificate")
    except OSError:  # refused, reset, no route, a TLS that fails
        return PostOutcome("unreachable")
    except _NoHttp:
        return PostOutcome("no_http")
    except ValueError:  # a name that TLS cannot ask for
        return PostOutcome("no_url")


async def _exchange(destination: Destination, headers: Mapping[str, str], body: bytes) -> PostOutcome:
    writer = None
    try:
        async with asyncio.timeout(SECONDS):
            reader, writer = await asyncio.open_connection(
                destination.address,
                destination.port,
                ssl=_verifying() if destination.is_encrypted else None,
                server_hostname=destination.host if destination.is_encrypted else None,
            )
            writer.write(_request(destination, headers, body))
            await writer.drain()
            head = await _read_head(reader)
        return _outcome(head, await _beginning(reader, head))
    finally:
        if writer is not None:
            writer.transport.abort()  # an orderly end of TLS would wait for the other side


@cache
def _verifying() -> ssl.SSLContext:
    return ssl.create_default_context()


def _request(destination: Destination, headers: Mapping[str, str], body: bytes) -> bytes:
    fields = {
        "Host": destination.named,
        "User-Agent": "Acervo-Webhooks",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        "Connection": "close",
        **headers,
    }
    lines = [f"POST {destination.path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body


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
            raise _NoHttp
        got, room = got + part, room - len(part)


def _parsed(head: bytes, rest: bytes) -> _Head:
    first = STATUS_LINE.match(head + b"\r")
    if first is None:
        raise _NoHttp
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
