"""What an answer leaves in the database is stored also when the database restarts meanwhile."""

import asyncio
import logging
from collections.abc import Callable
from typing import TypeVar

from django.db import InterfaceError, OperationalError

from config.concurrency.threads import in_thread

logger = logging.getLogger(__name__)

T = TypeVar("T")

PAUSES = (0.5, 1.0, 2.0, 4.0)  # seconds between attempts
AWAY = (OperationalError, InterfaceError)  # the database: what it refuses is not offered again


async def store_patiently(what: str, work: Callable[[], T]) -> T:
    """Run `work` in a thread, again while the database is away. Raises what it raises, one of AWAY at the end."""
    for pause in PAUSES:
        try:
            return await in_thread(work)
        except AWAY:
            logger.warning("%s cannot be stored yet", what)
            await asyncio.sleep(pause)
    return await in_thread(work)
