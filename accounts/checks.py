"""System checks on what is counted for everybody: it must be counted in one place (docs/settings.md, `CACHE_URL`)."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning
from django.core.checks import register as register_check

OF_ONE_PROCESS = ("LocMemCache", "DummyCache")
ADVICE = "Set CACHE_URL to a Redis server that all processes share."


def register_account_checks() -> None:
    register_check(several_processes_need_one_cache)


def several_processes_need_one_cache(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Limits on failed sign-ins, quotas, and who changes the embedding space are kept in the cache."""
    if not str(settings.CACHES["default"]["BACKEND"]).endswith(OF_ONE_PROCESS):
        return []
    if not settings.WORKERS_EMBEDDED:
        problem = (
            "CELERY_BROKER_URL is set, so web and workers are several processes, but the cache is the memory of each: "
            "failed sign-ins and quotas would be counted in each by itself."
        )
        return [Error(problem, hint=ADVICE, id="acervo.E002")]
    if settings.QDRANT_URL:
        problem = "QDRANT_URL allows several web processes, but the cache is the memory of one."
        return [Warning(problem, hint=f"{ADVICE} One process alone needs none.", id="acervo.W002")]
    return []
