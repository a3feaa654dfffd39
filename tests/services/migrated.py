"""A PostgreSQL cluster as `migrate` leaves it, made once for the same code: servers begin with a copy of it."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.migrated import kept
from tests.services.servers import ROOT, Postgres


def migrated_cluster() -> Path:
    """The folder of a cluster that is not running, with the database, roles and tables of this code."""
    program = [Postgres.found_binaries() / "postgres", "--version"]
    return kept("cluster", _make, subprocess.run(program, check=True, capture_output=True).stdout)


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
    part = place.with_suffix(".part")  # which a process that is killed may leave
    shutil.rmtree(part, ignore_errors=True)
    shutil.move(server.folder / "cluster", part)
    part.rename(place)
    shutil.rmtree(folder)
