"""Another user of the same machine, who looks for what an installation keeps."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.processes import site

pytestmark = pytest.mark.slow


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_nobody_else_reads_a_served_installation_that_was_open_before() -> None:
    with tempfile.TemporaryDirectory(prefix="acervo-") as above:
        folder = Path(above, "state")
        folder.mkdir()
        with site(folder) as running:
            for path in (folder.parent, folder):
                path.chmod(0o755)
            running.start()
            assert folder.stat().st_mode & 0o777 == 0o700
            running.upload(running.make_corpus(), "secreto.md", b"# Secreto\n\nEl secreto es carmes\xc3\xad.\n")
            originals = [path for path in (folder / "files").rglob("*") if path.is_file()]
            assert originals
            for path in (folder, folder / "acervo.sqlite3", *originals):
                seen = subprocess.run(["head", "--bytes", "1", path], user="nobody", capture_output=True, check=False)
                assert seen.returncode != 0, path
            assert all(path.stat().st_mode & 0o077 == 0 for path in (*originals, *(one.parent for one in originals)))
