"""The answers that this process is streaming now: to stop them, and to count a user's (RELIABILITY R3, R21)."""

import asyncio
import logging
import math
import threading
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import UUID

from django.conf import settings
from django.db import DatabaseError
from django.utils.translation import gettext as _

from accounts.models import Membership
from accounts.problems import QuotaExceeded
from agents.llm.base import ModelTimeout
from chat.models import Message
from config.threads import in_thread

T = TypeVar("T")
logger = logging.getLogger(__name__)

POLL_SECONDS = 0.5


@dataclass(slots=True)
class Running:
    """A streaming answer: whether its reader wished it to stop, and who waits for the model meanwhile."""

    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    stopped: bool = False
    waiting: "asyncio.Task[object] | None" = None

    def stop(self) -> None:
        """From any thread, any number of times."""
        self.loop.call_soon_threadsafe(self._stop)

    def _stop(self) -> None:
        self.stopped = True
        self._cut_short()

    def _cut_short(self) -> None:
        """Cancel the wait for the model, once."""
        if self.waiting is not None:
            self.waiting.cancel()
            self.waiting = None

    async def until_stopped(self, pieces: AsyncIterator[T], deadline: float = math.inf) -> AsyncGenerator[T, None]:
        """The pieces until `stop`; ModelTimeout at the deadline, in the event loop's time.

        Either cancels the wait for the model, which closes the connection at once, and nothing else: neither the
        sending of what was said, nor its storing. One timer serves all pieces: a timeout around each wait took 5 % of
        an answer's CPU.
        """
        task, late = asyncio.current_task(), False
        assert task is not None

        def expire() -> None:
            nonlocal late
            late = True
            self._cut_short()

        timer = self.loop.call_at(deadline, expire) if deadline < math.inf else None
        try:
            while not self.stopped:
                if late:
                    raise ModelTimeout
                self.waiting = task
                try:
                    piece = await anext(pieces)
                except StopAsyncIteration:
                    return
                except asyncio.CancelledError:
                    if not (self.stopped or late) or task.uncancel() > 0:  # somebody else has cancelled us too
                        raise
                    continue
                finally:
                    self.waiting = None
                yield piece
        finally:
            if timer is not None:
                timer.cancel()


_running: dict[UUID, Running] = {}
_streams: Counter[UUID] = Counter()
_counting = threading.Lock()  # streams are reserved in threads and released in the event loop
_poller: asyncio.Task[None] | None = None


def reserve(membership: Membership) -> None:
    """Count a stream of this user, or refuse it. Pair with `release`."""
    allowed = settings.QUOTA_STREAMS_PER_USER
    with _counting:
        if not allowed or _streams[membership.user_id] < allowed:
            _streams[membership.user_id] += 1
            return
    raise QuotaExceeded(
        _("You already have %(allowed)s answers running. Stop one, or wait for it.") % {"allowed": allowed},
        headers={"Retry-After": "5"},
    )


def release(user_id: UUID) -> None:
    with _counting:
        _streams[user_id] -= 1
        if _streams[user_id] <= 0:
            del _streams[user_id]


def start(message_id: UUID) -> Running:
    """Register an answer of the running event loop, so that it can be stopped. Pair with `forget`."""
    _running[message_id] = running = Running()
    watch_other_processes()
    return running


def forget(message_id: UUID) -> None:
    _running.pop(message_id, None)


def stop(message_id: UUID) -> None:
    """Stop an answer of this process, from any thread. Those of other processes see `stop_requested_at`."""
    if running := _running.get(message_id):
        running.stop()


def watch_other_processes() -> None:
    """While this process streams, look once a second for stops that another process took."""
    global _poller
    if not settings.EMBEDDED and (_poller is None or _poller.done()):
        _poller = asyncio.create_task(_poll())


async def _poll() -> None:
    while _running:
        await asyncio.sleep(POLL_SECONDS)
        try:
            requested = await in_thread(_requested, list(_running))
        except DatabaseError:
            logger.warning("stops of other processes cannot be read at the moment")
            continue
        for message_id in requested:
            stop(message_id)


def _requested(message_ids: list[UUID]) -> list[UUID]:
    asked = Message.objects.filter(pk__in=message_ids).exclude(stop_requested_at=None)
    return list(asked.values_list("pk", flat=True))
