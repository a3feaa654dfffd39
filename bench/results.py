"""What is measured, its targets, and the values of each repeat. Pure, but for the machine's description."""

import math
import os
import statistics
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.processes import ROOT

REFERENCE = "reference "  # before a key: the same measure of the bare reference


@dataclass(frozen=True, slots=True)
class Measure:
    """One row. `target` is the most that meets it, or the least where more is better."""

    key: str
    title: str
    unit: str
    target: float | None = None
    digits: int = 1
    more_is_better: bool = False

    def is_met(self, value: float) -> bool:
        """As it is shown: what rounds to the target meets it."""
        if self.target is None:
            return True
        shown = round(value, self.digits)
        return shown >= self.target if self.more_is_better else shown <= self.target


def first_token(users: int, p50: float, p95: float) -> tuple[Measure, ...]:
    name = f"added time to first token, {users} at once"
    return (
        Measure(f"first token {users} p50", f"{name}, p50", "ms", p50),
        Measure(f"first token {users} p95", f"{name}, p95", "ms", p95),
    )


def slow_first_token(users: int, p50: float, p95: float | None = None) -> tuple[Measure, ...]:
    name = f"first token beyond an embedding of 200 ms and the model, {users} at once"
    return (
        Measure(f"slow first token {users} p50", f"{name}, p50", "ms", p50),
        Measure(f"slow first token {users} p95", f"{name}, p95", "ms", p95),
    )


def retrieval(users: int, p50: float) -> tuple[Measure, ...]:
    name = f"retrieval endpoint, {users} at once"
    return (
        Measure(f"retrieval {users} p50", f"{name}, p50", "ms", p50),
        Measure(f"retrieval {users} p95", f"{name}, p95", "ms"),
    )


def streams(users: int, first: float) -> tuple[Measure, ...]:
    name = f"{users:,} open streams"
    return (
        Measure(f"streams {users} p95", f"{name}: first token, p95", "ms", first, 0),
        Measure(f"streams {users} errors", f"{name}: errors", "", 0, 0),
        Measure(f"streams {users} memory", f"{name}: memory of each", "KB", 100, 0),
    )


MEASURES: tuple[Measure, ...] = (
    Measure("ingestion wall", "ingestion of 121 files, wall", "s", 5, 2),
    Measure("ingestion bound", "… as a multiple of the embedding latency's bound", "×", 3, 2),
    Measure("ingestion cpu", "ingestion of 121 files, CPU", "s", 5, 2),
    Measure("ingestion memory", "peak memory over three ingestions", "MB", 450, 0),
    Measure("ingestion third", "… of the third, as a multiple of the first's", "×", 1.1, 2),
    Measure("items per chunk", "embedded items per chunk", "", 1, 2),
    Measure("items again", "… when the same files come again", "", 0, 0),
    Measure("lost 8", "documents lost of 121, 8 uploads at once", "", 0, 0),
    Measure("lost 32", "documents lost of 121, 32 uploads at once", "", 0, 0),
    Measure("long document", "peak memory while a 600-page PDF is ingested", "MB", 450, 0),
    Measure("cold start", "cold start", "s", 3, 2),
    Measure("second start", "start with 121 documents", "s", 3, 2),
    Measure("idle memory", "idle memory", "MB", 250, 0),
    *first_token(1, 20, 40),
    *first_token(50, 40, 100),
    *first_token(200, 75, 200),
    *slow_first_token(1, 15),
    *slow_first_token(50, 40, 100),
    *slow_first_token(200, 150, 400),
    Measure("slow cpu 50", "… server CPU an answer of 60 tokens, 50 at once", "ms"),
    Measure("slow cpu 200", "… 200 at once", "ms"),
    Measure(
        "stranger p50", "another organization's request beside 24 slow searches, as a multiple of alone", "×", 3, 2
    ),
    Measure("stranger worst", "… the slowest", "ms", 100),
    Measure("cpu per token", "CPU for 1,000 relayed tokens (50 at once, 60-token answers)", "s", 0.35, 3),
    Measure("bytes per token", "bytes a token to the client", "B", 100, 0),
    *retrieval(1, 15),
    *retrieval(8, 35),
    *retrieval(32, 110),
    Measure("retrieval cpu", "server CPU a retrieval, 32 at once", "ms", None, 2),
    Measure("retrieval large", "retrieval at 20,000 chunks beyond the question's embedding, p95", "ms", 10),
    *streams(1_000, 1_000),
    *streams(2_000, 3_000),
)


class Book:
    """The values of each measure, one for each repeat."""

    def __init__(self) -> None:
        self.values: dict[str, list[float]] = defaultdict(list)

    def note(self, key: str, value: float) -> None:
        self.values[key].append(value)

    def summary(self, key: str) -> tuple[float, float, float] | None:
        """(min, median, max) over the repeats."""
        values = self.values.get(key)
        return (min(values), statistics.median(values), max(values)) if values else None


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that is not below `share` (0..1) of them; infinite when there are none."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)) - 1, 0)] if ordered else math.inf


def machine() -> str:
    """Cores, processor and memory; no names."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    processor = names[0] if names else "unknown processor"
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    return f"{os.cpu_count()} cores ({processor}), {memory:.0f} GiB"


def commit() -> str:
    """The short hash, and whether files differ from it."""
    try:
        head = git("rev-parse", "--short", "HEAD")
        return head + (" with changes" if git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()
