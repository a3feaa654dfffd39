"""Limits as a test wants them: switched on, with these amounts and no others."""

import time
from typing import Any

from accounts.limits.declared import LIMITS, Per
from accounts.limits.rows import LimitUse, SpendingReservation


def limit(settings: Any, *, organization: dict[str, float] | None = None, **user: float) -> None:
    """`limit(settings, questions=3)`: three a minute for each member. What is not named has no limit."""
    none = dict.fromkeys(LIMITS, 0)
    settings.QUOTAS = True
    settings.LIMITS = {Per.USER.value: none | user, Per.ORGANIZATION.value: none | (organization or {})}


def used(name: str, subject: Any) -> int:
    """What the counters of a limit hold for a user or an organization, in all windows together."""
    return sum(LimitUse.objects.filter(name=name, subject=subject).values_list("used", flat=True))


def reserved() -> int:
    """How many reservations wait to be settled."""
    return SpendingReservation.objects.count()


def stop_the_clock(monkeypatch: Any) -> None:
    """In the middle of a minute, so that no test runs into the next one."""
    now = time.time() // 60 * 60 + 30
    monkeypatch.setattr("accounts.limits.windows.time.time", lambda: now)
