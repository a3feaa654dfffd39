"""Statistics are computed beside the web process: what it shares with others is free meanwhile."""

import pytest
from django.core.cache import cache
from django.db import connection

from accounts.models import Membership
from tools.analytics.computing import compute


def test_a_connection_to_the_database_is_given_back_for_as_long_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    given_back: list[bool] = []
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "pool", True)
    monkeypatch.setattr(connection, "close", lambda: given_back.append(True))
    cache.clear()
    assert compute(Membership(), "decompose", values=[1, 2, 4, 3, 5, 6, 8, 7], season=1)["direction"] == "up"
    assert given_back
