"""What runs against what should: Python, the packages of requirements.txt, Redis, the settings themselves."""

import sys
from collections.abc import Iterator
from importlib import metadata
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import ERROR, WARNING, run_checks
from packaging.requirements import Requirement

from config.env import BASE_DIR
from workers.upkeep.doctor.findings import ADDRESS, DoctorWishes, Found, Result, doubtful, fine, wrong
from workers.upkeep.doctor.reasons import service_fault

LEAST_PYTHON = (3, 11)
LEAST_REDIS = (6, 2)


def examine_python(_: DoctorWishes) -> Found:
    said = f"Python {sys.version.partition(' ')[0]}"
    return fine(said) if sys.version_info >= LEAST_PYTHON else wrong(said, "Use Python 3.11 or newer.")


def examine_packages(_: DoctorWishes) -> Found:
    """Installed versions against the pins: others were never tried together."""
    wanted = [Requirement(line) for line in pinned_lines()]
    others, missing = [], []
    for one in wanted:
        try:
            installed = metadata.version(one.name)
        except metadata.PackageNotFoundError:
            missing.append(one.name)
            continue
        if installed not in one.specifier:
            others.append(f"{one.name} {installed} instead of {one.specifier}")
    advice = "Run: pip install -r requirements.txt"
    if missing:
        return wrong(f"not installed: {', '.join(missing)}", advice)
    return doubtful("; ".join(others), advice) if others else fine(f"{len(wanted)} packages as in requirements.txt")


def pinned_lines() -> Iterator[str]:
    for line in (BASE_DIR / "requirements.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            yield line


def examine_settings(_: DoctorWishes) -> Iterator[Found]:
    """`check --deploy`, with the database's own checks."""
    messages = [
        one for one in run_checks(include_deployment_checks=True, databases=["default"]) if not one.is_silenced()
    ]
    grave = [one for one in messages if one.level >= WARNING]
    for one in grave:
        result = Result.FAIL if one.level >= ERROR else Result.WARN
        yield result, f"{one.msg} ({one.id})", str(one.hint or "See docs/settings.md.")
    if not grave:
        yield fine("check --deploy has nothing to say")


def redis_addresses() -> dict[str, str]:
    """By the setting that names it; empty where neither cache nor broker is Redis."""
    location: Any = settings.CACHES["default"].get("LOCATION", "")
    first = location[0] if isinstance(location, list | tuple) else location
    named = {"CACHE_URL": str(first or ""), "CELERY_BROKER_URL": str(settings.CELERY_BROKER_URL)}
    return {name: url for name, url in named.items() if urlsplit(url).scheme in ("redis", "rediss", "unix")}


def redis_at(url: str) -> Any:
    import redis

    return redis.Redis.from_url(url, socket_timeout=3, socket_connect_timeout=3)


def examine_redis(_: DoctorWishes) -> Iterator[Found]:
    """Its version, and whether it throws away what was counted when its memory is full."""
    if not redis_addresses():
        yield fine("not used: cache and queue are this process's own")
    for name, url in redis_addresses().items():
        try:
            told = redis_at(url).info()
        except Exception as error:  # Redis's own hierarchy, or the network's
            yield wrong(f"{name}: {service_fault(error, url)}", ADDRESS.format(name=name))
            continue
        version = str(told.get("redis_version", "0"))
        known = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
        said = f"{name}: Redis {version}"
        if known < LEAST_REDIS:
            yield doubtful(said, "Upgrade Redis to 6.2 or newer.")
        elif told.get("maxmemory") and told.get("maxmemory_policy") != "noeviction":
            advice = "Set maxmemory-policy to noeviction: an evicted key is a limit begun anew, or a lost message."
            yield doubtful(f"{said} evicts keys ({told['maxmemory_policy']})", advice)
        else:
            yield fine(said)
