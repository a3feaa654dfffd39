"""`python -m tests.services SERVICE… -- COMMAND…`: run a command with servers of its own, named by its environment.

    python -m tests.services postgres redis -- python -m pytest -n auto
    python -m tests.services index -- python -m pytest retrieval/tests/test_index_contract.py

The servers live in a temporary folder on free ports and end with the command, whose exit code is returned.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.services.servers import IndexServer, Postgres, Redis, Server

Started = tuple[Server, dict[str, str]]


def postgres(folder: Path) -> Started:
    server = Postgres(folder)
    server.start()
    server.create_database("acervo")
    return server, server.settings("acervo")


def redis(folder: Path) -> Started:
    server = Redis(folder)
    server.start()
    return server, {"CELERY_BROKER_URL": server.url(0), "CACHE_URL": server.url(1)}


def index(folder: Path) -> Started:
    server = IndexServer(folder)
    server.start()
    return server, {"QDRANT_URL": server.url, "QDRANT_API_KEY": server.KEY}


SERVICES: dict[str, Callable[[Path], Started]] = {"postgres": postgres, "redis": redis, "index": index}


def main(arguments: list[str]) -> int:
    split = arguments.index("--")
    names, command = arguments[:split], arguments[split + 1 :]
    folder = Path(tempfile.mkdtemp(prefix="acervo-"))
    folder.chmod(0o711)  # PostgreSQL's own user goes through it
    running: list[Server] = []
    environment = dict(os.environ)
    try:
        for name in names:
            server, settings = SERVICES[name](folder)
            running.append(server)
            environment |= settings
        return subprocess.run(command, env=environment, check=False).returncode
    finally:
        for server in running:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
