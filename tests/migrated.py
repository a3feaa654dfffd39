"""A database as `migrate` leaves it, made once for the same code: whoever needs one begins with a copy.

`migrate` takes 15 s of processor time on an empty SQLite, 2 s on a copy, where it still brings what follows migrations.
PostgreSQL: tests/services/migrated.py.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ".pytest_cache" / f"migrated-{os.getuid()}"
TEMPLATE = "TEST_DATABASE_TEMPLATE"  # in the environment: a migrated database of the server that tests are run on
WITH_MIGRATIONS = ("django", "django-allauth", "django-oauth-toolkit")
NEVER_MIGRATED = {"tests", "bench", "clients", "samples", "docs"}


def code() -> bytes:
    """A digest of everything that a migration may be made of: all modules but the tests', and packages with
    migrations."""
    digest = hashlib.sha256(" ".join(map(version, WITH_MIGRATIONS)).encode())
    for folder in sorted(place for place in ROOT.iterdir() if (place / "__init__.py").exists()):
        if folder.name not in NEVER_MIGRATED:
            for module in sorted(folder.rglob("*.py")):
                if "tests" not in module.relative_to(folder).parts:
                    digest.update(f"{module.relative_to(ROOT)}\0".encode() + module.read_bytes())
    return digest.digest()


def kept(kind: str, make: Callable[[Path], None], *known: bytes) -> Path:
    """What `make` makes at a path, a file or a folder: of this code and of what else is `known`. The first process that
    asks makes it, others wait; what was made of other code goes."""
    KEPT.mkdir(parents=True, exist_ok=True)
    place = KEPT / f"{hashlib.sha256(b''.join((code(), *known))).hexdigest()[:32]}.{kind}"
    with (KEPT / f"{kind}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            for outdated in KEPT.glob(f"*.{kind}"):
                shutil.rmtree(outdated) if outdated.is_dir() else outdated.unlink()
            make(place)
    return place


def copy_migrated(place: Path) -> None:
    """Write a migrated database to this file, which is not there yet."""
    shutil.copyfile(kept("sqlite3", _make), place)


def _make(place: Path) -> None:
    with TemporaryDirectory(prefix="acervo-", dir=KEPT) as folder:
        own = {"DATA_DIR": folder, "DATABASE_URL": "", "SECRET_KEY": "of-nobody" * 8}
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        environment = {"PATH": os.environ["PATH"]} | own
        done = subprocess.run(migrate, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        (Path(folder) / "acervo.sqlite3").rename(place)
