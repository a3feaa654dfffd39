"""What `serve` loads before it serves."""

from types import SimpleNamespace
from typing import Any

import pytest

from workers.management.commands import serve


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
