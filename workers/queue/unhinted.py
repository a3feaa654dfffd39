"""A Celery worker that is told nothing looks for itself.

Hints and beat's ticks come through a broker, and it may be away; or it is back, and a consumer of Celery's that lives
and answers takes nothing from it any more (celery/celery#8030, #8384, #10205). The rows are the queue (ADR 0002): a
worker that has heard nothing of one of its lanes for a while asks them. So documents go on without a broker, and what
runs by itself without beat, at the pace of one thread a worker.

Only where tasks run in threads of this process: one that forks would do the work in the parent of its workers.
"""

import logging
import random
import threading
import time
from collections.abc import Callable, Iterable

from django.db import close_old_connections, connections

from config.celery import UPKEEP
from config.faults import describe_error
from config.observability.correlation import in_task
from workers.queue import lanes
from workers.upkeep.schedule import SCHEDULE

logger = logging.getLogger(__name__)

QUIET_SECONDS = 20.0  # twice the sweeper's round
AT_A_TIME = 10.0  # seconds of a lane's work after which connections are looked at
LAST_WORK_SECONDS = 25.0  # orchestrators wait some 30 s before they kill


def keep_going(work: Callable[[], bool]) -> bool:
    """The work's answer; False when it failed, for instance because the database is away. The thread lives on.

    Its connection goes back to the pool meanwhile: idle threads would take all of them from requests.
    """
    close_old_connections()
    try:
        with in_task(threading.current_thread().name):
            return work()
    except Exception as error:
        logger.error("background work failed and is tried again: %s", describe_error(error))
        return False
    finally:
        close_old_connections()


class Unhinted:
    """One thread for the lanes that a worker serves; `heard` is told of each task of theirs that begins."""

    def __init__(self) -> None:
        self._heard: dict[str, float] = {}
        self._thread: threading.Thread | None = None

    def start(self, served: Iterable[str]) -> None:
        self._heard = dict.fromkeys(served, time.monotonic())
        self._thread = threading.Thread(target=self._watch, name="unhinted", daemon=True)
        self._thread.start()

    def heard(self, lane: str) -> None:
        if lane in self._heard:
            self._heard[lane] = time.monotonic()

    def join(self) -> None:
        """Let what it is at end, once lanes are stopping; what does not is taken up when its lease ends."""
        if self._thread is not None:
            self._thread.join(LAST_WORK_SECONDS)

    def _watch(self) -> None:
        has_more = False
        while not lanes.stopping.wait(0.0 if has_more else _round()):
            quiet = [lane for lane, heard in self._heard.items() if time.monotonic() - heard >= QUIET_SECONDS]
            has_more = sum(map(self._look, quiet)) > 0
        connections.close_all()

    def _look(self, lane: str) -> bool:
        """Whether there may be more; as long as there is, the lane counts as quiet until it is heard."""
        if lane == UPKEEP:
            if missed := [one.name for one in SCHEDULE.values() if keep_going(one.run_if_missed)]:
                logger.warning("nothing was heard of beat; done without it: %s", ", ".join(missed))
        elif keep_going(lambda: lanes.drain(lane, AT_A_TIME)):
            return True
        self.heard(lane)
        return False


def _round() -> float:
    """Workers that were started together do not ask together."""
    return QUIET_SECONDS / 4 * random.uniform(0.8, 1.2)  # noqa: S311 - no secret
