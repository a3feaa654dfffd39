"""What a server spends while something is done to it: its processor's time, memory, and the patience of others."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

from tests.processes import memory_mb

TICKS = os.sysconf("SC_CLK_TCK")
EVERY = 0.02  # seconds between two looks


@dataclass
class Spent:
    """`stall`: the longest that anybody else waited for `/healthz`, in seconds."""

    cpu: float = 0.0
    memory: float = 0.0  # MB above what it had before
    waits: list[float] = field(default_factory=list)

    @property
    def stall(self) -> float:
        return max(self.waits, default=0.0)


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def forget_peak(pid: int) -> None:
    """Let `VmHWM` begin anew from what the process has now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


@contextmanager
def watching(pid: int, port: int) -> Iterator[Spent]:
    """`/healthz` is asked all the while by somebody who has nothing to do with it."""
    spent, ended = Spent(), threading.Event()

    def look() -> None:
        while not ended.is_set():
            began = time.monotonic()
            try:
                urlopen(f"http://127.0.0.1:{port}/healthz", timeout=60).close()
            finally:
                spent.waits.append(time.monotonic() - began)
            time.sleep(EVERY)

    forget_peak(pid)
    before, memory = cpu_seconds(pid), memory_mb(pid)
    thread = threading.Thread(target=look, name="looks at the health", daemon=True)
    thread.start()
    try:
        yield spent
    finally:
        ended.set()
        thread.join(70)
        spent.cpu = cpu_seconds(pid) - before
        spent.memory = memory_mb(pid, "VmHWM") - memory
