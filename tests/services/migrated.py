"""A PostgreSQL cluster as `migrate` leaves it, made once in a run: installations begin with a copy of it."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.services.servers import ROOT, Postgres


def migrated_cluster(shared: Path) -> Path:
    """The folder of a cluster that is not running, with the database, roles and tables of this code.

    `shared` is a folder of the run, which its processes share: the first one makes the cluster, the others wait.
    """
    made = shared / "migrated"
    with (shared / "migrated.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            _make(made)
    return made


def _make(place: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="acervo-"))
    folder.chmod(0o711)  # open to PostgreSQL's own user
    server = Postgres(folder)
    try:
        server.start()
        server.create_database("acervo")
        own = {"DATA_DIR": str(folder / "data"), "SECRET_KEY": "of-nobody" * 8}
        environment = {"PATH": os.environ["PATH"]} | own | server.settings("acervo")
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        done = subprocess.run(migrate, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    finally:
        server.stop()
    shutil.move(server.folder / "cluster", place)
    shutil.rmtree(folder)
