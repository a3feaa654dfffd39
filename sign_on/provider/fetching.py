"""One request to an organization's provider, whose host is hostile: every byte and second is bounded.

Written on streams (`webhooks.connecting`): clients follow, wait and read as the other side likes.
"""

import asyncio
import json
import time
from asyncio import StreamReader
from collections.abc import Mapping
from typing import Any

import httptools
from django.conf import settings

from accounts.limits.places import Places
from accounts.problems import Busy
from retrieval.waiting.breaker import Breakers
from sign_on.problems import ProviderFailed
from tools.hosts import HostRefused
from webhooks.addresses import Destination, Outside, check_address, check_written_address, destination_of
from webhooks.connecting import connected, failures_told, request_head

SECONDS = 5.0  # from connecting to the answer's last byte
MOST_ANSWER = 512 * 1024  # bytes, head and body; Microsoft's keys are 15 KB
PART = 64 * 1024
AT_ONCE, OF_ONE = 2, 1  # requests in a process, and for one issuer: a slow one holds no more of its threads
TURN_SECONDS = 1.0
SLOW_SECONDS = 3.0  # an answer that takes so long is as none
REST_SECONDS = 30.0  # of one that was slow three times in a row
places = Places(AT_ONCE, TURN_SECONDS, OF_ONE)
breakers = Breakers("identity provider", REST_SECONDS)


def asked_outside() -> Outside:
    return Outside(settings.SIGN_ON_HOSTS, settings.SIGN_ON_NETWORKS, settings.SIGN_ON_PLAIN_HTTP)


def check_provider_address(url: str, *, is_for_browsers: bool = False) -> None:
    """Whether it may be one of a provider: that is asked from here, or that browsers are led to. Raises
    ProviderFailed."""
    check = check_written_address if is_for_browsers else check_address
    try:
        check(url, asked_outside())
    except HostRefused as error:
        raise ProviderFailed(error.reason) from None


def fetch_object(
    issuer: str, method: str, url: str, headers: Mapping[str, str] | None = None, body: bytes = b""
) -> dict[str, Any]:
    """The JSON object that a 200 answers. Blocks for TURN_SECONDS and SECONDS at most, once the name is looked up.
    Counted for the issuer, who says which servers are asked: those may be somebody else's. Raises ProviderFailed."""
    try:
        with places.taken(issuer):
            status, answer = _guarded(issuer, method, url, headers or {}, body)
    except Busy:
        raise ProviderFailed("busy") from None
    if status != 200:
        raise ProviderFailed("redirect" if status // 100 == 3 else "status")
    try:
        told = json.loads(answer)
    except (ValueError, RecursionError):
        raise ProviderFailed("no_json") from None
    if not isinstance(told, dict):
        raise ProviderFailed("no_json")
    return told


def _guarded(issuer: str, method: str, url: str, headers: Mapping[str, str], body: bytes) -> tuple[int, bytes]:
    """Who has not answered in time is not asked for a while."""
    breaker = breakers.of(issuer)
    if not breaker.allows():
        raise ProviderFailed("resting")
    began = time.monotonic()
    try:
        return _exchange(method, url, headers, body)
    finally:
        if time.monotonic() - began < SLOW_SECONDS:
            breaker.succeeded()
        else:
            breaker.failed()


def _exchange(method: str, url: str, headers: Mapping[str, str], body: bytes) -> tuple[int, bytes]:
    try:
        destination = destination_of(url, asked_outside())
    except HostRefused as error:
        raise ProviderFailed(error.reason) from None
    fields = {
        "Accept": "application/json",
        **({"Content-Length": str(len(body))} if body else {}),
        **headers,
    }
    with failures_told(ProviderFailed):
        return asyncio.run(_ask(destination, request_head(method, destination, fields) + body))


class _Answer:
    """What httptools tells of it. Without a length it ends where the connection does."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.has_end = self.has_head = self.is_whole = False

    def on_header(self, name: bytes, value: bytes) -> None:
        self.has_end |= name.lower() in (b"content-length", b"transfer-encoding")

    def on_headers_complete(self) -> None:
        self.has_head = True

    def on_body(self, body: bytes) -> None:
        self.parts.append(body)

    def on_message_complete(self) -> None:
        self.is_whole = True


async def _ask(destination: Destination, request: bytes) -> tuple[int, bytes]:
    async with asyncio.timeout(SECONDS), connected(destination) as (reader, writer):
        writer.write(request)
        await writer.drain()
        return await _read(reader)


async def _read(reader: StreamReader) -> tuple[int, bytes]:
    answer, room = _Answer(), MOST_ANSWER
    parser = httptools.HttpResponseParser(answer)
    while not answer.is_whole:
        part = await reader.read(min(PART, room))
        if not part:
            break
        room -= len(part)
        if not room:
            raise ProviderFailed("too_much")
        parser.feed_data(part)
    if not (answer.is_whole or (answer.has_head and not answer.has_end)):
        raise ProviderFailed("no_http")
    return parser.get_status_code(), b"".join(answer.parts)
