"""An embedded Acervo of its own: a temporary DATA_DIR, one server process, and the calls that the measures make."""

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from bench.processes import ROOT, Server

BUSY = ("pending", "processing")
BEYOND_REACH = {
    per: {"streams": 0} | dict.fromkeys(("questions", "searches", "writes", "tokens_day", "tokens_month"), 10**9)
    for per in ("user", "organization")
}
PATIENCE_SECONDS = 180.0
POLL_SECONDS = 0.1


@dataclass(frozen=True)
class Installation:
    """A DATA_DIR with the sample organization, whose models are all at one loopback address."""

    folder: Path
    environment: dict[str, str]
    key: str

    @classmethod
    def create(cls, folder: Path, model_url: str) -> "Installation":
        environment = environment_for(folder, model_url)
        manage(environment, "migrate", "--verbosity", "0")
        made = json.loads(manage(environment, "demo", "--json"))
        admin = next(user for user in made["users"] if user["role"] == "admin")
        return cls(folder, environment, admin["api_key"])

    def duplicate(self, folder: Path) -> "Installation":
        """The same installation in another folder. Its server must not run meanwhile."""
        shutil.copytree(self.folder, folder)
        return Installation(folder, {**self.environment, "DATA_DIR": str(folder)}, self.key)

    @contextmanager
    def copy(self) -> Iterator["Installation"]:
        """A duplicate that is removed at the end."""
        with tempfile.TemporaryDirectory(prefix="acervo-bench-run-", ignore_cleanup_errors=True) as name:
            yield self.duplicate(Path(name) / "data")

    def serve(self) -> Server:
        return Server(["manage.py", "serve"], self.folder / "server.log", self.environment)


def environment_for(folder: Path, model_url: str) -> dict[str, str]:
    """Every setting that matters; an empty one wins over a `.env` beside manage.py."""
    nothing = dict.fromkeys(("QDRANT_URL", "PGVECTOR_URL", "DATABASE_URL", "AWS_STORAGE_BUCKET_NAME", "INGEST_DIR"), "")
    return {
        **nothing,
        "DATA_DIR": str(folder),
        "OPENAI_BASE_URL": model_url + "/v1",
        "OPENAI_API_KEY": "bench",
        "EMBEDDING_MODEL": "text-embedding-3-small",
        "CHAT_MODEL": "openai:bench",
        "LOG_LEVEL": "WARNING",
        "LIMITS": json.dumps(BEYOND_REACH),  # counted as for everybody, and never met
    }


def manage(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=Server.environment(environment), capture_output=True, text=True, timeout=300
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stderr[-2000:]}")
    return done.stdout


class Api:
    """The calls of API.md that prepare and observe. Use as an asynchronous context manager."""

    def __init__(self, server: Server, key: str) -> None:
        self.url, self.headers = server.url, {"Authorization": f"Bearer {key}"}

    async def __aenter__(self) -> "Api":
        timeout = aiohttp.ClientTimeout(total=PATIENCE_SECONDS)
        self.session = aiohttp.ClientSession(self.url, headers=self.headers, timeout=timeout)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.session.close()

    async def ask(self, method: str, path: str, **body: Any) -> Any:
        async with self.session.request(method, path, **body) as response:
            if response.status >= 400:
                raise RuntimeError(f"{method} {path}: {response.status} {(await response.text())[:500]}")
            return await response.json()

    async def corpus(self, name: str) -> str:
        """Id of a new global corpus."""
        corpus = await self.ask("POST", "/api/corpora/", json={"name": name, "corpus_type": "global"})
        return str(corpus["id"])

    async def agent(self, corpus: str) -> str:
        """Slug of a new agent that answers from one corpus, with the defaults of a new agent."""
        agent = await self.ask("POST", "/api/agents/", json={"name": "Bench", "max_tokens": 8_000})
        await self.ask("POST", f"/api/agents/{agent['id']}/corpora/", json={"corpus": corpus})
        return str(agent["slug"])

    async def upload(self, corpus: str, paths: Sequence[Path], at_once: int) -> int:
        """Send files, some at once; how many were taken in."""
        waiting, taken = list(reversed(paths)), 0

        async def sender() -> None:
            nonlocal taken
            while waiting:
                path = waiting.pop()
                form = aiohttp.FormData()
                form.add_field("file", path.read_bytes(), filename=path.name)
                async with self.session.post(f"/api/corpora/{corpus}/documents/", data=form) as response:
                    await response.read()
                    taken += response.status == 202

        await asyncio.gather(*(sender() for _ in range(at_once)))
        return taken

    async def until_ended(self, corpus: str) -> list[dict[str, Any]]:
        """Wait until no document is waiting or being processed; all documents of the corpus."""
        path = f"/api/corpora/{corpus}/documents/?page_size=100"
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            page = await self.ask("GET", path)
            if not any(one["status"] in BUSY for one in page["results"]):
                documents = await self.all_of(page)
                if not any(one["status"] in BUSY for one in documents):
                    return documents
            await asyncio.sleep(POLL_SECONDS)
        raise RuntimeError("documents are still being processed")

    async def all_of(self, page: dict[str, Any]) -> list[dict[str, Any]]:
        found = list(page["results"])
        while page["next"]:
            page = await self.ask("GET", page["next"].removeprefix(self.url))
            found += page["results"]
        return found


def idle(server: Server, seconds: float = 1.0, most: float = 60.0) -> None:
    """Wait until the server has nothing to do: the compaction after many writes is not what is measured."""
    deadline = time.monotonic() + most
    while time.monotonic() < deadline:
        before = server.cpu_seconds()
        time.sleep(seconds)
        if server.cpu_seconds() - before < 0.1 * seconds:
            return
