"""Tool servers in tests are on loopback, in the open, as an operator's settings may allow."""

from collections.abc import Iterator
from typing import Any

import pytest

from foreign import calling, conversing
from tests.tool_servers import ToolHost, hosting


@pytest.fixture(autouse=True)
def nothing_is_remembered() -> None:
    conversing.breakers.clear()
    calling._looked_at.clear()


@pytest.fixture(autouse=True)
def loopback_allowed(settings: Any) -> None:
    settings.TOOL_SERVER_HOSTS, settings.TOOL_SERVER_NETWORKS = ["*"], ["127.0.0.0/8"]
    settings.TOOL_SERVER_PLAIN_HTTP = True


@pytest.fixture
def host() -> Iterator[ToolHost]:
    with hosting() as made:
        yield made
