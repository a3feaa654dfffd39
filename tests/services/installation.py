"""Acervo as separate processes on real services: web servers, workers, beat, and a client for what they serve."""

import json
import os
import subprocess
import sys
from copy import copy
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import yaml

from tests.fakes.fixtures import ModelServer
from tests.live import Answer, Caller, patience
from tests.services.servers import ROOT, IndexServer, ObjectStore, Postgres, Redis, Server, crowded, wait_until

ADMIN = "admin@aurora.example"
MEMBER = "alicia@aurora.example"
INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TIKTOKEN_CACHE_DIR", "VIRTUAL_ENV", "PYTHONPATH")


def composed(service: str) -> list[str]:
    """The arguments after the program in compose.yml's command of a service: what is tested is what is deployed.

    Options may be given again behind them: the last one counts.
    """
    compose = yaml.safe_load((ROOT / "compose.yml").read_text())
    command: list[str] = compose["services"][service]["command"]
    return command[1:]


class Services:
    """What an installation stands on. All run when this returns; `stop` ends them."""

    def __init__(self, folder: Path, *, objects: bool = False, migrated: Path | None = None) -> None:
        """`migrated`: a cluster that PostgreSQL begins with (tests/services/migrated.py)."""
        self.folder = folder
        self.postgres, self.redis, self.index = Postgres(folder, migrated), Redis(folder), IndexServer(folder)
        self.objects = ObjectStore(folder) if objects else None
        self.all: list[Server] = [self.postgres, self.redis, self.index, *([self.objects] if self.objects else [])]
        try:
            for server in self.all:
                server.start()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        for server in reversed(self.all):
            server.stop()


def real_parts(services: Services, model: ModelServer) -> dict[str, dict[str, str]]:
    """The settings that put a real thing behind each default, by part."""
    objects = {"objects": services.objects.settings()} if services.objects else {}
    return objects | {
        "database": services.postgres.settings("acervo"),
        "broker": {"CELERY_BROKER_URL": services.redis.url(0)},
        "cache": {"CACHE_URL": services.redis.url(1)},
        "index": {"QDRANT_URL": services.index.url, "QDRANT_API_KEY": services.index.KEY},
        "models": {"OPENAI_BASE_URL": model.openai_url, "OPENAI_API_KEY": "sk-test-key"},
    }


class Process(Server):
    """One of Acervo's own processes."""

    def __init__(self, installation: "Installation", name: str, *arguments: str) -> None:
        super().__init__(installation.services.folder, name)
        self.installation, self.arguments, self.root = installation, arguments, installation.root

    def command(self) -> list[str]:
        return [self.installation.python, *self.arguments]

    def environment(self) -> dict[str, str]:
        return {**self.installation.environment, "PORT": str(self.port), "PGAPPNAME": self.name}


class Web(Process):
    """`manage.py serve`."""

    def is_ready(self) -> bool:
        return super().is_ready() and Caller(self.port).call("GET", "/healthz").status == 200


class Background(Process):
    """A worker or beat: ready when its log says so."""

    def __init__(self, installation: "Installation", name: str, sign: str, *arguments: str) -> None:
        super().__init__(installation, name, "-m", "celery", *arguments)
        self.sign, self._from = sign, 0

    def environment(self) -> dict[str, str]:
        """It is ready in a message of INFO, whatever an installation writes otherwise."""
        return {**super().environment(), "LOG_LEVEL": "INFO"}

    def start(self) -> "Background":
        self._from = self.log.stat().st_size if self.log.exists() else 0
        super().start()
        return self

    def is_ready(self) -> bool:
        return self.sign in self.log.read_bytes()[self._from :].decode(errors="replace")


class Installation:
    """Settings, database and sample organization; processes are started one by one. `python` runs them all, from the
    code in `root`."""

    def __init__(
        self, services: Services, settings: dict[str, str], python: str = sys.executable, root: Path = ROOT
    ) -> None:
        self.services, self.python, self.root = services, python, root
        has_tables = "DATABASE_URL" in settings and services.postgres.is_migrated
        if "DATABASE_URL" in settings and not has_tables:
            services.postgres.create_database("acervo")
        self.environment = {name: os.environ[name] for name in INHERITED if name in os.environ} | {
            "DATA_DIR": str(services.folder / "data"),
            "SECRET_KEY": uuid4().hex * 2,
            "CHAT_MODEL": "fake" if "OPENAI_BASE_URL" in settings else "",
            "QUOTAS": "off",
            "PYTHONUNBUFFERED": "1",
            **settings,
        }
        self.processes: list[Process] = []
        if not has_tables:
            self.manage("migrate", "--verbosity", "0")
        self.sample = json.loads(self.manage("demo", "--json"))
        self.keys = {one["email"]: one["api_key"] for one in self.sample["users"]}

    def moved(self, services: Services, settings: dict[str, str]) -> "Installation":
        """The same installation on other services, on which nobody has made anything yet."""
        other = copy(self)
        other.services, other.processes = services, []
        other.environment = self.environment | settings | {"DATA_DIR": str(services.folder / "data")}
        return other

    def manage(self, *arguments: str) -> str:
        """The standard output of a management command that succeeds."""
        return self.run("manage.py", *arguments)

    def run(self, *arguments: str) -> str:
        """The standard output of a Python program that succeeds in this installation's environment."""
        command = [self.python, *arguments]
        done = subprocess.run(
            command, cwd=self.root, env=self.environment, capture_output=True, text=True, timeout=120 * crowded(),
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def web(self, name: str = "web") -> Web:
        return self._started(Web(self, name, *composed("web"), "--host", "127.0.0.1"))

    def worker(
        self, name: str = "worker", pool: str = "threads", concurrency: int = 2, queues: str = "upkeep,short,ingestion"
    ) -> Background:
        own = ["--pool", pool, "--concurrency", str(concurrency), "--hostname", f"{name}@%h", "--queues", queues]
        return self._started(Background(self, name, "ready.", *composed("worker"), *own))

    def beat(self, name: str = "beat") -> Background:
        own = ["--schedule", str(self.services.folder / "beat"), "--pidfile", ""]
        return self._started(Background(self, name, "beat: Starting", *composed("beat"), *own))

    def _started(self, process: Any) -> Any:
        self.processes.append(process)
        return process.start()

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.stop()

    def caller(self, web: Web, email: str = ADMIN) -> Caller:
        return Caller(web.port, {"Authorization": f"Bearer {self.keys[email]}"})

    def swept(self) -> None:
        """Wait until the sweeper has run: beat waits its ten seconds first."""
        began = "SELECT 1 FROM workers_claim WHERE name = 'periodic:sweep' AND began_at IS NOT NULL"
        wait_until(lambda: bool(self.query(began)), patience(30), "the sweeper has run")

    def query(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Straight to PostgreSQL, as its superuser: the test's own eyes, and its hand on the clock."""
        postgres = self.services.postgres
        address = f"postgresql://postgres@127.0.0.1:{postgres.port}/acervo"
        with psycopg.connect(address, autocommit=True, application_name="test") as link:
            found = link.execute(statement, parameters)
            return found.fetchall() if found.description else []


def new_corpus(caller: Caller, *agents: str) -> str:
    """The id of a new global corpus that these agents read."""
    made = caller.call("POST", "/api/corpora/", {"name": f"Corpus {uuid4().hex[:8]}", "corpus_type": "global"})
    assert made.status == 201, made.body
    for agent in agents:
        assigned = caller.call("POST", f"/api/agents/{agent}/corpora/", {"corpus": made.body["id"]})
        assert assigned.status == 201, assigned.body
    corpus: str = made.body["id"]
    return corpus


def upload(caller: Caller, corpus: str, name: str, content: bytes, **headers: str) -> Answer:
    boundary = uuid4().hex
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
    body = (
        head.encode() + b"Content-Type: application/octet-stream\r\n\r\n" + content + f"\r\n--{boundary}--\r\n".encode()
    )
    kind = f"multipart/form-data; boundary={boundary}"
    return caller.call("POST", f"/api/corpora/{corpus}/documents/", body, **{"Content-Type": kind}, **headers)


def uploaded(caller: Caller, corpus: str, name: str, content: bytes) -> str:
    """The id of a document that was taken in."""
    answer = upload(caller, corpus, name, content)
    assert answer.status == 202, answer.body
    document: str = answer.body["id"]
    return document


def ended(caller: Caller, document: str, seconds: float = 40.0) -> Any:
    """The document once it is indexed or failed."""
    seen: list[Any] = []

    def has_ended() -> bool:
        seen.append(caller.call("GET", f"/api/documents/{document}/"))
        return seen[-1].status == 200 and seen[-1].body["status"] in ("indexed", "failed")

    wait_until(has_ended, patience(seconds), f"document {document} has ended")
    return seen[-1].body


def indexed(caller: Caller, document: str, seconds: float = 40.0) -> Any:
    found = ended(caller, document, seconds)
    assert found["status"] == "indexed", found
    return found
