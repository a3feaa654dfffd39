"""Pages given back: less memory, the same content, and nothing of anybody else's."""

import mmap
import sys
from pathlib import Path

import pytest

from retrieval.index.resident import give_back, shared_mappings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
SIZE = 4 * 1024 * 1024


def opened(path: Path, access: int) -> mmap.mmap:
    path.write_bytes(b"a" * SIZE)
    with path.open("r+b") as file:
        return mmap.mmap(file.fileno(), SIZE, access=access)


def resident_kb(path: Path) -> int:
    lines = iter(Path("/proc/self/smaps").read_text().splitlines())
    for line in lines:
        if line.endswith(str(path)):
            return next(int(one.split()[1]) for one in lines if one.startswith("Rss:"))
    return 0


def test_memory_is_given_back_and_what_was_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "index" / "page_0.dat"
    path.parent.mkdir()
    with opened(path, mmap.ACCESS_WRITE) as view:
        assert view[:SIZE].count(b"a") == SIZE
        view[10:15] = b"nuevo"
        assert resident_kb(path) > 4_000
        assert give_back(path.parent) == SIZE
        assert resident_kb(path) < 100
        assert view[8:16] == b"aanuevoa"
        view.flush()
    assert path.read_bytes()[10:15] == b"nuevo"


def test_private_mappings_and_other_folders_are_left_alone(tmp_path: Path) -> None:
    inside, outside = tmp_path / "index", tmp_path / "index-other"
    inside.mkdir()
    outside.mkdir()
    with opened(inside / "a", mmap.ACCESS_COPY) as copy, opened(outside / "b", mmap.ACCESS_WRITE) as other:
        copy[0:1] = b"z"
        other[0:1] = b"z"
        assert list(shared_mappings(inside)) == []
        assert give_back(inside) == 0
        assert (copy[0:1], other[0:1]) == (b"z", b"z")
