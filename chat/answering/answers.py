"""A question's way to its answer: scope → retrieval → prompt → model → events (DESIGN.md, "The way of a question").

`begin` does everything that needs the database, in one go on one thread. `events` then speaks with the model and
holds neither a thread nor a connection. `keep` stores how it ended, whatever ended it.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing

from django.db import DatabaseError

from accounts.models import Membership
from agents.llm import EXTRACTIVE, resolve
from agents.models import Agent
from chat.answering import adaptive, records
from chat.answering.attempts import Answer, best_of
from chat.answering.inquiry import PLAIN, Inquiry, prepare
from chat.answering.questions import Question
from chat.answering.routing import Strategy
from chat.models import Message
from chat.stream import running
from chat.stream.events import Done, Error, Event
from chat.stream.running import Running
from chat.stream.telling import told
from config.threads import in_thread

logger = logging.getLogger(__name__)

DEADLINE_SECONDS = 600.0
SAVE_ATTEMPTS = 5
_saving: set[asyncio.Task[None]] = set()


def begin(membership: Membership, reference: str, question: Question) -> Answer:
    """Resolve, retrieve, store and prompt; the question is searched for as it was asked. Raises Problems."""
    return begun(prepare(membership, reference, question))


def begun(inquiry: Inquiry) -> Answer:
    """The same for a question that was prepared before, and perhaps rewritten since."""
    agent = inquiry.agent
    first = inquiry.attempt(1, Strategy() if agent.adaptive else PLAIN)
    message = records.open_answer(agent, inquiry.conversation, inquiry.question, first)
    return Answer(
        message=message.pk,
        conversation=inquiry.conversation.pk,
        attempts=[first],
        again=inquiry.attempt if agent.adaptive else None,
        evaluator=evaluator_of(agent),
        condensed=inquiry.rewriting.question,
        rewriting=inquiry.rewriting.usage,
    )


def evaluator_of(agent: Agent) -> str:
    """The model that judges the agent's answers; "" where there is none that could."""
    model = agent.evaluator_model or agent.model
    return "" if resolve(model)[0] == EXTRACTIVE else model or "default"


async def events(answer: Answer, *, html: bool = False) -> AsyncGenerator[Event, None]:
    """The answer's events in the order of API.md. `html`: also the finished blocks, rendered, for the pages.

    Closing the generator closes the connection to the model; what was said is kept either way.
    """
    answer.started = True
    me = running.start(answer.message)
    try:
        async with aclosing(attempted(answer, me, html=html)) as attempts:
            async for event in attempts:
                yield event
        answer.status = Message.Status.STOPPED if me.stopped else Message.Status.COMPLETE
        await keep(answer)
        yield ending(answer)
    finally:
        running.forget(answer.message)
        if not answer.kept:
            keep_in_background(answer)


async def attempted(answer: Answer, me: Running, *, html: bool) -> AsyncGenerator[Event, None]:
    """The events of the first attempt, and of those that adaptive retrieval adds."""
    deadline = asyncio.get_running_loop().time() + DEADLINE_SECONDS
    async with aclosing(told(answer, answer.attempts[0], me, deadline, html=html)) as first:
        async for event in first:
            yield event
    if answer.again is not None:
        async with aclosing(adaptive.improved(answer, answer.again, me, html=html)) as rest:
            async for event in rest:
                yield event


def ending(answer: Answer) -> Done | Error:
    if answer.error is not None:
        return Error(answer.error.code, answer.error.detail, answer.message)
    stopped = answer.status == Message.Status.STOPPED
    status, best = "stopped" if stopped else "complete", answer.best
    return Done(status, answer.message, answer.usage, best.cited, answer.evaluation)  # type: ignore[arg-type]  # one of two


async def keep(answer: Answer) -> None:
    """Store how the answer ended. A database that restarts meanwhile is waited for."""
    answer.best = best_of(answer.attempts)
    for attempt in range(SAVE_ATTEMPTS):
        try:
            await in_thread(records.close_answer, answer)
            answer.kept = True
            return
        except DatabaseError:
            logger.warning("message %s could not be stored yet", answer.message)
            await asyncio.sleep(0.5 * 2**attempt)
    logger.error("message %s could not be stored", answer.message)


def keep_in_background(answer: Answer) -> None:
    """Store an answer whose generator is being closed, in a task that outlives it. Storing twice does nothing."""
    task = asyncio.get_running_loop().create_task(keep(answer))
    _saving.add(task)
    task.add_done_callback(_saving.discard)
