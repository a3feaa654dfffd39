"""What this process writes is kept while it is written, for readers elsewhere and for the case that it dies.

One task looks after all answers of an event loop. Every half second one thread looks for stops and readers elsewhere,
and notes in one transaction what there is of a quarter of the answers, so of each every two seconds, which is also the
sign that their writer lives. All 500 at once held up what was told to everybody for as long as two tokens take.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from django.db import connection, transaction

from accounts.tenancy.scope import system_scope
from chat.models import AnswerTable, Citation, Message
from chat.rendering.citations import cited_numbers
from chat.stream.live import UNHEARD_SECONDS, Live, live_here
from config.concurrency.clock import DatabaseNow, present_in_sql, present_parameter
from config.concurrency.threads import in_thread
from config.faults import describe_error

logger = logging.getLogger(__name__)

TICK_SECONDS = 0.5
TICKS_TO_KEEP = 4
CLOSED_AT_ONCE = 500
_keepers: dict[asyncio.AbstractEventLoop, "asyncio.Task[None]"] = {}


class Wishes(NamedTuple):
    """Of people whom another process serves."""

    stops: list[UUID]
    heard: list[tuple[UUID, float]]  # seconds ago


def look_after_answers() -> None:
    """While the running event loop writes answers; called whenever one begins."""
    loop = asyncio.get_running_loop()
    if loop not in _keepers:
        _keepers[loop] = keeper = loop.create_task(_keep())
        keeper.add_done_callback(lambda _: _keepers.pop(loop, None))


async def _keep() -> None:
    with system_scope():
        await _keep_all()


async def _keep_all() -> None:
    tick, kept = 0, [dict[UUID, int]() for _ in range(TICKS_TO_KEEP)]
    while answers := live_here():
        await asyncio.sleep(TICK_SECONDS)
        tick = (tick + 1) % TICKS_TO_KEEP
        for live in answers:
            live.look_after()
        try:
            heed(await in_thread(wishes), live_here())
            if quarter := [live for live in live_here() if live.message.int % TICKS_TO_KEEP == tick]:
                begun = [live for live in quarter if live.log.part is not None]
                kept[tick] = await in_thread(keep, quarter, kept[tick])
                gone = await in_thread(deleted_among, [live.message for live in begun])
                heed(Wishes(gone, []), begun)
        except Exception as error:  # also one that nobody expected: without their keeper all answers seem broken off
            logger.warning("running answers cannot be kept at the moment: %s", describe_error(error))


def heed(said: Wishes, answers: Sequence[Live]) -> None:
    by_message = {live.message: live for live in answers}
    for message in said.stops:
        if live := by_message.get(message):
            live.stop()
    for message, seconds_ago in said.heard:
        if live := by_message.get(message):
            live.heard(seconds_ago)


def wishes() -> Wishes:
    """Of all answers that anybody writes: there are few, and fewer that anybody wishes something of."""
    stops, heard = [], []
    running = Message.objects.streaming()
    wished = running.exclude(stop_requested_at=None) | running.exclude(reader_seen_at=None)
    for message, stop, seen, now in wished.values_list("pk", "stop_requested_at", "reader_seen_at", DatabaseNow()):
        if stop:
            stops.append(message)
        elif seen and (seconds_ago := (now - seen).total_seconds()) < UNHEARD_SECONDS:
            heard.append((message, seconds_ago))
    return Wishes(stops, heard)


def keep(answers: Sequence[Live], kept: dict[UUID, int]) -> dict[UUID, int]:
    """Note what there is of each answer; returns how many characters that were, so that only what grows is written.

    Of the first attempt alone, and all of it: while a further one is written, the whole one before it is worth more.
    """
    grown, same, lengths = [], [], dict[UUID, int]()
    for live in answers:
        text = "".join(live.log.first)
        lengths[live.message] = len(text)
        if len(text) > kept.get(live.message, 0):
            grown.append((live.message, text))
        else:
            same.append(live.message)
    with transaction.atomic():
        write_down(grown)
        Message.objects.filter(pk__in=same, status=Message.Status.STREAMING).update(writer_seen_at=DatabaseNow())
    return lengths


def deleted_among(messages: Sequence[UUID]) -> list[UUID]:
    """Of answers that have begun, those that their reader has deleted since: nobody can read or stop them any more, and
    no limit counts them."""
    there = set(Message.objects.filter(pk__in=messages).values_list("pk", flat=True))
    return [message for message in messages if message not in there]


def write_down(texts: Sequence[tuple[UUID, str]]) -> None:
    """Many at once, without a query set for each: of 2,000 answers that would be a fifth of a core."""
    if not texts:
        return
    name = connection.ops.quote_name
    pk = Message._meta.pk
    statement = (
        f"UPDATE {name(Message._meta.db_table)} SET content = %s, "  # noqa: S608 - our own names
        f"writer_seen_at = {present_in_sql(connection.vendor)} "
        "WHERE id = %s AND status = 'streaming'"
    )
    moment = present_parameter(connection)
    with connection.cursor() as cursor:
        cursor.executemany(
            statement, [(text, moment, pk.get_db_prep_value(message, connection)) for message, text in texts]
        )


def close_interrupted() -> int:
    """Close the answers whose writer died, with what had arrived and the sources that it cites. For the workers'
    upkeep, at most CLOSED_AT_ONCE; returns how many."""
    texts = dict(Message.objects.broken_off().values_list("pk", "content")[:CLOSED_AT_ONCE])
    sources = Citation.objects.filter(message_id__in=texts).values_list("message_id", "n", "pk")
    by_message = defaultdict[UUID, dict[int, UUID]](dict)
    for message, n, source in sources:
        by_message[message][n] = source
    said = [found[n] for message, found in by_message.items() for n in cited_numbers(texts[message], found)]
    with transaction.atomic():
        Citation.objects.filter(pk__in=said).update(cited=True)
        for table in AnswerTable.objects.filter(message_id__in=texts):
            table.cited = table.n in cited_numbers(texts[table.message_id], {table.n})
            table.save(update_fields=["cited"])
        broken_off = Message.objects.broken_off().filter(pk__in=texts)
        return broken_off.update(status=Message.Status.FAILED, error_code=Message.INTERRUPTED)
