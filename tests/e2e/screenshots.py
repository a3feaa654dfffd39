"""Take the pictures of docs/pages anew: `python -m tests.e2e.screenshots`. The walks themselves take them."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PICTURES = HERE.parents[1] / "docs" / "pages"
TAKEN = re.compile(r'screenshot\(\s*[\w.]+,\s*"([\w-]+)"')


def walks() -> dict[str, Path]:
    """The walk that takes a picture, by the picture's name."""
    return {name: walk for walk in sorted(HERE.glob("test_*.py")) for name in TAKEN.findall(walk.read_text("utf-8"))}


def main() -> int:
    """Of pytest, or 1 when a picture that there is was not taken."""
    began = time.time()
    command = [sys.executable, "-m", "pytest", "-q", *sorted({str(walk) for walk in walks().values()})]
    ended = subprocess.run(command, env={**os.environ, "SCREENSHOTS": "1"}, check=False).returncode
    old = sorted(one.name for one in PICTURES.glob("*.png") if one.stat().st_mtime < began)
    sys.stdout.write(f"not taken anew: {', '.join(old) or 'none'}\n")
    return ended or int(bool(old))


if __name__ == "__main__":
    sys.exit(main())
