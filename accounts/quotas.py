"""Quotas on questions, reserved before anything is spent (RELIABILITY R21)."""

import time

from django.conf import settings
from django.core.cache import cache
from django.utils.translation import gettext as _

from accounts.models import Membership
from accounts.problems import QuotaExceeded

MINUTE = 60


def spend_question(membership: Membership) -> None:
    """Count a question in this minute's window; 429 with Retry-After when it is one too many."""
    allowed = settings.QUOTA_QUESTIONS_PER_MINUTE
    if not allowed:
        return
    now = int(time.time())
    key = f"questions:{membership.pk}:{now // MINUTE}"
    cache.add(key, 0, timeout=2 * MINUTE)
    if cache.incr(key) > allowed:
        wait = MINUTE - now % MINUTE
        raise QuotaExceeded(
            _("You have asked %(allowed)s questions in this minute. Wait %(wait)s seconds.")
            % {"allowed": allowed, "wait": wait},
            headers={"Retry-After": str(wait)},
        )
