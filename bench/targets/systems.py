"""The two systems under the same questions: Acervo and the bare reference, with as many chunks each."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from bench.acervo import Api, Installation, idle
from bench.client import Target
from bench.processes import Server
from bench.targets import documents

CHUNK_CHARACTERS = 3_400  # of the generated documents' passages of 800 tokens


class Model:
    """The loopback model server, and its counts."""

    def __init__(self, server: Server) -> None:
        self.server = server

    async def at(self, **pace: float) -> dict[str, float]:
        """Set its pace; its counts so far."""
        async with (
            aiohttp.ClientSession(self.server.url) as session,
            session.post("/config", json=pace) as response,
        ):
            counts: dict[str, float] = await response.json(content_type=None)
            return counts


@dataclass(frozen=True)
class Library:
    """An installation with documents, the slug of an agent that answers from them, and how many chunks they are."""

    installation: Installation
    agent: str
    chunks: int


async def filled(installation: Installation, model: Model, paths: list[Path]) -> Library:
    """Have an installation ingest files."""
    await model.at(embed_ms=0, embed_item_ms=0)
    with installation.serve() as server:
        server.until_ready()
        async with Api(server, installation.key) as api:
            corpus = await api.corpus("Bench")
            await api.upload(corpus, paths, 4)
            ended = await api.until_ended(corpus)
            if failed := [one["error"] for one in ended if one["status"] != "indexed"]:
                raise RuntimeError(f"documents failed: {failed[:3]}")
            return Library(installation, await api.agent(corpus), sum(one["chunk_count"] for one in ended))


@asynccontextmanager
async def acervo(library: Library) -> AsyncIterator[Target]:
    with library.installation.copy() as copy, copy.serve() as server:
        server.until_ready()
        idle(server)
        yield target_of(server, library.agent, copy.key)


def target_of(server: Server, agent: str, key: str) -> Target:
    path, headers = f"/api/agents/{agent}", {"Authorization": f"Bearer {key}"}
    return Target(server, f"{path}/chat/", f"{path}/retrieve/", headers, as_messages)


def as_messages(question: str) -> dict[str, object]:
    return {"messages": [{"role": "user", "content": question}]}


@asynccontextmanager
async def reference(model: Model, chunks: int) -> AsyncIterator[Target]:
    await model.at(embed_ms=0, embed_item_ms=0)
    text = documents.text_of_chunks("reference", chunks)
    pieces = [text[start : start + CHUNK_CHARACTERS] for start in range(0, len(text), CHUNK_CHARACTERS)][:chunks]
    with tempfile.TemporaryDirectory(prefix="acervo-bench-log-") as folder:
        arguments = ["-m", "bench.targets.reference", "--model", model.server.url]
        with Server(arguments, Path(folder) / "log") as server:
            server.until_ready()
            async with (
                aiohttp.ClientSession(server.url) as session,
                session.post("/chunks", json={"texts": pieces}) as response,
            ):
                response.raise_for_status()
            yield Target(server, "/chat", "/retrieve", {}, lambda question: {"question": question})
