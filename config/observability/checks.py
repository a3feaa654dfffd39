"""System checks on what stands around a deployment: who can write to its Redis, who can read its folder."""

import stat
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Warning
from django.core.checks import register as register_check

from config.env import OF_OTHERS
from config.observability.tracing import SPOKEN, is_wanted, refused_protocol


def register_deployment_checks() -> None:
    register_check(redis_needs_a_password, deploy=True)
    register_check(state_is_private, deploy=True)
    register_check(traces_are_spoken)


def redis_needs_a_password(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Who can write there empties limits on failed sign-ins, and makes workers take up what nobody asked for."""
    problem = "The Redis server of {} asks for no password."
    advice = "Give it one (requirepass), and name it in the address: redis://:PASSWORD@HOST:6379/0"
    return [Warning(problem.format(name), hint=advice, id="acervo.W005") for name in open_servers()]


def open_servers() -> Iterator[str]:
    """The settings that name a Redis server on the network without a password."""
    shared: Any = settings.CACHES["default"].get("LOCATION", "")
    addresses: dict[str, Any] = {"CELERY_BROKER_URL": settings.CELERY_BROKER_URL, "CACHE_URL": shared}
    for name, found in addresses.items():
        split = [urlsplit(str(address)) for address in ([found] if isinstance(found, str) else found)]
        if any(one.scheme in ("redis", "rediss") and not one.password for one in split):
            yield name


def state_is_private(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """It holds session keys and everybody's documents. Ours is made so by itself (config/env.py)."""
    if not settings.DATA_DIR.stat().st_mode & OF_OTHERS:
        return []
    mode = stat.filemode(settings.DATA_DIR.stat().st_mode)
    problem = f"Other users of this machine can look into DATA_DIR ({mode}), which belongs to somebody else."
    return [Warning(problem, hint="Give it to the user that runs Acervo, with mode 0700.", id="acervo.W006")]


def traces_are_spoken(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Whoever asks for traces by gRPC would wait for them."""
    if not is_wanted() or not refused_protocol():
        return []
    problem = f"OTEL_EXPORTER_OTLP_PROTOCOL is {refused_protocol()}, which is not spoken: no traces are made."
    return [Warning(problem, hint=f"Set it to {SPOKEN}, to the collector's port for it (4318).", id="acervo.W012")]
