"""The codes of an authenticator app (RFC 6238), computed as the app does."""

import base64
import hashlib
import hmac
import time

PERIOD = 30  # seconds


def code_of(secret: str, moment: float | None = None) -> str:
    """The six digits that the app shows at a moment, by default now."""
    counter = int(time.time() if moment is None else moment) // PERIOD
    digest = hmac.new(base64.b32decode(secret), counter.to_bytes(8, "big"), hashlib.sha1).digest()
    offset = digest[-1] & 0x0F
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
    return f"{number % 1_000_000:06d}"


def seconds_left() -> float:
    """How long the present code is shown."""
    return PERIOD - time.time() % PERIOD
