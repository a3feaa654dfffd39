"""Telling a lane that there is work. A hint carries nothing and may be lost: the rows are the queue (ADR 0002)."""

import logging
import threading

from django.conf import settings

from config.celery import INGESTION, SHORT
from config.faults import describe_error

__all__ = ["INGESTION", "SHORT", "Bell", "bells", "hint"]

logger = logging.getLogger(__name__)

WORK = "workers.work"
STALE = 60.0  # seconds after which a hint says nothing new: the sweeper has sent others


class Bell:
    """Wakes the threads of a lane in this process. What rings while nobody listens is heard at the next wait."""

    def __init__(self) -> None:
        self._rung, self.count = threading.Condition(), 0

    def ring(self) -> None:
        with self._rung:
            self.count += 1
            self._rung.notify_all()

    def wait(self, heard: int, seconds: float) -> None:
        """Return when it has rung more than `heard` times, or after so many seconds."""
        with self._rung:
            self._rung.wait_for(lambda: self.count != heard, seconds)


bells = {lane: Bell() for lane in (SHORT, INGESTION)}


def hint(*lanes: str, stale: float = STALE) -> None:
    """Say that there is work. A broker that is down costs 2 s at most and loses nothing."""
    for lane in lanes:
        if settings.WORKERS_EMBEDDED:
            bells[lane].ring()
        elif not _sent(lane, stale):
            return


def _sent(lane: str, stale: float) -> bool:
    try:
        from config.celery import app  # 15 MB that the embedded shape has no use for

        app.send_task(WORK, (lane,), queue=lane, expires=stale, retry=False)
    except Exception as error:  # whatever a broker or its library does, the row is committed and will be found
        logger.warning("the sweeper will find the work of the lane %s: %s", lane, describe_error(error))
        return False
    return True
