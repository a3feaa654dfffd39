"""Work that one process does at a time: a claim row with a lease, renewed while the work goes on."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from uuid import UUID, uuid4

from django.db.models import Q

from config.concurrency.clock import DatabaseNow
from config.concurrency.heartbeat import HEARTBEAT_SECONDS, LEASE, beating
from workers.models import Claim


@contextmanager
def exclusively(name: str, pause: float = 0.0) -> Iterator[bool]:
    """Whether the work may be done now: nobody is at it, and it was not begun within the last `pause` seconds."""
    holder = uuid4()
    if not take_claim(name, holder, pause):
        yield False
        return
    held = Claim.objects.filter(name=name, holder=holder)
    try:
        with beating(lambda: held.update(expires_at=DatabaseNow(LEASE)), HEARTBEAT_SECONDS):
            yield True
    finally:
        held.update(holder=None, expires_at=None)


def take_claim(name: str, holder: UUID, pause: float) -> bool:
    Claim.objects.get_or_create(name=name)
    nobody = Q(expires_at=None) | Q(expires_at__lt=DatabaseNow())
    rested = Q(began_at=None) | Q(began_at__lte=DatabaseNow(-timedelta(seconds=pause)))
    free = Claim.objects.filter(nobody, rested, name=name)
    return bool(free.update(holder=holder, expires_at=DatabaseNow(LEASE), began_at=DatabaseNow()))


def release_all() -> None:
    """At the start of the only process there is: what a killed one held is free, and nothing was just done."""
    Claim.objects.update(holder=None, expires_at=None, began_at=None)
