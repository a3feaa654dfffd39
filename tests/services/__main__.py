"""`python -m tests.services SERVICE… -- COMMAND…`: run a command with servers of its own, named by its environment.

    python -m tests.services postgres redis -- python -m pytest -n auto
    python -m tests.services postgres pgbouncer redis -- python -m pytest tests/tenancy
    python -m tests.services index pgvector -- python -m pytest retrieval/tests/test_index_contract.py

The servers live in a temporary folder on free ports and end with the command, whose exit code is returned.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.migrated import TEMPLATE
from tests.services.migrated import migrated_cluster
from tests.services.servers import IndexServer, NotInstalled, PgBouncer, PgvectorPostgres, Postgres, Redis, Server

Started = tuple[Server, dict[str, str]]
running_postgres: list[Postgres] = []


def postgres(folder: Path) -> Started:
    server = Postgres(folder, migrated_cluster())
    server.start()
    running_postgres.append(server)
    return server, server.settings("acervo") | {TEMPLATE: "acervo"}


def redis(folder: Path) -> Started:
    server = Redis(folder)
    server.start()
    return server, {"CELERY_BROKER_URL": server.url(0), "CACHE_URL": server.url(1)}


def pgbouncer(folder: Path) -> Started | None:
    """In front of the PostgreSQL that was started before it, with four connections for everybody; None, aloud, where
    it is not installed: the command then asks PostgreSQL itself."""
    try:
        server = PgBouncer(folder, running_postgres[-1], connections=4)
    except NotInstalled as missing:
        sys.stderr.write(f"WITHOUT A POOLER: {missing}\n")
        return None
    server.serving("acervo")
    direct = running_postgres[-1].settings("acervo")["DATABASE_URL"]
    return server, {"DATABASE_URL": direct.replace(f":{running_postgres[-1].port}/", f":{server.port}/")}


def index(folder: Path) -> Started:
    server = IndexServer(folder)
    server.start()
    return server, {"QDRANT_URL": server.url, "QDRANT_API_KEY": server.KEY}


def pgvector(folder: Path) -> Started | None:
    """A database for the index alone; None, aloud, where no PostgreSQL with pgvector can be had."""
    try:
        server = PgvectorPostgres(folder)
    except NotInstalled as missing:
        sys.stderr.write(f"WITHOUT PGVECTOR: {missing}\n")
        return None
    server.start()
    return server, {"PGVECTOR_URL": server.create_index_database()}


SERVICES: dict[str, Callable[[Path], Started | None]] = {
    "postgres": postgres,
    "pgbouncer": pgbouncer,
    "redis": redis,
    "index": index,
    "pgvector": pgvector,
}


def main(arguments: list[str]) -> int:
    split = arguments.index("--")
    names, command = arguments[:split], arguments[split + 1 :]
    folder = Path(tempfile.mkdtemp(prefix="acervo-"))
    folder.chmod(0o711)  # PostgreSQL's own user goes through it
    running: list[Server] = []
    environment = dict(os.environ)
    try:
        for name in names:
            if started := SERVICES[name](folder):
                running.append(started[0])
                environment |= started[1]
        return subprocess.run(command, env=environment, check=False).returncode
    finally:
        for server in reversed(running):
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
