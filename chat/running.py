"""The answers that this process is streaming now: to stop them, and to count a user's (RELIABILITY R3, R21)."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext as _

from accounts.models import Membership
from accounts.problems import QuotaExceeded
from chat.models import Message
from chat.threads import in_thread

POLL_SECONDS = 1.0


@dataclass(slots=True)
class Running:
    """A streaming answer: the task that reads the model, and whether its reader wished it to stop."""

    task: asyncio.Task[object]
    loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.get_running_loop)
    stopped: bool = False

    def stop(self) -> None:
        """From any thread. Cancelling the task closes the connection to the model at once."""
        self.stopped = True
        self.loop.call_soon_threadsafe(self.task.cancel)


_running: dict[UUID, Running] = {}
_streams: Counter[UUID] = Counter()
_poller: asyncio.Task[None] | None = None


def reserve(membership: Membership) -> None:
    """Count a stream of this user, or refuse it. Pair with `release`."""
    allowed = settings.QUOTA_STREAMS_PER_USER
    if allowed and _streams[membership.user_id] >= allowed:
        raise QuotaExceeded(
            _("You already have %(allowed)s answers running. Stop one, or wait for it.") % {"allowed": allowed},
            headers={"Retry-After": "5"},
        )
    _streams[membership.user_id] += 1


def release(user_id: UUID) -> None:
    _streams[user_id] -= 1
    if _streams[user_id] <= 0:
        del _streams[user_id]


def start(message_id: UUID) -> Running:
    """Register the current task as the one that streams this answer. Pair with `forget`."""
    task = asyncio.current_task()
    assert task is not None
    _running[message_id] = running = Running(task)
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
        for message_id in await in_thread(_requested, list(_running)):
            stop(message_id)


def _requested(message_ids: list[UUID]) -> list[UUID]:
    asked = Message.objects.filter(pk__in=message_ids).exclude(stop_requested_at=None)
    return list(asked.values_list("pk", flat=True))
