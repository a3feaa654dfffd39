"""What `serve` loads before it serves."""

from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError

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
