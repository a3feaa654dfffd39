"""`python -m tests.services.suite`: the default suite on PostgreSQL, Redis and an index server over the wire.

The tests are the same; only what stands behind the settings differs. Those that are about the embedded default, and
those that start their own processes, have said what they had to say in `make test`. Before it, the contract of the
index runs over the wire.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.services.servers import ROOT, IndexServer, Postgres, Redis

CONTRACT = "retrieval/tests/test_index_contract.py"
SUITE = ["accounts", "corpora", "agents", "chat", "workers", "retrieval", "tests"]
ELSEWHERE = ["tests/e2e", "tests/services", "tests/chaos"]


def main() -> int:
    folder = Path(tempfile.mkdtemp(prefix="acervo-"))
    folder.chmod(0o711)
    postgres, redis, index = Postgres(folder), Redis(folder), IndexServer(folder)
    servers = [postgres, redis, index]
    try:
        for server in servers:
            server.start()
        environment = {
            **os.environ,
            "DATABASE_URL": postgres.create_database("acervo"),
            "CACHE_URL": redis.url(1),
        }
        ignored = [f"--ignore={place}" for place in ELSEWHERE]
        command = [sys.executable, "-m", "pytest", "-n", "auto", "--dist", "loadgroup", "-q", *ignored, *SUITE]
        contract = [sys.executable, "-m", "pytest", "-q", "-x", CONTRACT]
        over_the_wire = {**os.environ, "QDRANT_URL": index.url, "QDRANT_API_KEY": index.KEY}
        return (
            subprocess.run(contract, cwd=ROOT, env=over_the_wire, check=False).returncode
            or subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        )
    finally:
        for server in servers:
            server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
