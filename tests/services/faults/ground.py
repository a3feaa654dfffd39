"""What is hurt: two web processes, workers for the lanes, beat, and the services behind wires that can fail."""

import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.fakes.fixtures import ModelServer
from tests.live import Caller, patience
from tests.services.faults.relay import Relay
from tests.services.installation import ADMIN, MEMBER, Background, Installation, Services, Web, new_corpus, real_parts
from tests.services.servers import NotInstalled, ObjectStore, wait_until
from webhooks.tests.receiver import receiving

AGENT = "investigador-tecnico"
TALKER = "escritor-de-libros"  # asks its model also where no passage answers
CLOCK = "/usr/lib/*/faketime/libfaketimeMT.so.1"  # Debian's libfaketime
DISK = "256m"


def faking_clocks() -> list[Path]:
    """Libraries that tell a process another time."""
    return sorted(Path("/").glob(CLOCK.lstrip("/")))


class Ground:
    """Started by `with`. `lacks`: what this machine has not, by the name that a row asks for, with the reason."""

    def __init__(self, folder: Path, model: ModelServer) -> None:
        self.folder, self.model, self.lacks = folder, model, dict[str, str]()
        self.store: ObjectStore | None = None
        self._disk: Path | None = None
        self._wires: list[Relay] = []
        self._listening = ExitStack()

    def __enter__(self) -> "Ground":
        try:
            self._build()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _build(self) -> None:
        self.services = Services(self.folder)
        if not faking_clocks():
            self.lacks["clock"] = "Debian's libfaketime is not installed"
        self._keep_objects()
        self.installation = Installation(self.services, self._settings())
        made = self.installation
        with ThreadPoolExecutor(3) as starting:  # each waits for itself
            webs = [starting.submit(made.web, name) for name in ("web", "web2")]
            workers = [starting.submit(made.worker, name, queues="ingestion") for name in ("worker", "worker2")]
            upkeep = starting.submit(made.worker, "upkeep", concurrency=6, queues="short,upkeep")
            self.beat = starting.submit(made.beat).result()
        self.webs, self.workers = [one.result() for one in webs], [one.result() for one in workers]
        self.upkeep = upkeep.result()
        left = "SELECT count(*) FROM corpora_document WHERE status <> 'indexed'"
        wait_until(lambda: self.rows(left) == [(0,)], patience(120), "the sample is indexed")
        self.corpus = new_corpus(self.caller(), AGENT)
        personal = self.caller(MEMBER).call("POST", "/api/corpora/", {"name": "Cola", "corpus_type": "personal"})
        assert personal.status == 201, personal.body
        self.crowd: str = personal.body["id"]  # where the backlog is: another user's, whose turn is another
        self._listen()

    def _listen(self) -> None:
        """Somebody outside is told how each document of the corpus ends: with that, its end is a transaction."""
        address, _ = self._listening.enter_context(receiving())
        hook = {"url": address, "events": ["document.indexed", "document.failed"]}
        made = self.caller().call("POST", "/api/webhooks/", hook)
        assert made.status == 201, made.body

    def _keep_objects(self) -> None:
        try:
            self.store = ObjectStore(self.folder)
        except NotInstalled as missing:
            self.lacks["objects"] = self.lacks["disk"] = f"no object store: {missing}"
            return
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", self.store.bucket.parent],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if mounted.returncode:
            self.lacks["disk"] = f"no small disk can be mounted here: {mounted.stderr.strip()}"
        else:
            self._disk = self.store.bucket.parent
        self.store.bucket.mkdir(exist_ok=True)
        self.services.objects = self.store
        self.services.all.append(self.store.start())

    def _settings(self) -> dict[str, str]:
        """Every part at the end of a wire of ours."""
        services = self.services
        self.database = self._wire(services.postgres.port)
        self.redis, self.index = self._wire(services.redis.port), self._wire(services.index.port)
        self.models = self._wire(int(self.model.url.rsplit(":", 1)[1]))
        settings = {name: value for part in real_parts(services, self.model).values() for name, value in part.items()}
        settings |= {"WEBHOOK_NETWORKS": "127.0.0.0/8", "WEBHOOK_PLAIN_HTTP": "true"}
        for wire in self._wires:
            for name, value in settings.items():
                if name != "DATABASE_OWNER_URL":  # migrations go straight
                    settings[name] = value.replace(f":{wire.target}", f":{wire.port}")
        return settings

    def _wire(self, port: int) -> Relay:
        self._wires.append(Relay(port))
        return self._wires[-1]

    def __exit__(self, *_: object) -> None:
        if made := getattr(self, "installation", None):
            made.stop()
        for wire in self._wires:
            wire.close()
        self._listening.close()
        if services := getattr(self, "services", None):
            services.stop()
        if self._disk:
            subprocess.run(["umount", "--lazy", self._disk], check=False)

    # hands and eyes

    def caller(self, email: str = ADMIN) -> Caller:
        """Of a web process that is there."""
        running = [web for web in self.webs if web.process is not None and web.process.poll() is None]
        return self.installation.caller((running or self.webs)[0], email)

    def rows(self, statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
        return self.installation.query(statement, *parameters)

    @contextmanager
    def full_disk(self) -> Iterator[None]:
        """The object store has no byte left."""
        assert self._disk is not None
        ballast = self._disk / "ballast"
        with ballast.open("wb") as file:
            free = os.statvfs(self._disk)
            os.posix_fallocate(file.fileno(), 0, free.f_bavail * free.f_frsize)
        try:
            yield
        finally:
            ballast.unlink()

    @contextmanager
    def worker_of_another_clock(self, seconds: int) -> Iterator[Background]:
        """One more worker of documents, whose clock is that much ahead of everybody's, or behind."""
        made, library = self.installation, faking_clocks()[-1]
        name = f"clock{seconds:+d}-{len(made.processes)}"
        wrong = Background(made, name, "ready.", *self.workers[0].arguments[2:], "--hostname", f"{name}@%h")
        faked = {"LD_PRELOAD": str(library), "FAKETIME": f"{seconds:+d}", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        own = wrong.environment
        wrong.environment = lambda: own() | faked  # type: ignore[method-assign]
        made.processes.append(wrong)
        wrong.start()
        try:
            yield wrong
        finally:
            wrong.stop()

    def processes(self) -> list[Web | Background]:
        return [*self.webs, *self.workers, self.upkeep, self.beat]
