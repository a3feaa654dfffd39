"""The stand-in index server as a process of its own, for as long as a test wants it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fakes.index_server import VERSION

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def index_server_process(folder: Path, version: str = VERSION) -> Iterator[str]:
    """Its address; it says that it is of `version`, and keeps what it is given in `folder`."""
    command = [sys.executable, "-m", "tests.fakes.index_server", "--folder", str(folder), "--version", version]
    environment = {**os.environ, "PYTHONWARNINGS": "default"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, env=environment, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()
