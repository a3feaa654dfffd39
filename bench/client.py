"""The load: questions whose answers are streamed, and retrievals, from many users at once. Loopback only.

Streams are read by a bare protocol, not by an HTTP client: at 2,000 streams of 20 tokens a second the client must
not be what is measured.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import aiohttp
import orjson

from bench.processes import Server

FIRST, LAST = b"event: token", b"event: done"
END_BYTES = 600  # the last event fits into it
ANSWER_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Target:
    """Where a system takes questions and queries, and in which shape."""

    server: Server
    chat: str
    retrieve: str
    headers: dict[str, str]
    chat_body: Callable[[str], dict[str, Any]]

    def request(self, question: str) -> bytes:
        body = orjson.dumps(self.chat_body(question))
        head = f"POST {self.chat} HTTP/1.1\r\nHost: 127.0.0.1:{self.server.port}\r\nConnection: close\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
        return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


class Answer(asyncio.Protocol):
    """One streamed answer, from connecting to its last byte. Times of the loop, in seconds."""

    def __init__(self, request: bytes, asked: float) -> None:
        self.request, self.asked = request, asked
        self.first: float | None = None
        self.ended = asyncio.get_running_loop().create_future()
        self.tokens = self.size = 0
        self.head = self.tail = b""

    def connection_made(self, transport: Any) -> None:
        transport.write(self.request)

    def data_received(self, received: bytes) -> None:
        if self.first is None:
            self.head += received
            if (place := self.head.find(FIRST)) < 0:
                return
            self.first, received = asyncio.get_running_loop().time(), self.head[place:]
        self.size += len(received)
        self.tokens += received.count(b"~")
        self.tail = self.tail[-END_BYTES:] + received

    def connection_lost(self, error: Exception | None) -> None:
        if not self.ended.done():
            self.ended.set_result(None)

    @property
    def complete(self) -> bool:
        return self.head.startswith(b"HTTP/1.1 200") and b'"status":"complete"' in self.tail

    @property
    def token_bytes(self) -> int:
        """Bytes on the wire, chunk framing included, from the first token's event to the end's."""
        return self.size - (len(self.tail) - self.tail.rfind(LAST))

    @property
    def first_token_ms(self) -> float:
        return 1000 * (self.first - self.asked) if self.first is not None else float("inf")


AnyAnswer = TypeVar("AnyAnswer", bound=Answer)


async def ask(target: Target, question: str, kind: type[AnyAnswer]) -> AnyAnswer:
    loop = asyncio.get_running_loop()
    answer = kind(target.request(question), loop.time())
    try:
        transport, _ = await loop.create_connection(lambda: answer, "127.0.0.1", target.server.port)
    except OSError:
        return answer
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            await answer.ended
    except TimeoutError:
        pass
    finally:
        transport.close()
    return answer


async def crowd(target: Target, questions: Iterable[str], users: int, spread: float) -> list[Answer]:
    """Users who begin evenly over `spread` seconds and ask on, each when the last answer has ended."""
    waiting, answers = list(questions), []

    async def user(number: int) -> None:
        await asyncio.sleep(spread * number / users)
        while waiting:
            answers.append(await ask(target, waiting.pop(), Answer))

    await asyncio.gather(*(user(number) for number in range(users)))
    return answers


async def arrivals(target: Target, questions: list[str], per_second: float) -> list[Answer]:
    """One answer a question, opened at an even rate whatever became of those before."""

    async def user(number: int, question: str) -> Answer:
        await asyncio.sleep(number / per_second)
        return await ask(target, question, Answer)

    return list(await asyncio.gather(*(user(number, one) for number, one in enumerate(questions))))


@dataclass(frozen=True, slots=True)
class Found:
    """One retrieval: milliseconds that the client waited, and what the server says of it."""

    ms: float
    body: dict[str, Any]


async def retrievals(target: Target, questions: Iterable[str], users: int, seconds: float) -> list[Found]:
    """Users who each send the next query when the last was answered, on connections that stay open."""
    waiting, found = list(questions), []
    end = time.monotonic() + seconds
    connector = aiohttp.TCPConnector(limit=users)
    async with aiohttp.ClientSession(target.server.url, headers=target.headers, connector=connector) as session:

        async def user() -> None:
            while time.monotonic() < end:
                start = time.perf_counter()
                async with session.post(target.retrieve, json={"query": waiting.pop()}) as response:
                    body = await response.read()
                    response.raise_for_status()
                found.append(Found(1000 * (time.perf_counter() - start), orjson.loads(body)))

        await together(user, users)
    return found


async def together(user: Callable[[], Awaitable[None]], users: int) -> None:
    await asyncio.gather(*(user() for _ in range(users)))
