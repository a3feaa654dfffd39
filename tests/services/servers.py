"""PostgreSQL, Redis, an index server and an object store as processes of a test: start, stop, kill, freeze, restart.

Each lives in a folder of its own on a free loopback port and keeps both over a restart, as a machine's service would.
"""

import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parents[2]
STARTS_WITHIN, ENDS_WITHIN = 40.0, 30.0  # seconds, on a busy machine


class NotInstalled(Exception):
    """A program that a server needs is not on this machine."""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def wait_until(condition: Callable[[], bool], seconds: float, what: str) -> float:
    """Seconds until the condition holds; AssertionError naming `what` when it does not in time."""
    start = time.monotonic()
    while not condition():
        assert time.monotonic() - start < seconds, f"not within {seconds} s: {what}"
        time.sleep(0.05)
    return time.monotonic() - start


class Server:
    """A process that listens on `port`. Its output goes to `<folder>/log`, appended over restarts."""

    user: str | None = None
    gentle = signal.SIGTERM

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder / name, name
        self.folder.mkdir(parents=True)
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def command(self) -> list[str]:
        raise NotImplementedError

    def environment(self) -> dict[str, str]:
        return dict(os.environ)

    def start(self) -> Self:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=ROOT,
                env=self.environment(),
                user=self.user,
                group=self.user,
                extra_groups=[] if self.user else None,
            )
        wait_until(self._ready_or_dead, STARTS_WITHIN, f"{self.name} is ready\n{self.tail()}")
        return self

    def _ready_or_dead(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, f"{self.name} has ended\n{self.tail()}"
        return self.is_ready()

    def is_ready(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def tail(self, lines: int = 40) -> str:
        text = self.log.read_text(errors="replace") if self.log.exists() else ""
        return "\n".join(text.splitlines()[-lines:])

    def stop(self) -> None:
        """End it in order; kill it when it does not end in time. Nothing when it does not run."""
        self._end(self.gentle)

    def kill(self) -> None:
        """As a crash would end it."""
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGCONT)
        self.process.send_signal(how)
        try:
            self.process.wait(ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def freeze(self) -> None:
        """It still takes connections and answers nothing any more."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)


def program(name: str, *places: str) -> str:
    """The path of a program on PATH or in one of these folders (patterns); NotInstalled otherwise."""
    if found := shutil.which(name):
        return found
    for place in places:
        if versions := sorted(Path("/").glob(f"{place.lstrip('/')}/{name}")):
            return str(versions[-1])
    raise NotInstalled(f"{name} is not installed")


class Postgres(Server):
    """A cluster of its own. The application's role owns nothing and is no superuser, as it should be."""

    gentle = signal.SIGINT  # "fast": SIGTERM would wait for every client to leave
    BINARIES = "/usr/lib/postgresql/*/bin"  # where Debian keeps them, off the PATH

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "postgres")
        self.binaries = Path(program("initdb", self.BINARIES)).resolve().parent  # it may be a link
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            self.user = "postgres" if any(one.pw_name == "postgres" for one in pwd.getpwall()) else "nobody"
            shutil.chown(self.folder, self.user)
        initdb = [self.binaries / "initdb", "--pgdata", self.folder / "cluster", "--username", "postgres"]
        initdb += ["--auth", "trust", "--encoding", "UTF8", "--no-locale", "--no-sync"]
        subprocess.run(
            initdb, check=True, capture_output=True, user=self.user, group=self.user,
            extra_groups=[] if self.user else None, cwd="/",
        )  # fmt: skip

    def command(self) -> list[str]:
        settings = {
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": "",
            "fsync": "off",  # a test's machine does not lose its power
            "max_connections": "100",
        }
        command = [str(self.binaries / "postgres"), "-D", str(self.folder / "cluster"), "-p", str(self.port)]
        return command + [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]

    def is_ready(self) -> bool:
        ready = [self.binaries / "pg_isready", "--quiet", "--host", "127.0.0.1", "--port", str(self.port)]
        return subprocess.run(ready, check=False).returncode == 0

    def create_database(self, name: str) -> None:
        """A database, the application's role of the same name, and its owner, who may make test databases."""
        import psycopg

        with psycopg.connect(f"postgresql://postgres@127.0.0.1:{self.port}/postgres", autocommit=True) as link:
            link.execute(f"CREATE ROLE {name} LOGIN")
            link.execute(f"CREATE ROLE {name}_owner LOGIN CREATEDB")
            link.execute(f"CREATE DATABASE {name} OWNER {name}_owner")

    def settings(self, name: str) -> dict[str, str]:
        place = f"127.0.0.1:{self.port}/{name}"
        return {"DATABASE_URL": f"postgres://{name}@{place}", "DATABASE_OWNER_URL": f"postgres://{name}_owner@{place}"}


class Redis(Server):
    """Nothing is kept over a restart: losing it must lose nothing (ADR 0002). It asks for a password, as deployed."""

    PASSWORD = "redis-password"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "redis")
        self.binary = program("redis-server")

    def command(self) -> list[str]:
        settings = ["--save", "", "--appendonly", "no", "--databases", "64", "--dir", str(self.folder)]
        own = ["--bind", "127.0.0.1", "--port", str(self.port), "--requirepass", self.PASSWORD]
        return [self.binary, *own, *settings]

    def url(self, database: int) -> str:
        return f"redis://:{self.PASSWORD}@127.0.0.1:{self.port}/{database}"


class IndexServer(Server):
    """The stand-in of tests/fakes/index_server.py, with a key."""

    KEY = "index-key"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "index")

    def command(self) -> list[str]:
        place = ["--folder", str(self.folder / "collections"), "--port", str(self.port), "--api-key", self.KEY]
        return [sys.executable, "-m", "tests.fakes.index_server", *place]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def count(self, document: str) -> int:
        """How many points of a document there are, in all collections."""
        where = {"must": [{"key": "document_id", "match": {"value": document}}]}
        body = json.dumps({"filter": where, "exact": True}).encode()
        headers = {"api-key": self.KEY, "Content-Type": "application/json"}
        total = 0
        for collection in (self.folder / "collections").iterdir():
            address = f"{self.url}/collections/{collection.name}/points/count"
            with urlopen(Request(address, body, headers), timeout=5) as answer:
                total += json.load(answer)["result"]["count"]
        return total


class ObjectStore(Server):
    """versitygw over a folder: an S3 server in one program. VERSITYGW names it when it is not on the PATH."""

    ACCESS, SECRET, BUCKET = "acervo-test", "acervo-test-secret", "acervo"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "objects")
        self.binary = os.environ.get("VERSITYGW") or program("versitygw", str(Path.home() / "go/bin"))
        self.bucket = self.folder / "buckets" / self.BUCKET
        self.bucket.mkdir(parents=True)
        (self.folder / "metadata").mkdir()

    def command(self) -> list[str]:
        place = ["--port", f"127.0.0.1:{self.port}", "--access", self.ACCESS, "--secret", self.SECRET]
        # Beside the files, because not every file system that a temporary folder is on has extended attributes.
        return [
            self.binary,
            "--quiet",
            *place,
            "posix",
            "--sidecar",
            f"{self.folder}/metadata",
            str(self.bucket.parent),
        ]

    def settings(self) -> dict[str, str]:
        return {
            "AWS_STORAGE_BUCKET_NAME": self.BUCKET,
            "AWS_S3_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_S3_REGION_NAME": "us-east-1",
            "AWS_S3_ADDRESSING_STYLE": "path",
            "AWS_ACCESS_KEY_ID": self.ACCESS,
            "AWS_SECRET_ACCESS_KEY": self.SECRET,
        }

    def objects(self) -> set[str]:
        """The keys in the bucket."""
        files = [path for path in self.bucket.rglob("*") if path.is_file()]
        return {str(path.relative_to(self.bucket)) for path in files}


class PgBouncer(Server):
    """A pooler in front of PostgreSQL that gives each transaction whichever of its few connections is free."""

    def __init__(self, folder: Path, postgres: Postgres, connections: int = 1) -> None:
        super().__init__(folder, "pgbouncer")
        self.binary = os.environ.get("PGBOUNCER") or program("pgbouncer", "/usr/sbin")
        self.user = postgres.user
        settings = {
            "listen_addr": "127.0.0.1",
            "listen_port": str(self.port),
            "unix_socket_dir": "",
            "auth_type": "any",
            "pool_mode": "transaction",
            "default_pool_size": str(connections),
            "ignore_startup_parameters": "options",  # as docs/deploy.md says
        }
        lines = ["[databases]", f"* = host=127.0.0.1 port={postgres.port} user={{}}", "[pgbouncer]"]
        self.lines = [*lines, *(f"{name} = {value}" for name, value in settings.items())]

    def serving(self, role: str) -> Self:
        """Connect to PostgreSQL as this role."""
        place = self.folder / "pgbouncer.ini"
        place.write_text("\n".join(self.lines).format(role))
        if self.user:
            shutil.chown(self.folder, self.user)
            shutil.chown(place, self.user)
        return self.start()

    def command(self) -> list[str]:
        return [self.binary, str(self.folder / "pgbouncer.ini")]
