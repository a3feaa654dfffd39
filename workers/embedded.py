"""The workers of the embedded default: threads of the web process that ask the rows themselves (SPEC §6, ADR 0002)."""

import logging
import os
import threading
import time

from django.conf import settings
from django.db import connections

from accounts.tenancy.scope import system_scope
from workers.queue import claims, exclusive, lanes
from workers.queue.hints import INGESTION, SHORT, bells
from workers.queue.unhinted import AT_A_TIME, keep_going
from workers.upkeep import space_filling
from workers.upkeep.schedule import SCHEDULE, Periodic

logger = logging.getLogger(__name__)

DRAIN_SECONDS = 15.0  # orchestrators wait some 30 s before they kill
POLL_SECONDS = 1.0  # what another process queued, what is due again, and whatever a hint missed


def listen(lane: str) -> None:
    """Work off a lane whenever its bell rings, and from time to time."""
    bell = bells[lane]
    while not lanes.stopping.is_set():
        heard = bell.count
        if not keep_going(lambda: lanes.drain(lane, AT_A_TIME)):
            bell.wait(heard, POLL_SECONDS)
    connections.close_all()


def repeat(periodic: Periodic) -> None:
    """Run a periodic job at its interval; each has a thread, so that none waits for another."""
    due = time.monotonic() + (0.0 if periodic.at_start else periodic.seconds)
    while not lanes.stopping.wait(max(0.0, due - time.monotonic())):
        due = time.monotonic() + periodic.seconds
        keep_going(periodic.run)
    connections.close_all()


class EmbeddedWorkers:
    """Start once, before serving; stop once, after."""

    def __init__(self) -> None:
        listeners = {SHORT: 1, INGESTION: settings.WORKER_THREADS}
        self._threads = [
            threading.Thread(target=listen, args=(lane,), name=f"{lane}-{number}", daemon=True)
            for lane, threads in listeners.items()
            for number in range(threads)
        ] + [
            threading.Thread(target=repeat, args=(one,), name=f"upkeep-{one.name}", daemon=True)
            for one in SCHEDULE.values()
        ]

    def start(self) -> None:
        """Put back what a killed process left, then work."""
        if released := self._release(counts=True):
            logger.info("%s documents were interrupted and continue now", released)
        lanes.stopping.clear()
        space_filling.stopping.clear()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let what is in work end. What does not end in time is given back and continues at the next start."""
        lanes.stopping.set()
        space_filling.stopping.set()
        for bell in bells.values():
            bell.ring()
        until = time.monotonic() + DRAIN_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        if any(thread.is_alive() for thread in self._threads):
            logger.info("%s documents are not finished and continue at the next start", self._release(counts=False))
            os._exit(0)  # Python would wait for the workers' threads, for minutes perhaps

    @staticmethod
    @system_scope()
    def _release(*, counts: bool) -> int:
        """Only who owns the index is alone; elsewhere others may be at work, and a lease ends by itself."""
        if not settings.EMBEDDED:
            return 0
        exclusive.release_all()
        return claims.release_abandoned(counts=counts)
