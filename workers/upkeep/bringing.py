"""Files that lie in organizations' buckets are brought, in a place of its own: nothing else waits for a bucket."""

import time

from tools.files.buckets import bring_due
from workers.queue import lanes

SECONDS = 60.0
LONGEST = 300.0  # seconds in which a bucket, or a file of it, is begun


def bring_from_buckets() -> int:
    """How many buckets were looked into."""
    until = time.monotonic() + LONGEST
    return bring_due(lambda: time.monotonic() < until and not lanes.stopping.is_set())
