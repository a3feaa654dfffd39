"""What `serve` loads before it serves."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError

from config.env import BASE_DIR
from tests.migrated import copy_migrated
from tests.small_disk import Mounting, fill_disk, read_only, small_disk
from workers.management.commands import serve

__all__ = ["small_disk"]


@pytest.mark.parametrize("waits", [True, False])
def test_only_where_an_endpoint_embeds_its_client_is_loaded_beforehand(
    waits: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[Any] = []
    monkeypatch.setattr(serve, "active_space", lambda: "space")
    monkeypatch.setattr(serve.opened, "provider_of", lambda _space: SimpleNamespace(waits=waits))
    monkeypatch.setattr(serve, "load_sdk", lambda: loaded.append("sdk"))
    serve.load_embedding_client()
    assert loaded == (["sdk"] if waits else [])


@pytest.mark.parametrize(("befalls", "said"), [(fill_disk, "is full"), (read_only, "is read-only")])
def test_it_ends_with_a_sentence_where_the_disk_of_its_folder_takes_nothing(
    befalls: Any, said: str, small_disk: Mounting, settings: Any
) -> None:
    settings.DATA_DIR = disk = small_disk(8)
    befalls(disk)
    with pytest.raises(CommandError, match=f"the disk of {disk} {said}"):
        serve.Command().check_disk()


def said_by(disk: Path, *command: str) -> str:
    """What a command that fails says, in an environment whose state is on that disk."""
    known = {**os.environ, "DATA_DIR": str(disk), "SECRET_KEY": "of-nobody" * 8, "DATABASE_URL": ""}
    done = subprocess.run(
        [sys.executable, str(BASE_DIR / "manage.py"), *command], env=known, capture_output=True, text=True, check=False
    )
    assert done.returncode, done.stdout
    return done.stderr


@pytest.mark.parametrize(
    "command",
    [("ask", "tutor", "¿Qué?", "--user", "ana@example.org"), ("apikey", "ana@example.org"), ("migrate",)],
    ids=lambda words: words[0],
)
def test_a_command_without_a_server_names_the_disk_that_is_full(command: tuple[str, ...], small_disk: Mounting) -> None:
    disk = small_disk(16)
    copy_migrated(disk / "acervo.sqlite3")
    fill_disk(disk)
    said = said_by(disk, *command)
    assert said.startswith(f"The disk of {disk} is full: 0.0 MB are free")
    assert len(said.splitlines()) == 1
