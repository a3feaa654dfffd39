"""When a window began and when it ends, in seconds since 1970: by the clock of UTC, for everybody alike."""

import time
from datetime import UTC, datetime

from accounts.limits.declared import Window

MINUTE, DAY = 60, 86_400


def start_of(window: Window) -> int:
    """Of the window that is now; 0 for what is held."""
    now = int(time.time())
    if window is Window.MINUTE:
        return now - now % MINUTE
    if window is Window.DAY:
        return now - now % DAY
    return _month(now, 0) if window is Window.MONTH else 0


def end_of(window: Window) -> int:
    """When the present one is over; 0 for what no time heals."""
    if window is Window.MONTH:
        return _month(int(time.time()), 1)
    lasts = {Window.MINUTE: MINUTE, Window.DAY: DAY}.get(window)
    return start_of(window) + lasts if lasts else 0


def seconds_left(window: Window) -> int:
    """At least 1: who comes back then finds the next one."""
    return max(1, end_of(window) - int(time.time()))


def _month(now: int, later: int) -> int:
    day = datetime.fromtimestamp(now, UTC)
    years, month = divmod(day.month - 1 + later, 12)
    return int(datetime(day.year + years, month + 1, 1, tzinfo=UTC).timestamp())
