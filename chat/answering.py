"""A question's way to its answer: scope → retrieval → prompt → model → events (DESIGN.md, "The way of a question").

`begin` does everything that needs the database, in one go on one thread. `events` then speaks with the model and
holds neither a thread nor a connection. `keep` stores how it ended, whatever ended it.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from django.db import DatabaseError

from accounts.models import Membership
from agents.api import agent_for
from agents.llm import client_for
from agents.llm.base import ModelError, ModelInterrupted, ModelRequest, ModelTimeout, TextDelta, Usage
from agents.models import Agent
from agents.policy import Conditions, policy_of, searches
from chat import prompts, records, running
from chat.events import Done, Error, Event, Html, Source, Sources, Status, Token
from chat.markdown import BlockRenderer
from chat.models import Message
from chat.prompting import cited
from chat.questions import Question
from chat.thinking import ThinkFilter
from config.faults import described
from config.threads import in_thread
from corpora.scope import Scope
from retrieval.confidence import Gate
from retrieval.flags import effective_flags
from retrieval.results import Retrieval
from retrieval.search import retrieve
from retrieval.snippets import snippet

logger = logging.getLogger(__name__)

DEADLINE_SECONDS = 600.0
SAVE_ATTEMPTS = 5
_saving: set[asyncio.Task[None]] = set()


@dataclass(slots=True)
class Answer:
    """An answer under way: what was prepared, and what the model has said so far."""

    message: UUID
    conversation: UUID
    retrieval: Retrieval
    request: ModelRequest
    refusal: str = ""
    parts: list[str] = field(default_factory=list)
    usage: dict[str, int] = field(default_factory=dict)
    error: ModelError | None = None
    status: str = Message.Status.STOPPED  # until something better happened
    started: bool = False
    kept: bool = False

    @property
    def text(self) -> str:
        return "".join(self.parts)

    @property
    def cited(self) -> tuple[int, ...]:
        return cited(self.text, range(1, len(self.retrieval.chunks) + 1))


def begin(membership: Membership, reference: str, question: Question) -> Answer:
    """Resolve, retrieve, store and prompt. Raises Problems; a retrieval that fails only degrades the answer."""
    agent = agent_for(membership, reference)
    conversation = records.conversation_for(membership, agent, question)
    history = records.history_of(conversation, question)
    scope = records.narrowed(agent.scope_for(membership), conversation)
    retrieval = retrieved(agent, scope, question, conversation.context)
    message = records.open_answer(agent, conversation, question, scope, retrieval)
    request = prompts.request_for(agent, history, question, retrieval)
    return Answer(
        message=message.pk,
        conversation=conversation.pk,
        retrieval=retrieval,
        request=request,
        refusal=prompts.refusal_for(agent, retrieval, request.language),
    )


def retrieved(agent: Agent, scope: Scope, question: Question, context: Mapping[str, Conditions]) -> Retrieval:
    flags = effective_flags()
    policy = policy_of(agent, flags, filters=question.filters, preferences=question.preferences, context=context)
    if not searches(agent, flags):
        return Retrieval(question.text, policy.granularity, gate=Gate.DISABLED)
    return retrieve(question.text, scope, policy)


async def events(answer: Answer, *, html: bool = False) -> AsyncGenerator[Event, None]:
    """The answer's events in the order of API.md. `html`: also the finished blocks, rendered, for the pages.

    Closing the generator closes the connection to the model; what was said is kept either way.
    """
    answer.started = True
    me = running.start(answer.message)
    blocks = BlockRenderer(range(1, len(answer.retrieval.chunks) + 1)) if html else None
    try:
        yield sources_of(answer)
        yield Status("generating", 1)
        async with contextlib.aclosing(told(answer, me)) as pieces:
            async for piece in pieces:
                yield Token(piece, 1)
                for block in blocks.feed(piece) if blocks else ():
                    yield Html(*block)
        for block in blocks.finish() if blocks else ():
            yield Html(*block)
        await keep(answer)
        yield ending(answer)
    finally:
        running.forget(answer.message)
        if not answer.kept:
            keep_in_background(answer)


async def told(answer: Answer, me: running.Running) -> AsyncGenerator[str, None]:
    """What the model says, until it ends, fails, takes too long, or its reader has it stopped."""
    try:
        async with (
            asyncio.timeout(DEADLINE_SECONDS),
            contextlib.aclosing(spoken(answer)) as said,
            contextlib.aclosing(me.until_stopped(said)) as pieces,
        ):
            async for piece in pieces:
                answer.parts.append(piece)
                yield piece
        answer.status = Message.Status.STOPPED if me.stopped else Message.Status.COMPLETE
    except TimeoutError:
        answer.error = ModelTimeout()
    except ModelError as error:
        answer.error = error
    except Exception as error:
        logger.error("the model client failed on message %s: %s", answer.message, described(error))
        answer.error = ModelInterrupted()


async def spoken(answer: Answer) -> AsyncGenerator[str, None]:
    """What the model says, without its thoughts; or the refusal, which asks no model."""
    if answer.refusal:
        yield answer.refusal
        return
    thoughts = ThinkFilter()
    client = client_for(answer.request.model)
    async with contextlib.aclosing(client.stream(answer.request)) as stream:
        async for event in stream:
            if isinstance(event, TextDelta):
                if text := thoughts.feed(event.text):
                    yield text
            elif isinstance(event, Usage):
                answer.usage = {
                    "prompt_tokens": event.prompt_tokens,
                    "completion_tokens": event.completion_tokens,
                    "total_tokens": event.prompt_tokens + event.completion_tokens,
                }
    if text := thoughts.finish():
        yield text


def sources_of(answer: Answer) -> Sources:
    retrieval = answer.retrieval
    return Sources(
        conversation=answer.conversation,
        message=answer.message,
        attempt=1,
        confidence=retrieval.confidence.value,
        sufficient=retrieval.sufficient,
        degraded=retrieval.degraded,
        sources=tuple(
            Source(
                n=n,
                chunk=one.chunk,
                document=one.document,
                title=one.title,
                corpus=one.corpus,
                corpus_type=one.corpus_type,
                page=one.page,
                heading_path=one.heading_path,
                snippet=snippet(retrieval.query, one.text),
                relevance=round(one.relevance, 4),
            )
            for n, one in enumerate(retrieval.chunks, 1)
        ),
    )


def ending(answer: Answer) -> Done | Error:
    if answer.error is not None:
        return Error(answer.error.code, answer.error.detail, answer.message)
    stopped = answer.status == Message.Status.STOPPED
    return Done("stopped" if stopped else "complete", answer.message, answer.usage, answer.cited)


async def keep(answer: Answer) -> None:
    """Store how the answer ended. A database that restarts meanwhile is waited for."""
    status = Message.Status.FAILED if answer.error else answer.status
    code = answer.error.code if answer.error else ""
    for attempt in range(SAVE_ATTEMPTS):
        try:
            await in_thread(records.close_answer, answer.message, status, answer.text, answer.usage, answer.cited, code)
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
