"""One small POST to a model's server from the event loop, its whole answer before a deadline (`embeddings.openai`,
`ranking.rerank.http`).

For what a question waits for, where a millisecond counts (ADR 0011); everything else goes through the SDKs.
"""

import asyncio
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

import aiohttp

from config.concurrency.loops import PerLoop
from config.endpoints import allowed_endpoint
from config.observability.tracing import NoSpan, carried, span

LONGEST_ANSWER = 64 * 1024 * 1024


class NoAnswer(Exception):
    """Refused, reset, cut off, not in time, unknown host, bad certificate, not HTTP: no answer that is one."""


class ServerReply(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


def _open_session() -> aiohttp.ClientSession:
    """Without a cap: who may ask how often at once is decided before (`concurrency.turns`). No cookies, and no proxies
    of the environment."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=30, ttl_dns_cache=60),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": "acervo", "Accept": "application/json", "Accept-Encoding": "identity"},
        timeout=aiohttp.ClientTimeout(total=None),
    )


_SESSIONS = PerLoop(_open_session, aiohttp.ClientSession.close)


class JsonServer:
    """An address from the settings that takes JSON."""

    def __init__(self, url: str, api_key: str = "") -> None:
        """Raises EndpointNotAllowed for an address that may not be called (R20), ValueError for a key that is none."""
        self._url = allowed_endpoint(url)
        if not (api_key.isascii() and api_key.isprintable()):
            raise ValueError("the key of a model endpoint is printable ASCII")
        self._host = urlsplit(self._url).hostname or ""
        self._headers = {"Content-Type": "application/json"}
        if api_key:
            self._headers["Authorization"] = f"Bearer {api_key}"

    async def post(self, body: bytes, deadline: float) -> ServerReply:
        """`deadline` in the loop's time covers all of it: connecting, and a server that trickles. Raises NoAnswer."""
        with span("POST", "CLIENT", server__address=self._host) as here:
            return await self._post(body, {**self._headers, **carried()}, deadline, here)

    async def _post(self, body: bytes, headers: dict[str, str], deadline: float, here: NoSpan) -> ServerReply:
        session = await _SESSIONS.get()
        try:
            async with (
                asyncio.timeout_at(deadline),
                session.post(self._url, data=body, headers=headers, allow_redirects=False) as response,
            ):
                here.note(http__response__status_code=response.status)
                return ServerReply(response.status, response.headers, await _whole(response))
        except (aiohttp.ClientError, OSError) as error:  # TimeoutError is one
            raise NoAnswer(type(error).__name__) from None


async def _whole(response: aiohttp.ClientResponse) -> bytes:
    parts, size = [], 0
    async for part in response.content.iter_any():
        size += len(part)
        if size > LONGEST_ANSWER:
            raise aiohttp.ClientPayloadError("the answer is too long")
        parts.append(part)
    return b"".join(parts)
