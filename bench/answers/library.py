"""An installation with the papers in it: a corpus for each work, agents that read all, all but one, or only one."""

import http.client
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.answers.papers import Paper
from bench.processes import ROOT, Server

PATIENCE_SECONDS = 580.0
BUSY = ("pending", "processing")
_EMPTY = (
    "QDRANT_URL", "PGVECTOR_URL",
    "DATABASE_URL", "AWS_STORAGE_BUCKET_NAME", "INGEST_DIR", "OPENAI_BASE_URL", "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
)  # fmt: skip


@dataclass(frozen=True)
class Embeddings:
    """A server of embeddings instead of the built-in lexical ones."""

    url: str = ""
    model: str = ""
    dimensions: int = 0

    @property
    def settings(self) -> dict[str, str]:
        if not self.url:
            return {}
        return {
            "OPENAI_BASE_URL": self.url,
            "OPENAI_API_KEY": "bench",
            "EMBEDDING_MODEL": self.model,
            "EMBEDDING_DIMENSIONS": str(self.dimensions),
        }


@dataclass
class Library:
    """The calls that the measures make, as one admin. `papers` by the id of their document."""

    port: int
    key: str
    corpora: dict[str, str] = field(default_factory=dict)
    papers: dict[str, Paper] = field(default_factory=dict)
    _agents: dict[tuple[str, ...], str] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)

    def call(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        content = body if isinstance(body, bytes) else json.dumps(body).encode() if body is not None else None
        sent = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json", **(headers or {})}
        try:
            connection.request(method, path, content, sent)
            answer = connection.getresponse()
            read = answer.read()
        finally:
            connection.close()
        if answer.status >= 400:
            raise RuntimeError(f"{method} {path}: {answer.status} {read[:300]!r}")
        return json.loads(read) if read else None

    def take_in(self, papers: Sequence[Paper]) -> None:
        """Upload, and wait until all are indexed; what the product refuses is left out, with a word."""
        for paper in papers:
            if paper.group not in self.corpora:
                made = self.call("POST", "/api/corpora/", {"name": paper.group, "corpus_type": "global"})
                self.corpora[paper.group] = made["id"]
            boundary = "acervo-bench-boundary"
            head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{paper.name}"\r\n'
            whole = head.encode() + b"Content-Type: application/octet-stream\r\n\r\n" + paper.path.read_bytes()
            form = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
            path = f"/api/corpora/{self.corpora[paper.group]}/documents/"
            made = self.call("POST", path, whole + f"\r\n--{boundary}--\r\n".encode(), form)
            self.papers[made["id"]] = paper
        self._wait()

    def _wait(self) -> None:
        deadline, waiting = time.monotonic() + PATIENCE_SECONDS, set(self.papers)
        while waiting and time.monotonic() < deadline:
            for pk in list(waiting):
                document = self.call("GET", f"/api/documents/{pk}/")
                if document["status"] not in BUSY:
                    waiting.discard(pk)
                    if document["status"] != "indexed":
                        print(f"left out: {document['filename']}: {document['error']}")
            time.sleep(0.3)
        if waiting:
            raise RuntimeError("documents are still being processed")

    def agent(self, groups: Sequence[str]) -> str:
        """The slug of an agent that reads these works alone, without a language model."""
        wanted = tuple(sorted(groups))
        if wanted not in self._agents:
            name = f"Reader {len(self._agents) + 1}"
            made = self.call("POST", "/api/agents/", {"name": name, "model": "extractive", "grounding": "strict"})
            for group in wanted:
                self.call("POST", f"/api/agents/{made['id']}/corpora/", {"corpus": self.corpora[group]})
            self._agents[wanted] = made["slug"]
        return self._agents[wanted]

    def everything(self) -> str:
        return self.agent(list(self.corpora))

    def without(self, *groups: str) -> str:
        return self.agent([group for group in self.corpora if group not in groups])

    def ask(self, agent: str, question: str) -> dict[str, Any]:
        """A whole answer, in a conversation of its own."""
        body = {"messages": [{"role": "user", "content": question}], "stream": False}
        answer: dict[str, Any] = self.call("POST", f"/api/agents/{agent}/chat/", body)
        return answer

    def retrieve(self, agent: str, question: str) -> dict[str, Any]:
        found: dict[str, Any] = self.call("POST", f"/api/agents/{agent}/retrieve/", {"query": question})
        return found

    def marked(self, document: str, start: int, end: int) -> str:
        """The text of a document between two offsets, from its chunks; what no chunk holds is blank."""
        if document not in self._texts:
            text, path = "", f"/api/documents/{document}/chunks/?page_size=100"
            while path:
                page = self.call("GET", path)
                for row in page["results"]:
                    text = text[: row["start"]].ljust(row["start"]) + row["text"] + text[row["end"] :]
                path = (page["next"] or "").split("127.0.0.1:" + str(self.port))[-1]
            self._texts[document] = text
        return self._texts[document][start:end]


@contextmanager
def opened_library(papers: Sequence[Paper], embeddings: Embeddings, keep: Path | None = None) -> Iterator[Library]:
    """A server of its own with the papers indexed. `keep`: a folder to leave its data in, else temporary."""
    with tempfile.TemporaryDirectory(prefix="acervo-bench-answers-", ignore_cleanup_errors=True) as name:
        folder = keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        settings = {
            **dict.fromkeys(_EMPTY, ""),
            "DATA_DIR": str(folder),
            "QUOTAS": "off",
            "LOG_LEVEL": "WARNING",
            **embeddings.settings,
        }
        _manage(settings, "migrate", "--verbosity", "0")
        made = json.loads(_manage(settings, "demo", "--json"))
        key = next(user["api_key"] for user in made["users"] if user["role"] == "admin")
        with Server(["manage.py", "serve"], folder / "server.log", settings) as server:
            server.until_ready()
            library = Library(server.port, key)
            library.take_in(papers)
            yield library


def _manage(settings: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env=Server.environment(settings), capture_output=True,
        text=True, timeout=300,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}:\n{done.stderr[-2000:]}")
    return done.stdout
