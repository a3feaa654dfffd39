"""An answer as the database knows it, told as events: one that has ended, or one that another process writes."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from datetime import timedelta
from uuid import UUID

from django.db import Error as DatabaseFault
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.problems import DatabaseUnavailable, InternalError, Problem
from agents.llm.base import ModelError
from chat.answering.sources import citations_of, source_of
from chat.answering.state import State
from chat.models import Citation, Message, Trace
from chat.stream.events import Done, Error, Numbered, Sources, Status
from chat.stream.live import SILENCE_SECONDS
from chat.stream.log import Cursor, EventLog
from config.concurrency.threads import in_thread
from config.faults import described
from retrieval.confidence.gate import Confidence

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.25
SAY_SO = timedelta(seconds=10)  # how often its writer is told that somebody listens here
PROBLEMS: tuple[type[Problem], ...] = (DatabaseUnavailable, InternalError)


class Mirror:
    """A log that follows the row."""

    def __init__(self, message: UUID) -> None:
        self.message = message
        self.log = EventLog()
        self._heard_at = timezone.now() - SAY_SO
        self._pieces: list[str] = []
        self._characters = 0

    def look(self) -> None:
        """Take in what the row has to say now; an answer that is gone has ended."""
        row = Message.objects.filter(pk=self.message).first()
        if row is None:
            self.log.end(Error("not_found", _("There is nothing here that you can see."), self.message))
            return
        is_running = row.present_status == Message.Status.STREAMING
        if row.attempt or not is_running:
            self._take_in(row)
        if is_running:
            self._say_that_somebody_listens()
        else:
            self.log.end(ending_of(row))

    def _take_in(self, row: Message) -> None:
        part = self.log.part
        if part is None or part.number != max(1, row.attempt):
            self._pieces, self._characters = [], 0
            self.log.begin(sources_of(row), self._pieces)
            self.log.add(Status("generating", max(1, row.attempt)))
        if len(row.content) > self._characters:
            self._pieces.append(row.content[self._characters :])
            self._characters = len(row.content)

    def _say_that_somebody_listens(self) -> None:
        now = timezone.now()
        if now - self._heard_at >= SAY_SO:
            self._heard_at = now
            Message.objects.filter(pk=self.message, status=Message.Status.STREAMING).update(reader_seen_at=now)


async def batches(message: UUID, cursor: Cursor) -> AsyncGenerator[list[Numbered], None]:
    """The events of an answer, from the cursor on, as `Reader.batches` tells those of this process."""
    mirror, loop = Mirror(message), asyncio.get_running_loop()
    told_at = loop.time()
    while not cursor.ended:
        try:
            await in_thread(mirror.look)
        except DatabaseFault as error:
            logger.warning("a running answer cannot be read at the moment: %s", described(error))
        batch = cursor.take(mirror.log)
        if batch or loop.time() - told_at >= SILENCE_SECONDS:
            told_at = loop.time()
            yield batch
        if not cursor.ended:
            await asyncio.sleep(POLL_SECONDS)


def sources_of(row: Message) -> Sources:
    degraded = Trace.objects.filter(message=row).values_list("degraded", flat=True).first()
    return Sources(
        conversation=row.conversation_id,
        message=row.pk,
        attempt=max(1, row.attempt),
        confidence=row.confidence or Confidence.NONE.value,
        sufficient=bool(row.sufficient),
        state=row.state or State.COULD_NOT_SEARCH,
        degraded=degraded or None,
        sources=tuple(source_of(one) for one in row.citations.all()),
    )


def ending_of(row: Message) -> Done | Error:
    status, code = row.present_status, row.present_error_code
    if status == Message.Status.FAILED:
        return Error(code, advice_for(code), row.pk)
    sources: list[Citation] = list(row.citations.all())
    return Done(
        "stopped" if status == Message.Status.STOPPED else "complete",
        row.state or State.COULD_NOT_SEARCH,
        row.pk,
        row.usage,
        tuple(one.n for one in sources if one.cited),
        citations_of(row.content, sources),
    )


def advice_for(code: str) -> str:
    """The sentence of a failed answer, in the language of its reader."""
    if code == Message.INTERRUPTED:
        return _("The answer broke off. What had arrived is kept.")
    model = next((one.advice for one in ModelError.__subclasses__() if one.code == code), None)
    other = next((one.default_detail for one in PROBLEMS if one.code == code), ModelError.advice)
    return str(model or other)
