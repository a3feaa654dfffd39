"""The folder of an Edge index: locked by one process, holding one current generation of the shard.

<folder>/lock              held with flock as long as the index is open; a killed process lets go of it
<folder>/current           JSON: the generation in use and the points it had when it was compacted
<folder>/<generation>/     a shard as Qdrant Edge keeps it
"""

import fcntl
import json
import os
import shutil
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from retrieval.index.base import IndexLocked

BLOCK = 2**16  # bytes that are copied, or left out, at once
_ZEROS = bytes(BLOCK)


class EdgeFolder:
    """Opening takes the lock (IndexLocked if another process has it) and removes unfinished generations."""

    def __init__(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._lock: int | None = _locked(path / "lock")
        self.current, self.compacted_points = self._read()
        for generation in path.iterdir():
            if generation.is_dir() and generation != self.current:
                shutil.rmtree(generation, ignore_errors=True)

    def _read(self) -> tuple[Path, int]:
        pointer = self._path / "current"
        if not pointer.exists():
            return self._path / "first", 0
        state = json.loads(pointer.read_text())
        return self._path / state["generation"], state["points"]

    def copy(self) -> Path:
        """The current generation, copied under a name that nothing points to yet. OSError: disk full."""
        fresh = self._path / uuid4().hex
        try:
            # A thread of the log prepares its next file as `tmp-…` and renames it: not part of the state.
            ignored = shutil.ignore_patterns("tmp-*")
            return Path(shutil.copytree(self.current, fresh, ignore=ignored, copy_function=_copy_with_holes))
        except OSError:
            self.discard(fresh)
            raise

    def switch(self, generation: Path, points: int) -> Path:
        """Make `generation` the current one in one step that no crash can halve; returns the one before."""
        draft = self._path / "current.new"
        with draft.open("w") as file:
            json.dump({"generation": generation.name, "points": points}, file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._path / "current")
        before, self.current, self.compacted_points = self.current, generation, points
        return before

    @staticmethod
    def discard(generation: Path) -> None:
        shutil.rmtree(generation, ignore_errors=True)

    def remove(self) -> None:
        """Delete the folder with all in it; the lock goes last, so that an interrupted removal can be repeated."""
        for inside in self._path.iterdir():
            if inside.is_dir():
                shutil.rmtree(inside)
        shutil.rmtree(self._path)
        self.release()

    def release(self) -> None:
        """Let the next process in; idempotent."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def allocated(folder: Path) -> int:
    """Bytes on the disk of all files below; most of a young index is holes. One may be renamed meanwhile."""
    taken = 0
    for one in folder.rglob("*"):
        with suppress(FileNotFoundError):
            taken += 512 * one.lstat().st_blocks
    return taken


def _copy_with_holes(source: str, target: str) -> str:
    """As `shutil.copy2`, but nothing is written of what is all zero: 6,000 points are 68 MB, with their holes 311."""
    with open(source, "rb") as read, open(target, "wb") as written:
        while block := read.read(BLOCK):
            if block == _ZEROS[: len(block)]:
                written.seek(len(block), os.SEEK_CUR)
            else:
                written.write(block)
        written.truncate()
    shutil.copystat(source, target)
    return target


def _locked(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise IndexLocked(
            f"{path.parent} is open in another process. The embedded index serves one process: "
            "stop the other one, or set QDRANT_URL so that several can share a Qdrant server."
        ) from error
    return descriptor
