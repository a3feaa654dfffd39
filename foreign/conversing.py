"""A tool server is asked, in the Model Context Protocol over HTTP: what tools it has, and one call.

Each use is a session of its own. The client offers nothing (no sampling, no roots, no elicitation) and sends nothing of
whoever asks but a tool's arguments.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from itertools import count
from typing import Any, NamedTuple, TypeVar

from django.conf import settings

from accounts.limits.places import Places
from config.concurrency.pooled import give_back_connection
from config.metrics.answering import FOREIGN_REQUESTS
from foreign.models import ToolServer
from foreign.problems import ServerUnavailable, problem_of_server
from foreign.wire import Allowance, ServerFailed, WireReply, post_message
from retrieval.waiting.breaker import Breakers
from tools.hosts import HostRefused
from tools.sealing import SealLost
from webhooks.addresses import Destination, Outside, check_address, destination_of
from webhooks.connecting import failures_told

SECONDS, MOST_BYTES = 10.0, 2 * 1024 * 1024  # of one use, over all of its requests
END_SECONDS = 1.0  # for the word that it is over
MOST_PAGES, MOST_TOOLS = 20, 200  # of a server's list
AT_ONCE, OF_ONE, PATIENCE = 4, 2, 3.0  # uses in a process, of one organization, seconds that one is waited for
ASKED_FOR, UNDERSTOOD = "2025-06-18", frozenset({"2025-03-26", "2025-06-18", "2025-11-25"})
SESSION_ID = re.compile(r"[\x21-\x7e]{1,256}")
LONGEST_CURSOR = 2_000
Said = TypeVar("Said")
places = Places(AT_ONCE, PATIENCE, OF_ONE)
breakers = Breakers("tool server")


class ListedTools(NamedTuple):
    """As the server sent them: nothing in them is looked at yet. `is_cut`: there are more."""

    tools: list[dict[str, Any]]
    is_cut: bool
    protocol_version: str


class RpcRefused(Exception):
    """The server answered a request with an error; `said` is its word, untrusted."""

    def __init__(self, said: str) -> None:
        super().__init__("refused")
        self.said = said


def server_outside() -> Outside:
    return Outside(settings.TOOL_SERVER_HOSTS, settings.TOOL_SERVER_NETWORKS, settings.TOOL_SERVER_PLAIN_HTTP)


def check_server_address(url: str) -> None:
    """Whether it may be a server's. Raises HostRefused."""
    check_address(url, server_outside())


class Session:
    """What one use of a server sends, in its order. `start` is first."""

    def __init__(self, destination: Destination, headers: Mapping[str, str]) -> None:
        self.destination, self.headers = destination, dict(headers)
        self.allowance, self.numbers = Allowance(MOST_BYTES), count(1)
        self.protocol_version = ""

    async def start(self) -> None:
        client = {"name": "Acervo", "version": "1"}
        asked = {"protocolVersion": ASKED_FOR, "capabilities": {}, "clientInfo": client}
        result, reply = await self._exchange("initialize", asked)
        version = result.get("protocolVersion")
        if not isinstance(version, str) or version not in UNDERSTOOD:
            raise ServerFailed("protocol")
        self.protocol_version = self.headers["MCP-Protocol-Version"] = version
        if session := reply.fields.get("mcp-session-id", ""):
            if not SESSION_ID.fullmatch(session):
                raise ServerFailed("no_mcp")
            self.headers["Mcp-Session-Id"] = session
        started = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        await post_message(self.destination, self.headers, started, self.allowance)

    async def end(self) -> None:
        """Tell a server that keeps sessions that this one is over; whatever comes of that."""
        if "Mcp-Session-Id" not in self.headers:
            return
        try:
            with failures_told(ServerFailed):
                async with asyncio.timeout(END_SECONDS):
                    await post_message(self.destination, self.headers, None, self.allowance)
        except ServerFailed:
            pass  # what was asked for has been answered

    async def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """The result. Raises RpcRefused and ServerFailed."""
        return (await self._exchange(method, params))[0]

    async def _exchange(self, method: str, params: Mapping[str, Any]) -> tuple[dict[str, Any], WireReply]:
        message = {"jsonrpc": "2.0", "id": next(self.numbers), "method": method, "params": params}
        reply = await post_message(self.destination, self.headers, message, self.allowance)
        if reply.status != 200:
            raise ServerFailed(_reason_of(reply.status), reply.fields.get("location", ""))
        if reply.message is None:
            raise ServerFailed("no_mcp")
        error, result = reply.message.get("error"), reply.message.get("result")
        if error is not None:
            said = error.get("message") if isinstance(error, dict) else None
            raise RpcRefused(said if isinstance(said, str) else "")
        if not isinstance(result, dict):
            raise ServerFailed("no_mcp")
        return result, reply

    async def list_tools(self) -> ListedTools:
        found: list[dict[str, Any]] = []
        params: dict[str, Any] = {}
        for _page in range(MOST_PAGES):
            result = await self.request("tools/list", params)
            tools, cursor = result.get("tools"), result.get("nextCursor")
            if not isinstance(tools, list):
                raise ServerFailed("no_mcp")
            found += [one for one in tools if isinstance(one, dict)]
            if not cursor or len(found) > MOST_TOOLS:
                break
            if not isinstance(cursor, str) or len(cursor) > LONGEST_CURSOR:
                raise ServerFailed("no_mcp")
            params = {"cursor": cursor}
        return ListedTools(found[:MOST_TOOLS], bool(cursor) or len(found) > MOST_TOOLS, self.protocol_version)


def _reason_of(status: int) -> str:
    if status in (401, 403):
        return "unauthorized"
    return "redirect" if status // 100 == 3 else "status"


def use_server(
    server: ToolServer, what: Callable[[Session], Awaitable[Said]], *, rests_after_failures: bool = True
) -> Said:
    """Do this in a session with the server. Blocks for PATIENCE, SECONDS and END_SECONDS at most, once the name is
    looked up. One that failed rests alone, but for an admin who wants to know why. Raises ServerUnavailable,
    ServerUnusable, Busy, RpcRefused."""
    breaker = breakers.of(server.pk)
    if rests_after_failures and not breaker.allows():
        FOREIGN_REQUESTS.labels("resting").inc()
        raise ServerUnavailable(reason="resting")
    try:
        with places.taken(server.organization_id):
            give_back_connection()
            said = _blocking(server, what)
    except ServerFailed as failure:
        problem = problem_of_server(failure.reason, failure.elsewhere)
        FOREIGN_REQUESTS.labels(failure.reason).inc()
        if isinstance(problem, ServerUnavailable):
            breaker.failed()
        else:
            breaker.succeeded()
        raise problem from None
    except RpcRefused:
        FOREIGN_REQUESTS.labels("refused").inc()
        breaker.succeeded()
        raise
    FOREIGN_REQUESTS.labels("ok").inc()
    breaker.succeeded()
    return said


def _blocking(server: ToolServer, what: Callable[[Session], Awaitable[Said]]) -> Said:
    try:
        destination = destination_of(server.url, server_outside())
        with failures_told(ServerFailed):
            return asyncio.run(_within_time(Session(destination, server.headers), what))
    except HostRefused as error:
        raise ServerFailed(error.reason) from None
    except SealLost:
        raise ServerFailed("no_credential") from None


async def _within_time(session: Session, what: Callable[[Session], Awaitable[Said]]) -> Said:
    try:
        async with asyncio.timeout(SECONDS):
            await session.start()
            return await what(session)
    finally:
        await session.end()
