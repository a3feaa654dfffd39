"""A small disk of a test's own (a tmpfs, which wants root), and how it is filled."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config.observability.disk import room_at


def fill_disk(folder: Path, leave: int = 0) -> Path:
    """All of it but `leave` bytes, by one file, which is returned."""
    filling = folder / "filling"
    with filling.open("wb") as file:
        file.write(b"x" * max(0, room_at(folder) - leave))
    return filling


def read_only(folder: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True, capture_output=True)


Mounting = Callable[[int], Path]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Mounting]:
    """`small_disk(megabytes)`: its folder, once a test. Skips the test where nothing may be mounted."""
    folder = tmp_path / "disk"

    def mount(megabytes: int) -> Path:
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
        if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("a small disk wants root")
        return folder

    yield mount
    subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=False)
