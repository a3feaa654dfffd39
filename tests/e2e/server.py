"""A sample installation as its user has it: `migrate`, `demo` and `serve` as processes, in a folder of its own."""

import atexit
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from tests.migrated import copy_migrated

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 30.0
# What would make it something else than the embedded default.
ELSEWHERE = (
    "DATABASE_URL",
    "CELERY_BROKER_URL",
    "CACHE_URL",
    "QDRANT_URL",
    "PGVECTOR_URL",
    "INGEST_DIR",
    "CHAT_MODEL",
    "HTTPS",
)
KEYS = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "EMBEDDING_BASE_URL",
    "EMBEDDING_API_KEY",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "EMBEDDING_MODEL",
)


@dataclass(frozen=True, slots=True)
class Login:
    """How a sample person gets in (`manage.py demo --json`)."""

    email: str
    password: str
    role: str
    api_key: str


@dataclass(frozen=True, slots=True)
class Installation:
    """A served installation: its address without a final slash, and its people by first name."""

    url: str
    people: dict[str, Login]

    def api(self, person: str, method: str, path: str, body: Any = None) -> Any:
        """What the API answers this person, as JSON; for preparing what a test is not about."""
        key = self.people[person].api_key
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        encoded = None if body is None else json.dumps(body).encode()
        with urlopen(Request(self.url + path, encoded, headers, method=method), timeout=20) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    def upload(self, person: str, corpus: str, filename: str, content: bytes) -> Any:
        """The document that the API made of a file."""
        return self.send_file(person, f"/api/corpora/{corpus}/documents/", filename, content)

    def send_file(self, person: str, path: str, filename: str, content: bytes) -> Any:
        boundary = "acervo-test-boundary"
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{filename}"\r\n\r\n'
        body = head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
        headers = {
            "Authorization": f"Bearer {self.people[person].api_key}",
            "Content-Type": f"multipart/form-data; boundary={boundary}",
        }
        request = Request(f"{self.url}{path}", body, headers, method="POST")
        with urlopen(request, timeout=20) as answer:
            return json.loads(answer.read())

    def status_of(self, person: str, method: str, path: str, body: Any = None) -> int:
        """The status alone, also of a refusal."""
        try:
            self.api(person, method, path, body)
        except HTTPError as refusal:
            return refusal.code
        return 200


def environment_of(folder: Path, settings: dict[str, str]) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name not in {*ELSEWHERE, *KEYS}}
    return {**inherited, "DATA_DIR": str(folder), "LOG_LEVEL": "WARNING", **settings}


@cache
def sample_with(**settings: str) -> tuple[Path, Any]:
    """A migrated installation with the sample organization, to be copied, and what `demo` told. Of this process: it is
    made once for the same settings."""
    folder = Path(mkdtemp(prefix="acervo-sample-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    environment, command = environment_of(folder, settings), [sys.executable, str(ROOT / "manage.py")]
    copy_migrated(folder / "acervo.sqlite3")
    subprocess.run([*command, "migrate", "--verbosity", "0"], env=environment, check=True)
    told = subprocess.run([*command, "demo", "--json"], env=environment, check=True, stdout=subprocess.PIPE).stdout
    return folder, json.loads(told)


def furnish(folder: Path, **settings: str) -> Any:
    """Make it an installation with the sample organization; what `demo` told."""
    sample, told = sample_with(**settings)
    shutil.copytree(sample, folder, dirs_exist_ok=True)
    return told


def prepared(folder: Path, **settings: str) -> tuple[dict[str, str], dict[str, Login]]:
    """A migrated installation with the sample organization: its environment and its people."""
    users = furnish(folder, **settings)["users"]
    return environment_of(folder, settings), {one["email"].partition("@")[0]: Login(**one) for one in users}


@contextmanager
def serving(
    folder: Path, environment: dict[str, str], people: dict[str, Login], port: int = 0
) -> Iterator[tuple[Installation, "subprocess.Popen[bytes]"]]:
    """`manage.py serve` until the block ends, unless the block has ended it before. Without a port: on a free one."""
    port = port or free_port()
    with (folder / "serve.log").open("ab") as log:
        serve = [sys.executable, str(ROOT / "manage.py"), "serve", "--port", str(port)]
        process = subprocess.Popen(serve, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            wait_until_healthy(f"http://127.0.0.1:{port}", process)
            yield Installation(f"http://127.0.0.1:{port}", people), process
        finally:
            process.terminate()
            process.wait(30)


@contextmanager
def served(folder: Path, **settings: str) -> Iterator[Installation]:
    """The sample organization, served until the block ends. `settings` are environment variables."""
    environment, people = prepared(folder, **settings)
    with serving(folder, environment, people) as (installation, _process):
        yield installation


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_healthy(url: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        assert process.poll() is None, f"`serve` ended with {process.returncode}; see serve.log"
        try:
            with urlopen(f"{url}/healthz", timeout=5):
                return
        except (URLError, ConnectionError, TimeoutError):
            assert time.monotonic() < deadline, "`serve` does not answer"
            time.sleep(0.05)
