"""The commands of docs/deploy.md, run as they stand there: what a test cannot have (Docker, systemd, a machine's own
folders) is named in the test and replaced, everything else is the document's."""

import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

from tests.services.servers import ROOT

GUIDE = ROOT / "docs" / "deploy.md"


def block_after(phrase: str) -> str:
    """The indented lines below the first line of the guide that has `phrase` in it."""
    lines = GUIDE.read_text(encoding="utf-8").splitlines()
    (at,) = [number for number, line in enumerate(lines) if phrase in line]
    rest = lines[at + 1 :]
    first = next(number for number, line in enumerate(rest) if line.startswith("    "))
    block = []
    for line in rest[first:]:
        if line and not line.startswith("    "):
            break
        block.append(line)
    return textwrap.dedent("\n".join(block)).strip() + "\n"


def carried_out(
    phrase: str, replaced: Mapping[str, str], environment: Mapping[str, str], python: str = sys.executable
) -> str:
    """What the commands below `phrase` print; the first that fails is the test's end.

    `replaced`: regular expressions and what stands in their place. One that the document has no use for is an error:
    it would hide that the document has changed. `python`: the interpreter that the commands find first.
    """
    script = block_after(phrase)
    for pattern, instead in replaced.items():
        script, found = re.subn(pattern, instead, script)
        assert found, f"docs/deploy.md does not say {pattern!r} any more below {phrase!r}"
    path = f"{Path(python).parent}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=ROOT, env={**environment, "PATH": path}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
    return done.stdout
