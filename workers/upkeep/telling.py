"""Webhooks are told what is due (ADR 0024): in a place of its own, one round at a time in an installation, so that no
document waits for somebody's server."""

import time

from webhooks.delivering import deliver_due
from webhooks.quotas import announce_near_quotas
from workers.queue import lanes
from workers.queue.exclusive import exclusively

SECONDS = 5.0
LONGEST = 60.0  # seconds in which a round begins attempts
QUOTAS_EVERY = 300.0  # seconds


def tell_webhooks() -> int:
    """How many attempts were made."""
    with exclusively("near quotas", pause=QUOTAS_EVERY) as is_time:
        if is_time:
            announce_near_quotas()
    until = time.monotonic() + LONGEST
    return deliver_due(lambda: time.monotonic() < until and not lanes.stopping.is_set())
