"""An installation as processes that can be killed and started again on the same folder; for faults nobody can fake."""

import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.e2e.server import ROOT, environment_of, free_port, furnish, wait_until_healthy
from tests.live import Answer, Caller, eventually

MANAGE = [sys.executable, str(ROOT / "manage.py")]


class Site:
    """`migrate` and `demo` are done; `start` serves. `settings` are environment variables."""

    def __init__(self, folder: Path, **settings: str) -> None:
        settings = {"QUOTAS": "off", **settings}
        self.folder, self.environment = folder, environment_of(folder, settings)
        self.process: subprocess.Popen[bytes] | None = None
        self.told: dict[str, Any] = furnish(folder, **settings)

    def manage(self, *arguments: str) -> str:
        done = subprocess.run(
            [*MANAGE, *arguments], env=self.environment, check=True, capture_output=True, text=True, timeout=120
        )
        return done.stdout

    def start(self) -> float:
        """Serve; returns the seconds until it answered."""
        self.port = free_port()
        started = time.monotonic()
        with (self.folder / "serve.log").open("ab") as log:
            command = [*MANAGE, "serve", "--port", str(self.port)]
            self.process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=subprocess.STDOUT)
        wait_until_healthy(f"http://127.0.0.1:{self.port}", self.process)
        return time.monotonic() - started

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait(10)

    def terminate(self, seconds: float = 60.0) -> int:
        """SIGTERM; returns the exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(seconds)

    def log(self) -> str:
        return (self.folder / "serve.log").read_text(errors="replace")

    def caller(self, person: str = "alicia") -> Caller:
        key = next(one["api_key"] for one in self.told["users"] if one["email"].startswith(person))
        return Caller(self.port, {"Authorization": f"Bearer {key}"})

    def make_corpus(self, name: str = "Pruebas", person: str = "alicia") -> str:
        made = self.caller(person).call("POST", "/api/corpora/", {"name": name})
        assert made.status == 201, made
        return str(made.body["id"])

    def upload(self, corpus: str, name: str, content: bytes, person: str = "alicia") -> Answer:
        return upload(self.caller(person), corpus, name, content)

    def document(self, pk: str, person: str = "alicia") -> dict[str, Any]:
        answer = self.caller(person).call("GET", f"/api/documents/{pk}/")
        assert answer.status == 200, answer
        found: dict[str, Any] = answer.body
        return found

    def wait_for(self, pk: str, *statuses: str, seconds: float = 60.0) -> dict[str, Any]:
        eventually(lambda: self.document(pk)["status"] in (statuses or ("indexed", "failed")), seconds)
        return self.document(pk)

    def rows(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Reads the site's database from outside."""
        with sqlite3.connect(f"file:{self.folder}/acervo.sqlite3?mode=ro", uri=True) as database:
            try:
                return database.execute(query, parameters).fetchall()
            finally:
                database.rollback()

    def point_ids(self) -> list[tuple[str, str]]:
        """(point, document) of every point, as hexadecimal; only while nothing is served."""
        from retrieval.index.edge import EdgeIndex

        (collection,) = [path for path in (self.folder / "index").iterdir() if path.is_dir()]
        index = EdgeIndex(collection, 1536)
        try:
            return [(point.hex, document.hex) for point, document in index.point_ids()]
        finally:
            index.close()


@contextmanager
def site(folder: Path, **settings: str) -> Iterator[Site]:
    made = Site(folder, **settings)
    try:
        yield made
    finally:
        if made.process is not None and made.process.poll() is None:
            made.kill()


def upload(caller: Caller, corpus: str, name: str, content: bytes) -> Answer:
    return send_file(caller, f"/api/corpora/{corpus}/documents/", name, content)


def send_file(caller: Caller, path: str, name: str, content: bytes) -> Answer:
    """A multipart upload, as a form sends it."""
    boundary = uuid4().hex
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    kind = f"multipart/form-data; boundary={boundary}"
    return caller.call("POST", path, body, **{"Content-Type": kind})


def children(pid: int) -> list[int]:
    """A process's children, as Linux lists them."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(child) for child in task.read_text().split()]
        except OSError:  # the thread has ended
            continue
    return found


def memory_mb(pid: int, field: str = "VmRSS") -> float:
    """A process's memory, or with `VmHWM` the most it ever had."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{field}:"))
