"""A small, fast, OpenAI-compatible model server on loopback, so that what is measured is Acervo and not the model.

    python -m bench.model_server --port 9100 [--vectors FILE.npz]

`POST /v1/embeddings`, `POST /v1/chat/completions` (streamed), `GET /stats`, `POST /config` with any of `Pace`'s
fields. Every token ends in `~`, so a client counts tokens whatever frames they come in. `--vectors` holds `texts` (n,)
and `vectors` (n, dimensions): those texts have those embeddings.
"""

import argparse
import asyncio
import base64
import re
import time
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any
from zlib import crc32

import httptools
import numpy as np
import orjson

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\n%b\r\n"
STREAM_HEAD = HEAD % (b"text/event-stream", b"Transfer-Encoding: chunked\r\n")
TOKEN = " wxy~"
WORD = re.compile(r"\w+")
known_embeddings: dict[str, bytes] = {}


@dataclass(slots=True)
class Pace:
    """How fast the model is. Milliseconds, tokens a second, tokens an answer."""

    ttft_ms: float = 200.0
    tps: float = 20.0
    tokens: int = 100
    embed_ms: float = 5.0
    embed_item_ms: float = 0.0


@dataclass(slots=True)
class Counts:
    """What was asked for and given since the start. `late_ms`: how much later than due tokens left, in total."""

    chats: int = 0
    tokens: int = 0
    aborted: int = 0
    late_ms: float = 0.0
    embed_requests: int = 0
    embed_items: int = 0


@lru_cache(maxsize=200_000)
def slot(word: str) -> int:
    return crc32(word.encode())


def embedding(text: str, dimensions: int) -> bytes:
    """Hashed words, L2-normalised, as little-endian float32: texts that share words are near each other."""
    if known := known_embeddings.get(text):
        return known
    words = WORD.findall(text.lower()) or ["nothing"]
    hashes = np.fromiter(map(slot, words), dtype=np.int64, count=len(words))
    counts = np.bincount(hashes % (2 * dimensions), minlength=2 * dimensions)
    vector = np.log1p(counts[:dimensions]) - np.log1p(counts[dimensions:])
    return (vector / (np.linalg.norm(vector) or 1.0)).astype("<f4").tobytes()


def embeddings(asked: dict[str, Any]) -> bytes:
    texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
    dimensions = asked.get("dimensions", 1536)
    rows = [
        {"index": index, "embedding": base64.b64encode(embedding(text, dimensions)).decode()}
        for index, text in enumerate(texts)
    ]
    return orjson.dumps({"data": rows, "usage": {"prompt_tokens": 1, "total_tokens": 1}})


class ModelServer:
    def __init__(self) -> None:
        self.pace, self.counts = Pace(), Counts()
        self.loop = asyncio.get_running_loop()

    def configure(self, wanted: dict[str, float]) -> None:
        for field in fields(Pace):
            if field.name in wanted:
                setattr(self.pace, field.name, wanted[field.name])


class Connection(asyncio.Protocol):
    """One client connection; requests on it come one after another."""

    def __init__(self, server: ModelServer) -> None:
        self.server = server
        self.stream: Stream | None = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.parser = httptools.HttpRequestParser(self)

    def connection_lost(self, error: Exception | None) -> None:
        if self.stream is not None:
            self.stream.timer.cancel()
            self.server.counts.aborted += 1

    def data_received(self, received: bytes) -> None:
        self.parser.feed_data(received)

    def on_message_begin(self) -> None:
        self.url, self.body, self.arrived = b"", b"", self.server.loop.time()

    def on_url(self, url: bytes) -> None:
        self.url += url

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        path = self.url.partition(b"?")[0]
        asked = orjson.loads(self.body) if self.body else {}
        if path.endswith(b"/chat/completions"):
            self.stream = Stream(self)
        elif path.endswith(b"/embeddings"):
            self.embed(asked)
        else:
            self.server.configure(asked)
            self.answer(orjson.dumps(asdict(self.server.counts)))

    def embed(self, asked: dict[str, Any]) -> None:
        pace, counts, items = self.server.pace, self.server.counts, len(asked["input"])
        counts.embed_requests += 1
        counts.embed_items += items
        due = self.arrived + (pace.embed_ms + pace.embed_item_ms * items) / 1000
        self.server.loop.call_at(due, self.answer, embeddings(asked))

    def answer(self, body: bytes) -> None:
        self.transport.write(HEAD % (b"application/json", b"Content-Length: %d\r\n" % len(body)) + body)


class Stream:
    """One answer on its way: a timer for the next token, each due at its own time whatever came before."""

    def __init__(self, connection: Connection) -> None:
        self.connection, self.server = connection, connection.server
        self.sent, self.wanted = 0, int(self.server.pace.tokens)
        self.server.counts.chats += 1
        start = {"id": f"chatcmpl-{time.monotonic_ns()}", "object": "chat.completion.chunk", "model": "bench"}
        self.start = orjson.dumps(start)[:-1]
        connection.transport.write(STREAM_HEAD + self.chunk({"role": "assistant", "content": ""}))
        self.frame = self.chunk({"content": TOKEN})
        self.due = connection.arrived + self.server.pace.ttft_ms / 1000
        self.timer = self.server.loop.call_at(self.due, self.step)

    def chunk(self, delta: dict[str, str], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return self.framed(b'data: %b,"choices":[%b]}\n\n' % (self.start, orjson.dumps(choice)))

    @staticmethod
    def framed(block: bytes) -> bytes:
        return b"%x\r\n%b\r\n" % (len(block), block)

    def step(self) -> None:
        counts, now = self.server.counts, self.server.loop.time()
        self.connection.transport.write(self.frame)
        counts.tokens += 1
        counts.late_ms += 1000 * (now - self.due)
        self.sent += 1
        if self.sent < self.wanted:
            self.due += 1 / self.server.pace.tps
            self.timer = self.server.loop.call_at(self.due, self.step)
            return
        usage = b'data: %b,"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":%d}}\n\ndata: [DONE]\n\n'
        end = self.chunk({}, "stop") + self.framed(usage % (self.start, self.sent)) + b"0\r\n\r\n"
        self.connection.stream = None
        self.connection.transport.write(end)


async def serve(port: int) -> None:
    model = ModelServer()
    server = await model.loop.create_server(lambda: Connection(model), "127.0.0.1", port, backlog=8192)
    await server.serve_forever()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--port", type=int, required=True)
    arguments.add_argument("--vectors", type=Path)
    asked = arguments.parse_args()
    if asked.vectors:
        with np.load(asked.vectors) as known:
            known_embeddings |= dict(
                zip(known["texts"].tolist(), (row.tobytes() for row in known["vectors"]), strict=True)
            )
    asyncio.run(serve(asked.port))
