"""Signs of life while something takes long: a lease is renewed in a thread beside the work."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from datetime import timedelta
from functools import partial

from django.db import connections

from config.faults import describe_error

logger = logging.getLogger(__name__)

# Who falls silent has lost what it worked on after LEASE, by the database's clock; the sweeper, every 10 s, gives it to
# another within 30 s.
LEASE = timedelta(seconds=20)
HEARTBEAT_SECONDS = 5.0


@contextmanager
def beating(renew: Callable[[], object], seconds: float) -> Iterator[None]:
    """Call `renew` every so many seconds while the block runs. Nothing that it raises ends the beat."""
    ended = threading.Event()
    beat = partial(copy_context().run, _beat, renew, seconds, ended)  # in whose name the work is done
    thread = threading.Thread(target=beat, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _beat(renew: Callable[[], object], seconds: float, ended: threading.Event) -> None:
    while not ended.wait(seconds):
        try:
            renew()
        except Exception as error:  # a connection that dropped is an InterfaceError, a full pool something else
            logger.warning("a lease could not be renewed and is tried again: %s", describe_error(error))
        finally:
            connections.close_all()
