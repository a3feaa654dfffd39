"""The workers of the embedded default: Celery in threads of the web process, on the in-memory broker (SPEC §6)."""

import logging
import os
import threading
from typing import Any

from django.conf import settings
from django.db import close_old_connections

from config.celery import app
from workers import leases, tasks

logger = logging.getLogger(__name__)

DRAIN_SECONDS = 15.0  # orchestrators wait some 30 s before they kill


class EmbeddedWorkers:
    """Start once, before serving; stop once, after."""

    def __init__(self) -> None:
        self._controller: Any = app.WorkController(
            pool_cls="threads",
            concurrency=settings.WORKER_THREADS,
            beat=True,
            scheduler="celery.beat.Scheduler",
            without_heartbeat=True,
            without_mingle=True,
            without_gossip=True,
        )
        self._thread = threading.Thread(target=self._run, name="workers", daemon=True)

    def start(self) -> None:
        """Put back what a killed process left, then work."""
        if released := leases.release_abandoned():
            logger.info("%s documents were interrupted and continue now", released)
        self._thread.start()
        tasks.sweep.apply_async()
        tasks.watch_folder.apply_async()

    def _run(self) -> None:
        try:
            self._controller.start()
        except Exception:
            logger.exception("the embedded workers stopped; uploads wait until the next start")
        finally:
            close_old_connections()

    def stop(self) -> None:
        """Let running tasks end. What does not end in time is given back and continues at the next start."""
        stopping = threading.Thread(target=self._controller.stop, name="stopping", daemon=True)
        stopping.start()
        stopping.join(DRAIN_SECONDS)
        if stopping.is_alive():
            logger.info("%s documents are not finished and continue at the next start", self._give_back())
            os._exit(0)  # Python would wait for the workers' threads, for minutes perhaps

    @staticmethod
    def _give_back() -> int:
        return leases.release_abandoned(counts=False)
