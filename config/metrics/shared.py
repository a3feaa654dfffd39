"""Metrics of several processes of one machine in one folder, so that each of them tells all (PROMETHEUS_MULTIPROC_DIR).

For processes that Prometheus cannot find one by one: several behind one address, and the children of a worker's pool.
Each counts in files of its own, mapped into memory, without a system call. Who lives holds a lock on a file with its
mark, which the kernel lets go of however it ends, in whatever container. What a dead one has counted is added up in one
file, since counters never fall; what it was busy with, its gauges, is gone with it.
"""

import fcntl
import os
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from uuid import uuid4

from django.core.exceptions import ImproperlyConfigured
from prometheus_client import disable_created_metrics, values
from prometheus_client.metrics_core import Metric
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

ENDED = "ended"  # the mark of what dead processes have counted
SUMMED = ("counter", "histogram")

_one_at_a_time = threading.Lock()  # locks of files are a process's, not a thread's
_mine: tuple[int, str, IO[bytes] | None] = (0, "", None)


def metrics_folder() -> Path | None:
    """None where each process tells its own. The name is prometheus_client's, which reads the environment itself."""
    named = os.environ.get("PROMETHEUS_MULTIPROC_DIR", "")
    return Path(named) if named else None


def process_mark() -> str:
    """Of this process and no other there ever was; asked with each count, and anew after a fork."""
    global _mine
    if _mine[0] != os.getpid():
        _mine = (os.getpid(), *_hold_mark())
    return _mine[1]


def _hold_mark() -> tuple[str, IO[bytes]]:
    """The lock is held before the file has its name: nobody finds it without."""
    folder, mark = metrics_folder(), uuid4().hex
    assert folder is not None
    held = (folder / f"{mark}.new").open("wb")
    fcntl.lockf(held, fcntl.LOCK_EX)
    (folder / f"{mark}.new").rename(folder / f"{mark}.alive")
    return mark, held


def count_in_files() -> None:
    """Before the first metric is made."""
    folder = metrics_folder()
    if folder is not None:
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            advice = "write a folder that whoever runs this may make and write to"
            named = f"PROMETHEUS_MULTIPROC_DIR is {str(folder)!r}"
            raise ImproperlyConfigured(f"{named}, {error.strerror}: {advice}.") from None
        values.ValueClass = values.MultiProcessValue(process_mark)


class SharedFiles(Collector):
    """What all processes of the folder have counted, living and dead."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def collect(self) -> Iterable[Metric]:
        with self._alone():
            self._absorb_the_dead()
            files = [str(one) for one in self._folder.glob("*.db") if one.stat().st_size]
            return list(MultiProcessCollector.merge(files))

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Nobody adds up, or reads, while another does."""
        with _one_at_a_time, (self._folder / "reading").open("wb") as lock:
            fcntl.lockf(lock, fcntl.LOCK_EX)
            yield

    def _absorb_the_dead(self) -> None:
        for sign in self._folder.glob("*.alive"):
            if sign.stem == process_mark() or is_alive(sign):
                continue
            for kind in SUMMED:
                self._add_up(kind, self._folder / f"{kind}_{sign.stem}.db")
            for left in self._folder.glob(f"*_{sign.stem}.db"):
                left.unlink()
            sign.unlink()

    def _add_up(self, kind: str, dead: Path) -> None:
        if not dead.exists() or not dead.stat().st_size:
            return
        ended, sums = self._folder / f"{kind}_{ENDED}.db", Counter[str]()
        for file in (one for one in (ended, dead) if one.exists()):
            for key, value, *_ in MmapedDict.read_all_values_from_file(str(file)):
                sums[key] += value
        ended.with_suffix(".part").unlink(missing_ok=True)
        written = MmapedDict(str(ended.with_suffix(".part")))
        for key, value in sums.items():
            written.write_value(key, value, 0.0)
        written.close()
        ended.with_suffix(".part").replace(ended)


def is_alive(sign: Path) -> bool:
    """Whether the process that made it lives."""
    with sign.open("r+b") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


disable_created_metrics()  # a second series beside each, which nobody asks for
count_in_files()
