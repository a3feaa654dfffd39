"""Webhooks in tests are told to loopback, in the open, as an operator's settings may allow."""

from typing import Any

import pytest


@pytest.fixture
def loopback_allowed(settings: Any) -> None:
    settings.WEBHOOK_NETWORKS, settings.WEBHOOK_PLAIN_HTTP = ["127.0.0.0/8"], True
