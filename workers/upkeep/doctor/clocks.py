"""Clocks of the services against this machine's: limits of a minute, codes of a second factor, tokens and what is
signed, also for object stores, go wrong by a clock that is off. Leases are the database's (`config.concurrency.clock`).
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from django.core.files.storage import default_storage
from django.db import connection

from workers.upkeep.doctor.database import fetched_rows
from workers.upkeep.doctor.findings import DoctorWishes, Found, doubtful, fine, wrong
from workers.upkeep.doctor.versions import redis_addresses, redis_at

OFF, FAR_OFF = 2.0, 10.0  # seconds; a code of a second factor lasts 30
ADVICE = "Let NTP set the clocks of all machines (timedatectl, chronyc tracking)."


def examine_clocks(_: DoctorWishes) -> Iterator[Found]:
    if not clocks():
        yield fine("one machine, one clock")
    for name, ask in clocks().items():
        try:
            before = datetime.now(UTC)
            told = ask()
            after = datetime.now(UTC)
        except Exception as error:  # whoever is away is told of elsewhere
            yield doubtful(f"{name}: not asked, {type(error).__name__}", "See above: it does not answer.")
            continue
        off = max(0.0, (before - told).total_seconds(), (told - after).total_seconds())
        said = f"{name}: {off:.1f} s off"
        yield fine(said) if off < OFF else (doubtful if off < FAR_OFF else wrong)(said, ADVICE)


def clocks() -> dict[str, Callable[[], datetime]]:
    asked: dict[str, Callable[[], datetime]] = {}
    if connection.vendor == "postgresql":
        asked["database"] = lambda: fetched_rows("SELECT clock_timestamp()")[0][0]
    for name, url in redis_addresses().items():
        asked[name] = lambda url=url: redis_time(url)  # type: ignore[misc]  # of this turn
    if getattr(default_storage, "bucket_name", ""):
        asked["files"] = store_time
    return asked


def redis_time(url: str) -> datetime:
    seconds, micros = redis_at(url).time()
    return datetime.fromtimestamp(seconds + micros / 1e6, UTC)


def store_time() -> datetime:
    """To the second, by its answer's date."""
    storage: Any = default_storage
    told = storage.connection.meta.client.head_bucket(Bucket=storage.bucket_name)
    return parsedate_to_datetime(told["ResponseMetadata"]["HTTPHeaders"]["date"])
