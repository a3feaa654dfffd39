"""The lanes of background work: what each does, and doing it until nothing is due (ADR 0002)."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from accounts.tenancy.scope import system_scope
from workers.erasure.parties import erase_next_party
from workers.jobs import cut, erase, evaluate, export, ingest, metadata, presence
from workers.queue.hints import INGESTION, SHORT

Job = Callable[[], bool]  # claims the next row of its kind and works on it; False when nothing is due

stopping = threading.Event()  # set when the process is about to end: what is in work ends, nothing is begun


@dataclass(frozen=True, slots=True)
class WorkLane:
    """`turns` are taken one after another again and again; `first`, of which one may take long, once a drain."""

    turns: tuple[Job, ...]
    first: tuple[Job, ...] = ()


LANES = {
    SHORT: WorkLane(
        (erase.erase_next, presence.follow_next, metadata.copy_next, ingest.ingest_next_small, erase_next_party),
        first=(cut.cut_next,),
    ),
    INGESTION: WorkLane((ingest.ingest_next,), first=(evaluate.evaluate_next, export.export_next)),
}


@system_scope()
def drain(name: str, seconds: float) -> bool:
    """Work until nothing is due, but not for longer than about so many seconds; True when there may be more."""
    lane, until = LANES[name], time.monotonic() + seconds
    worked = [job() for job in lane.first if not stopping.is_set()]
    while not stopping.is_set():
        in_this_round = [job() for job in lane.turns]
        if not any(in_this_round):
            return any(worked)
        if time.monotonic() >= until:
            return True
    return False
