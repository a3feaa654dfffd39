"""The secrets that are given out: 256 random bits each, told from API keys by how they begin."""

import secrets
from typing import Any

ACCESS_PREFIX = "aco_"
REFRESH_PREFIX = "acr_"


def make_access_token(_request: Any) -> str:
    return ACCESS_PREFIX + secrets.token_urlsafe(32)


def make_refresh_token(_request: Any) -> str:
    return REFRESH_PREFIX + secrets.token_urlsafe(32)
