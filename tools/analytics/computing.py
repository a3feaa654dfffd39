"""Statistics of a series, computed in a child: cached for whoever asked, and so many at once in a process."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from django.core.cache import cache

from accounts.limits.places import Places
from accounts.models import Membership
from config.concurrency.pooled import give_back_connection
from tools.engines.failures import EngineFailed
from tools.engines.running import answer_of_child
from tools.problems import AnalysisFailed
from tools.querying import CACHED_SECONDS
from tools.sealing import SealLost, seal_json, unseal_json

MEMORY, CPU_SECONDS, SECONDS = 2 * 1024**3, 25, 30.0
AT_ONCE, PATIENCE = 1, 3.0
_places = Places(AT_ONCE, PATIENCE)


def compute(by: Membership, asked: str, **arguments: Any) -> dict[str, Any]:
    """`asked`: decompose, forecast_series. Raises Busy and AnalysisFailed."""
    key = _key(by, asked, arguments)
    found = _kept(key)
    if found is None:
        limits = {"memory": MEMORY, "cpu": CPU_SECONDS, "seconds": SECONDS}
        try:
            with _places.taken():
                give_back_connection()
                request = {"asked": asked, "arguments": arguments, **limits}
                found = answer_of_child("tools.statistics.child", request, SECONDS)
        except EngineFailed:
            raise AnalysisFailed from None
        cache.set(key, seal_json(found), CACHED_SECONDS)
    return found


def _kept(key: str) -> dict[str, Any] | None:
    try:
        return unseal_json(kept) if (kept := cache.get(key)) else None
    except SealLost:
        return None


def _key(by: Membership, asked: str, arguments: Mapping[str, Any]) -> str:
    told = json.dumps([str(by.pk), asked, arguments], sort_keys=True)
    return f"tools:statistics:{hashlib.sha256(told.encode()).hexdigest()}"
