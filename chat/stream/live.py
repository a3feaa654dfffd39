"""The answers that this process writes: who reads them, and when they end before their end (API.md, "Chat").

An answer belongs to its conversation. `goes_on`: it is written to its end though its readers leave, as long as somebody
comes back in time; otherwise it stops with its last reader.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from uuid import UUID

from chat.stream.events import Numbered
from chat.stream.log import Cursor, EventLog
from config.concurrency.threads import in_thread
from config.metrics.answering import STREAMS

UNHEARD_SECONDS = 60.0  # how long an answer goes on while nobody listens
STALLED_SECONDS = 60.0  # how long a reader may take nothing
UNREAD_SECONDS = 30.0  # how long one may take to begin
SILENCE_SECONDS = 15.0  # after which a reader is told that the connection lives

Batch = list[Numbered]


class Reader:
    """Somebody who listens. `leave` as often as you like."""

    def __init__(self, live: "Live") -> None:
        self._live = live
        self._task: asyncio.Task[object] | None = None
        self._waiting: asyncio.Future[None] | None = None
        self._pulse: asyncio.TimerHandle | None = None
        self._is_sending = False
        self._batches = self._batches_before = 0
        self._still_since = live.loop.time()

    def leave(self) -> None:
        self._live.lose(self)

    async def batches(self, cursor: Cursor) -> AsyncGenerator[Batch, None]:
        """The answer's events until its end, all that are new at once; an empty batch after a silence.

        Each token passes here: no clock is read and no timer set for it.
        """
        log, seen = self._live.log, 0
        self._task = asyncio.current_task()
        self._beat_after()
        try:
            while not cursor.ended:
                if seen == log.changes:
                    self._waiting = log.news()
                    await self._waiting
                seen = log.changes
                batch = await in_thread(cursor.take, log) if cursor.has_much_to_render(log) else cursor.take(log)
                self._batches += 1
                self._is_sending = True
                yield batch
                self._is_sending = False
        finally:
            if self._pulse is not None:
                self._pulse.cancel()
            self.leave()

    def _beat_after(self, batches: int = -1) -> None:
        self._pulse = self._live.loop.call_later(SILENCE_SECONDS / 2, self._beat, batches)

    def _beat(self, batches: int) -> None:
        """A reader who was told nothing since the last beat is woken for an empty batch, so that its connection is
        not taken for dead."""
        if batches == self._batches and self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
        self._beat_after(self._batches)
        self.let_go_if_stalled(self._live.loop.time())  # also when the answer has ended: nobody looks after it then

    def has_moved(self, now: float) -> bool:
        """Whether it has taken something since it was asked last."""
        if self._batches == self._batches_before:
            return False
        self._batches_before, self._still_since = self._batches, now
        return True

    def let_go_if_stalled(self, now: float) -> None:
        """Somebody who reads no more, but does not hang up either, is nobody; nor is one who never began."""
        if self.has_moved(now):
            return
        still = now - self._still_since
        if self._task is None and still > UNREAD_SECONDS:
            self.leave()
        elif self._task is not None and self._is_sending and still > STALLED_SECONDS:
            self._task.cancel()


class Live:
    """One answer under way and who reads it: from before its question is admitted until its end is stored."""

    def __init__(self, message: UUID, *, goes_on: bool) -> None:
        self.message, self.goes_on = message, goes_on
        self.loop = asyncio.get_running_loop()
        self.log = EventLog()
        self.stopped = False
        self.readers: set[Reader] = set()
        self.unheard_since: float | None = self.loop.time()
        self._waiting: asyncio.Task[object] | None = None

    def listen(self) -> Reader:
        reader = Reader(self)
        self.readers.add(reader)
        self.unheard_since = None
        return reader

    def lose(self, reader: Reader) -> None:
        self.readers.discard(reader)
        if not self.readers and self.unheard_since is None:
            self.unheard_since = self.loop.time()
            if not self.goes_on:
                self.stop()

    def heard(self, seconds_ago: float) -> None:
        """Somebody listens in another process."""
        if self.unheard_since is not None:
            self.unheard_since = max(self.unheard_since, self.loop.time() - seconds_ago)

    def look_after(self) -> None:
        """Stop what nobody listens to any more, and let go of who reads no more."""
        now = self.loop.time()
        for reader in tuple(self.readers):
            reader.let_go_if_stalled(now)
        if self.unheard_since is not None and now - self.unheard_since > UNHEARD_SECONDS:
            self.stop()

    def stop(self) -> None:
        """In the answer's event loop, any number of times. Cuts the wait for a search or a model short, and nothing
        else: neither what is stored nor what is told."""
        self.stopped = True
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    @contextmanager
    def until_stopped(self) -> Iterator[None]:
        """The block ends, without an error, where it waits when the answer is stopped."""
        if self.stopped:
            raise RuntimeError("a stopped answer waits for nothing")
        task = asyncio.current_task()
        assert task is not None
        cancellations, self._waiting = task.cancelling(), task
        try:
            yield
        except asyncio.CancelledError:
            if not self.stopped or task.uncancel() > cancellations:  # somebody else has cancelled us too
                raise
        finally:
            self._waiting = None


_live: dict[UUID, Live] = {}


def register(live: Live) -> None:
    _live[live.message] = live
    STREAMS.inc()


def forget(live: Live) -> None:
    if _live.pop(live.message, None) is not None:
        STREAMS.dec()


def live_of(message_id: UUID) -> Live | None:
    """The answer, if it is this process that writes it."""
    return _live.get(message_id)


def live_here() -> list[Live]:
    """The answers of the running event loop."""
    loop = asyncio.get_running_loop()
    return [one for one in _live.values() if one.loop is loop]


def stop(message_id: UUID) -> None:
    """Stop an answer of this process, from any thread. Those of other processes see `stop_requested_at`."""
    if live := _live.get(message_id):
        live.loop.call_soon_threadsafe(live.stop)
