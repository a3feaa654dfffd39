"""A database that goes away while a document is in work: its row cannot say so, and nobody else may take it yet."""

import logging
import time
from collections.abc import Callable

from django.db import InterfaceError, OperationalError, close_old_connections

from config.concurrency.heartbeat import LEASE
from config.faults import describe_error

logger = logging.getLogger(__name__)

DATABASE_AWAY = (OperationalError, InterfaceError)
CONNECTION_STATES = ("08", "57P0")  # connection exceptions; shutdown, by PostgreSQL's table of error codes
PAUSE_SECONDS = 1.0  # between attempts, and before a document is tried again that a database refused


def is_away(error: Exception) -> bool:
    """Gone, or never there. What a statement met (its time was over, the disk is full) has a state of its own, would be
    met again, and counts as an attempt."""
    state = getattr(error.__cause__, "sqlstate", None)
    return isinstance(error, DATABASE_AWAY) and (state is None or state.startswith(CONNECTION_STATES))


def outlasting(work: Callable[[], None]) -> None:
    """Do it, again and again while the database is away; without it there is nothing else to do.

    Given up with the lease: from then on whoever looks takes the document.
    """
    until = time.monotonic() + LEASE.total_seconds()
    while True:
        try:
            work()
        except DATABASE_AWAY as error:
            if time.monotonic() >= until:
                logger.warning("a document is left to its lease's end: %s", describe_error(error))
                return
        else:
            return
        close_old_connections()
        time.sleep(PAUSE_SECONDS)
