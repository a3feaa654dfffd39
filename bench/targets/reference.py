"""The bare reference: retrieval and a streamed answer with nothing around them, to quote ratios to.

An ASGI view, aiohttp and Qdrant Edge; chunks in a dictionary. No accounts, no SQL, no files, no framework.

    python -m bench.targets.reference --port 9200 --model http://127.0.0.1:9100
"""

import argparse
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import numpy as np
import orjson
import qdrant_edge as edge

DIMENSIONS, CANDIDATES, TOP_K, BATCH = 1536, 50, 8, 100
JSON, EVENTS = b"application/json", b"text/event-stream"


class Library:
    """Chunks with a dense and a BM25 vector each; the two rankings are fused by reciprocal rank."""

    def __init__(self, folder: Path) -> None:
        dense = edge.EdgeVectorParams(DIMENSIONS, edge.Distance.Cosine, datatype=edge.VectorStorageDatatype.Float16)
        sparse = edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf)
        self.shard = edge.EdgeShard.create(str(folder), edge.EdgeConfig({"dense": dense}, {"bm25": sparse}))
        self.words = edge.Bm25(edge.Bm25Config(language="english"))
        self.texts: dict[str, str] = {}

    def add(self, texts: list[str], vectors: "np.ndarray") -> None:
        points = []
        for text, vector in zip(texts, vectors, strict=True):
            key = uuid4()
            self.texts[str(key)] = text
            both = {"dense": vector.tolist(), "bm25": self.words.embed_document(text)}
            points.append(edge.Point(key, both, {}))
        self.shard.update(edge.UpdateOperation.upsert_points(points))

    def search(self, question: str, vector: "np.ndarray") -> list[dict[str, Any]]:
        legs = [(vector.tolist(), "dense"), (self.words.embed_query(question), "bm25")]
        queries = [edge.QueryRequest(CANDIDATES, query=edge.Query.Nearest(one, using=name)) for one, name in legs]
        scores: dict[str, float] = {}
        for ranking in self.shard.query_batch(edge.QueryBatchRequest(queries)):
            for rank, hit in enumerate(ranking):
                scores[str(hit.id)] = scores.get(str(hit.id), 0.0) + 1 / (60 + rank)
        best = sorted(scores, key=scores.__getitem__, reverse=True)[:TOP_K]
        return [{"chunk": key, "text": self.texts[key], "relevance": scores[key]} for key in best]


class Reference:
    def __init__(self, folder: Path, model_url: str) -> None:
        self.library, self.model_url = Library(folder), model_url + "/v1"
        self.session: aiohttp.ClientSession | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if self.session is None:
            self.session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        body = b""
        while (message := await receive())["type"] == "http.request":
            body += message["body"]
            if not message["more_body"]:
                break
        asked = orjson.loads(body) if body else {}
        if scope["path"] == "/chat":
            await self.chat(asked["question"], send)
            return
        answer = {"/chunks": self.fill, "/retrieve": self.retrieve}.get(scope["path"], self.health)
        await start(send, JSON)
        await send({"type": "http.response.body", "body": orjson.dumps(await answer(asked))})

    async def health(self, asked: Any) -> Any:
        return {"status": "ok"}

    async def fill(self, asked: Any) -> Any:
        for first in range(0, len(asked["texts"]), BATCH):
            texts = asked["texts"][first : first + BATCH]
            self.library.add(texts, await self.embedded(texts))
        return {"chunks": len(self.library.texts)}

    async def retrieve(self, asked: Any) -> Any:
        return {"chunks": self.library.search(asked["query"], (await self.embedded([asked["query"]]))[0])}

    async def embedded(self, texts: list[str]) -> "np.ndarray":
        body = orjson.dumps({"model": "bench", "input": texts, "encoding_format": "base64"})
        async with self.session.post(self.model_url + "/embeddings", data=body) as response:
            rows = orjson.loads(await response.read())["data"]
        import binascii

        return np.stack([np.frombuffer(binascii.a2b_base64(row["embedding"]), "<f4") for row in rows])

    async def chat(self, question: str, send: Any) -> None:
        found = (await self.retrieve({"query": question}))["chunks"]
        await start(send, EVENTS)
        await push(send, b"event: sources\ndata: %b\n\n" % orjson.dumps(found))
        messages = [{"role": "user", "content": "\n\n".join(one["text"] for one in found) + "\n\n" + question}]
        asked = orjson.dumps({"model": "bench", "stream": True, "messages": messages})
        async with self.session.post(self.model_url + "/chat/completions", data=asked) as response:
            async for texts in deltas(response):
                await push(send, b'event: token\ndata: {"token":%b}\n\n' % orjson.dumps(texts))
        await push(send, b'event: done\ndata: {"status":"complete"}\n\n', more=False)


async def deltas(response: aiohttp.ClientResponse) -> AsyncIterator[str]:
    """The text of each read of the model's stream; the loopback model never cuts a line."""
    async for block in response.content.iter_any():
        lines = [line[6:] for line in block.split(b"\n") if line.startswith(b"data: {")]
        choices = [chunk["choices"] for chunk in map(orjson.loads, lines)]
        if text := "".join(one[0]["delta"].get("content", "") for one in choices if one):
            yield text


async def start(send: Any, kind: bytes) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind)]})


async def push(send: Any, block: bytes, *, more: bool = True) -> None:
    await send({"type": "http.response.body", "body": block, "more_body": more})


def main() -> None:
    import uvicorn

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--model", required=True)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="acervo-bench-reference-", ignore_cleanup_errors=True) as folder:
        app = Reference(Path(folder), asked.model)
        options = {"loop": "asyncio", "http": "httptools", "lifespan": "off", "backlog": 8192, "log_level": "warning"}
        uvicorn.run(app, host="127.0.0.1", port=asked.port, access_log=False, **options)


if __name__ == "__main__":
    main()
