"""Servers as child processes on free loopback ports, and what they and their children use, from /proc."""

import os
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
START_SECONDS = 60.0
STOP_SECONDS = 30.0
SAMPLE_SECONDS = 0.2  # the kernel walks a process's pages for it, some milliseconds each time


def raise_file_limit() -> None:
    """As many connections as the machine allows; the servers inherit it."""
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """`python -m` or `manage.py` with `arguments`; it must take `--port`. A context manager: stopped at the end."""

    def __init__(self, arguments: list[str], log: Path, environment: Mapping[str, str] | None = None) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.started = time.monotonic()
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, *arguments, "--port", str(self.port)],
                cwd=ROOT,
                env=self.environment(environment or {}),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        self.log = log

    @staticmethod
    def environment(settings: Mapping[str, str]) -> dict[str, str]:
        """This process's environment under `settings`."""
        return {**os.environ, **settings}

    def until_ready(self, path: str = "/healthz") -> float:
        """Seconds from the start to the first answer."""
        while time.monotonic() < self.started + START_SECONDS:
            if self.process.poll() is not None:
                break
            try:
                with urllib.request.urlopen(self.url + path, timeout=5):
                    return time.monotonic() - self.started
            except OSError:
                time.sleep(0.01)
        self.stop()
        raise RuntimeError(f"a server did not start:\n{self.log.read_text()[-2000:]}")

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def tree(self) -> list[int]:
        """The process and all its descendants."""
        found = [self.process.pid]
        for pid in found:  # grows while it is walked
            found += children(pid)
        return found

    def cpu_seconds(self) -> float:
        """User and system time of the tree so far, with that of the children that have ended."""
        return sum(map(cpu_of, self.tree()))

    def memory(self) -> int:
        """Bytes that the tree takes: pages that forks share count once."""
        return sum(map(proportional, self.tree()))


def children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        paths = list(Path(f"/proc/{pid}/task").glob("*/children"))
    except OSError:  # the process has ended: a child of the sandbox lives for milliseconds
        return found
    for path in paths:
        try:
            found += map(int, path.read_text().split())
        except OSError:  # the thread has ended
            continue
    return found


def cpu_of(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS  # utime, stime, and those of the children waited for


def proportional(pid: int) -> int:
    """Bytes of a process, of a page that n processes have an nth; resident ones where the kernel does not tell."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return resident(pid)
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)


def resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
    except OSError:
        return 0


class PeakMemory:
    """The largest `Server.memory()` seen while the block runs."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.before = self.peak = server.memory()
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.watch, daemon=True)

    def watch(self) -> None:
        while not self.ended.wait(SAMPLE_SECONDS):
            self.peak = max(self.peak, self.server.memory())

    def __enter__(self) -> "PeakMemory":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()
        self.peak = max(self.peak, self.server.memory())
