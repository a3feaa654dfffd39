"""An answer as the database knows it, told as events: one that has ended, or one that another process writes."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import NamedTuple
from uuid import UUID

from django.db import Error as DatabaseFault
from django.utils.translation import gettext as _

from accounts.problems import DatabaseFull, DatabaseUnavailable, InternalError, Problem
from agents.llm.base import ModelError
from chat.answering.sources import citations_of, source_of
from chat.answering.state import state_kept
from chat.models import AnswerTable, Citation, Message, Trace
from chat.stream.events import Done, Error, Sources, Status
from chat.stream.live import Batch, Live
from chat.stream.log import Cursor
from config.concurrency.clock import DatabaseNow
from config.concurrency.threads import in_thread
from config.faults import describe_error
from retrieval.confidence.gate import Confidence

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.25
SAY_SO = 10.0  # seconds; how often its writer is told that somebody listens here
PROBLEMS: tuple[type[Problem], ...] = (DatabaseUnavailable, DatabaseFull, InternalError)


class Glance(NamedTuple):
    """What a row says of its answer at one moment. `sources`: of an attempt that is new to who looks."""

    content: str = ""
    sources: Sources | None = None
    ending: Done | Error | None = None


class Mirror(Live):
    """An answer that this process does not write, and its readers here: one look at its row serves them all."""

    def __init__(self, message: UUID) -> None:
        super().__init__(message, goes_on=True)
        self._heard_at = time.monotonic() - SAY_SO
        self._pieces: list[str] = []
        self._characters = 0
        self._following = self.loop.create_task(self._follow())

    async def _follow(self) -> None:
        """Until the answer ends, or nobody reads it any more."""
        try:
            while self.readers and self.log.ending is None:
                await self._look_again()
                self.look_after()
                await asyncio.sleep(POLL_SECONDS)
        except Exception as error:
            logger.error("a running answer cannot be followed: %s", describe_error(error))
            problem = InternalError()
            self.log.end(Error(problem.code, str(problem.detail), self.message))
        finally:
            _mirrors.pop((self.loop, self.message), None)

    async def _look_again(self) -> None:
        try:
            seen = await in_thread(self._look)
        except DatabaseFault as error:
            logger.warning("a running answer cannot be read at the moment: %s", describe_error(error))
        else:
            self._take_in(seen)

    def _look(self) -> Glance:
        """In a thread. An answer that is gone has ended."""
        row = Message.objects.filter(pk=self.message).dated().first()
        if row is None:
            return Glance(ending=Error("not_found", _("There is nothing here that you can see."), self.message))
        is_running = row.present_status == Message.Status.STREAMING
        if is_running:
            self._say_that_somebody_listens()
        has_sources = row.attempt > 0 or not is_running
        is_new = self.log.part is None or self.log.part.number != max(1, row.attempt)
        return Glance(
            row.content,
            sources_of(row) if has_sources and is_new else None,
            None if is_running else ending_of(row),
        )

    def _take_in(self, seen: Glance) -> None:
        if seen.sources is not None:
            self._pieces, self._characters = [], 0
            self.log.begin(seen.sources, self._pieces)
            self.log.add(Status("generating", seen.sources.attempt))
        if len(seen.content) > self._characters:
            self._pieces.append(seen.content[self._characters :])
            self._characters = len(seen.content)
            self.log.wake()
        if seen.ending is not None:
            self.log.end(seen.ending)

    def _say_that_somebody_listens(self) -> None:
        now = time.monotonic()
        if now - self._heard_at >= SAY_SO:
            self._heard_at = now
            running = Message.objects.filter(pk=self.message, status=Message.Status.STREAMING)
            running.update(reader_seen_at=DatabaseNow())


_mirrors: dict[tuple[asyncio.AbstractEventLoop, UUID], Mirror] = {}


async def batches(message: UUID, cursor: Cursor) -> AsyncGenerator[Batch, None]:
    """The events of an answer, from the cursor on, as `Reader.batches` tells those of this process."""
    key = asyncio.get_running_loop(), message
    if key not in _mirrors:
        _mirrors[key] = Mirror(message)
    async with aclosing(_mirrors[key].listen().batches(cursor)) as told:
        async for batch in told:
            yield batch


def sources_of(row: Message) -> Sources:
    degraded = Trace.objects.filter(message=row).values_list("degraded", flat=True).first()
    return Sources(
        conversation=row.conversation_id,
        message=row.pk,
        attempt=max(1, row.attempt),
        confidence=row.confidence or Confidence.NONE.value,
        sufficient=bool(row.sufficient),
        state=state_kept(row),
        degraded=degraded or None,
        sources=tuple(source_of(one) for one in sources_kept(row)),
    )


def sources_kept(row: Message) -> list[Citation | AnswerTable]:
    """As they may be shown now: what was deleted since has no text any more."""
    return [*(one.veil() for one in row.citations.select_related("document__corpus")), *row.tables.all()]


def ending_of(row: Message) -> Done | Error:
    status, code = row.present_status, row.present_error_code
    if status == Message.Status.FAILED:
        return Error(code, advice_for(code), row.pk)
    sources = sources_kept(row)
    return Done(
        "stopped" if status == Message.Status.STOPPED else "complete",
        state_kept(row),
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
