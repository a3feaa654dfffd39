"""Snapshots of a collection over Qdrant's REST API: made on the server, fetched, and given back.

A snapshot is of one collection on one node, a tar archive of some KB a point. Fetching goes on where it stopped, as far
as the server serves parts of a file; everything that is transferred is compared with the checksum that the server told.
Shapes: POST, GET and DELETE /collections/{name}/snapshots, POST …/snapshots/upload (multipart, field `snapshot`).
"""

import hashlib
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from retrieval.index.base import IndexRefused, IndexUnavailable

if TYPE_CHECKING:
    import httpx

Report = Callable[[int, int], None]  # bytes done, bytes altogether

_PIECE = 1024 * 1024  # bytes
_SILENCE_SECONDS = 60.0  # of a transfer
_POLL_SECONDS = 1.0
_MADE_WITHIN = 4 * 3600.0  # seconds
_SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,250}\Z")


class SnapshotBroken(Exception):
    """What arrived is not what the server has: it was removed, and must be fetched or given again."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """As the server lists it; `checksum` is the SHA-256, empty where the server tells none."""

    name: str
    size: int
    checksum: str


class Throttle:
    """Holds a transfer at `rate` bytes a second on average; 0: as fast as it goes."""

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._began = time.monotonic()
        self._done = 0

    def passed(self, amount: int) -> None:
        self._done += amount
        if self._rate:
            time.sleep(max(0.0, self._began + self._done / self._rate - time.monotonic()))


class SnapshotStore:
    """The snapshots of one server. Raises IndexUnavailable and IndexRefused."""

    def __init__(self, url: str, api_key: str = "") -> None:
        import httpx

        headers = {"api-key": api_key} if api_key else {}
        self._http = httpx.Client(base_url=url, headers=headers, timeout=_SILENCE_SECONDS)

    def close(self) -> None:
        self._http.close()

    def peers(self) -> int:
        """How many nodes the cluster has; 1 for a server by itself."""
        status = self._json("GET", "/cluster")
        return max(1, len(status.get("peers") or {})) if status.get("status") == "enabled" else 1

    def listed(self, collection: str) -> list[Snapshot]:
        """A snapshot is listed once it is whole."""
        return [_snapshot(one) for one in self._json("GET", f"/collections/{collection}/snapshots")]

    def make(self, collection: str, within: float = _MADE_WITHIN) -> Snapshot:
        """Have one made, and wait for it; the server goes on answering. IndexUnavailable when none comes `within`."""
        before = {one.name for one in self.listed(collection)}
        self._json("POST", f"/collections/{collection}/snapshots", params={"wait": "false"})
        until = time.monotonic() + within
        while time.monotonic() < until:
            new = [one for one in self.listed(collection) if one.name not in before]
            if new:
                return new[-1]
            time.sleep(_POLL_SECONDS)
        raise IndexUnavailable(f"the server made no snapshot of {collection} within {within:.0f} s; its log says why")

    def remove(self, collection: str, name: str) -> None:
        self._json("DELETE", f"/collections/{collection}/snapshots/{name}")

    def fetch(self, collection: str, snapshot: Snapshot, path: Path, report: Report, rate: float = 0.0) -> None:
        """Write it to `path`, over `path`.part, from which an interrupted transfer goes on. SnapshotBroken."""
        part, throttle = path.with_name(path.name + ".part"), Throttle(rate)
        part.touch(mode=0o600)  # ids of documents and hashes of their words
        have = part.stat().st_size
        if have < snapshot.size:
            headers = {"Range": f"bytes={have}-"} if have else {}
            address = f"/collections/{collection}/snapshots/{snapshot.name}"
            with _translated(), self._http.stream("GET", address, headers=headers) as answer:
                _require_success(answer)
                goes_on = answer.status_code == 206
                with part.open("ab" if goes_on else "wb") as file:
                    for piece in answer.iter_bytes(_PIECE):
                        file.write(piece)
                        throttle.passed(len(piece))
                        report(file.tell(), snapshot.size)
        _require_whole(part, snapshot)
        part.replace(path)

    def give_back(self, collection: str, path: Path, checksum: str, report: Report, rate: float = 0.0) -> None:
        """Replace the collection by the snapshot at `path`; it is searched again when this returns."""
        with path.open("rb") as file, _translated():
            sent: Any = _Counted(file, path.stat().st_size, report, Throttle(rate))
            answer = self._http.post(
                f"/collections/{collection}/snapshots/upload",
                params={"priority": "snapshot", "wait": "true"} | ({"checksum": checksum} if checksum else {}),
                files={"snapshot": (path.name, sent)},
                timeout=_MADE_WITHIN,
            )
            _require_success(answer)

    def _json(self, method: str, address: str, params: dict[str, str] | None = None) -> Any:
        with _translated():
            answer = self._http.request(method, address, params=params)
            _require_success(answer)
            return answer.json().get("result")


class _Counted:
    """A file that is read as it is sent: counted and held back."""

    def __init__(self, file: BinaryIO, size: int, report: Report, throttle: Throttle) -> None:
        self._file, self._size, self._report, self._throttle = file, size, report, throttle

    def read(self, amount: int = -1) -> bytes:
        piece = self._file.read(min(amount, _PIECE) if amount > 0 else _PIECE)
        self._throttle.passed(len(piece))
        self._report(self._file.tell(), self._size)
        return piece

    def fileno(self) -> int:
        return self._file.fileno()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def __iter__(self) -> Iterator[bytes]:
        while piece := self.read(_PIECE):
            yield piece


def checksum_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal figures."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _require_whole(part: Path, snapshot: Snapshot) -> None:
    size = part.stat().st_size
    if size < snapshot.size:
        raise IndexUnavailable(f"the transfer of {snapshot.name} ended at {size} of {snapshot.size} bytes")
    if size > snapshot.size or (snapshot.checksum and checksum_of(part) != snapshot.checksum):
        part.unlink()
        raise SnapshotBroken(f"{snapshot.name} did not arrive as the server has it")


def _snapshot(listed: dict[str, Any]) -> Snapshot:
    """IndexRefused for a name that is no file's: it becomes one here."""
    name = str(listed["name"])
    if not _SAFE_NAME.match(name):
        raise IndexRefused(f"the server lists a snapshot of the name {name[:80]!r}")
    return Snapshot(name, int(listed["size"]), str(listed.get("checksum") or ""))


def _require_success(answer: "httpx.Response") -> None:
    if answer.is_success:
        return
    fault = IndexRefused if 400 <= answer.status_code < 500 else IndexUnavailable
    raise fault(f"Qdrant answers {answer.status_code} to {answer.request.method} {answer.request.url.path}")


@contextmanager
def _translated() -> Iterator[None]:
    import httpx

    try:
        yield
    except (httpx.HTTPError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise IndexUnavailable(f"the snapshots of the server: {type(error).__name__}: {error}") from error
