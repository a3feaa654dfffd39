"""A filled library and what a question costs there, each in processes of their own; a book of the results."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench.load.place import Place
from bench.processes import ROOT
from bench.results import Book

STEP_SECONDS = 500.0
AGAIN = 75  # of `filling`: the step is over, the work is not
WITH_ROWS = [sys.executable, "-m", "tests.services", "postgres", "--"]


def measure(place: Place, book: Book, seconds: float, share: float) -> None:
    """Fill for `seconds` at most, then measure what is there."""
    until = time.monotonic() + seconds
    is_left = True
    while is_left and time.monotonic() < until:
        is_left = run(place, "filling", until, share) == AGAIN
    if is_left and place.engine == "pgvector":  # what it puts off, no search can do without
        run(place, "filling", until, share, "--last")
    state = place.state
    blocks = int(state.get("blocks", 0))
    if not blocks:
        raise RuntimeError("nothing was written")
    found = told(place, "retrieving")
    book.note("chunks", found["points"])
    book.note("chunks fill rate", found["points"] / state["seconds"])
    for key in ("p50", "p95"):
        book.note(f"chunks {key}", found[f"{key}_ms"])
    book.note("chunks first p95", found["first_p95_ms"])
    if large := found["classes"].get("50,000 and more"):
        book.note("chunks large p95", large["p95_ms"])
    book.note("chunks opened", found["opened_s"])
    book.note("chunks cpu", found["cpu_ms"])
    book.note("chunks recall", found["recall"])
    book.note("chunks neighbours", found["neighbours"]["same"] / found["neighbours"]["questions"])
    for kind, megabytes in found["memory_mb"]["asked"].items():
        book.note(f"chunks {kind} memory", megabytes)
    if found["disk_mb"] is not None:
        book.note("chunks disk", found["disk_mb"])
    with_rows(place, book)


def with_rows(place: Place, book: Book) -> None:
    found = told(place, "whole", *WITH_ROWS)
    book.note("whole p50", found["p50_ms"])
    book.note("whole p95", found["p95_ms"])
    book.note("whole cpu", found["cpu_ms"])


def run(place: Place, program: str, until: float, share: float, *more: str) -> int:
    """The exit code of one step."""
    left = max(1.0, min(STEP_SECONDS, until - time.monotonic()))
    own = ["--seconds", str(left), "--share", str(share)]
    done = subprocess.run([*command(place, program), *own, *more], cwd=ROOT, check=False)
    if done.returncode not in (0, AGAIN):
        raise RuntimeError(f"{program} ended with {done.returncode}")
    return done.returncode


def told(place: Place, program: str, *before: str) -> dict[str, Any]:
    """What a program prints as JSON, kept beside the library as well."""
    done = subprocess.run([*before, *command(place, program)], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    Path(place.folder / f"{program}.json").write_text(done.stdout)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def command(place: Place, program: str) -> list[str]:
    return [sys.executable, "-m", f"bench.load.{program}", *place.arguments]
