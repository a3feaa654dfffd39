"""The workers of the embedded default: Celery in threads of the web process, on the in-memory broker (SPEC §6)."""

import logging
import os
import threading
import time
from typing import Any

from django.conf import settings
from django.db import close_old_connections

from config.celery import app
from workers import claims, tasks
from workers.upkeep import space_filling

logger = logging.getLogger(__name__)

DRAIN_SECONDS = 15.0  # orchestrators wait some 30 s before they kill


class Clock(threading.Thread):
    """Sends what `tasks.beat_schedule` says is due, the first time after one interval.

    In place of Celery's embedded beat: what that sends over a connection of its own never arrives on the in-memory
    broker, so that the sweeper would only ever run at the start.
    """

    def __init__(self) -> None:
        super().__init__(name="clock", daemon=True)
        self._stopped = threading.Event()

    def run(self) -> None:
        schedule = tasks.beat_schedule()
        due = {name: time.monotonic() + entry["schedule"] for name, entry in schedule.items()}
        while not self._stopped.wait(1.0):
            for name, entry in schedule.items():
                if time.monotonic() >= due[name]:
                    due[name] += entry["schedule"]
                    app.tasks[entry["task"]].apply_async(**entry["options"])

    def stop(self) -> None:
        self._stopped.set()


class EmbeddedWorkers:
    """Start once, before serving; stop once, after."""

    def __init__(self) -> None:
        self._controller: Any = app.WorkController(
            pool_cls="threads",
            concurrency=settings.WORKER_THREADS,
            without_heartbeat=True,
            without_mingle=True,
            without_gossip=True,
        )
        self._clock = Clock()
        self._thread = threading.Thread(target=self._run, name="workers", daemon=True)

    def start(self) -> None:
        """Put back what a killed process left, then work."""
        if released := self._release(counts=True):
            logger.info("%s documents were interrupted and continue now", released)
        space_filling.stopping.clear()
        self._thread.start()
        self._clock.start()
        tasks.sweep.apply_async()
        tasks.watch_folder.apply_async()
        tasks.change_space.apply_async()

    def _run(self) -> None:
        try:
            self._controller.start()
        except Exception:
            logger.exception("the embedded workers stopped; uploads wait until the next start")
        finally:
            close_old_connections()

    def stop(self) -> None:
        """Let running tasks end. What does not end in time is given back and continues at the next start."""
        space_filling.stopping.set()
        self._clock.stop()
        stopping = threading.Thread(target=self._controller.stop, name="stopping", daemon=True)
        stopping.start()
        stopping.join(DRAIN_SECONDS)
        if stopping.is_alive():
            logger.info("%s documents are not finished and continue at the next start", self._release(counts=False))
            os._exit(0)  # Python would wait for the workers' threads, for minutes perhaps

    @staticmethod
    def _release(*, counts: bool) -> int:
        """Only who owns the index is alone; elsewhere others may be at work, and a lease ends by itself."""
        return claims.release_abandoned(counts=counts) if settings.EMBEDDED else 0
