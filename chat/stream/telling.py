"""From an attempt to its events: its sources, then what the model says, piece by piece (API.md, "Chat")."""

import logging
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing

from agents.llm import client_for
from agents.llm.base import ModelError, ModelInterrupted, TextDelta, Usage
from chat.answering.attempts import Answer, Attempt
from chat.rendering.markdown import BlockRenderer
from chat.stream.events import Event, Html, Source, Sources, Status, Token
from chat.stream.running import Running
from chat.stream.thinking import ThinkFilter
from config.faults import described
from retrieval.context.snippets import snippet

logger = logging.getLogger(__name__)


async def told(
    answer: Answer, attempt: Attempt, me: Running, deadline: float, *, html: bool
) -> AsyncGenerator[Event, None]:
    """The attempt's events while its model speaks. `html`: also the finished blocks, rendered, for the pages.

    `deadline` in the event loop's time. How it ended is the attempt's: `is_whole`, `error`.
    """
    yield sources_of(answer, attempt, attempt.number)
    yield Status("generating", attempt.number)
    blocks = renderer(attempt) if html else None
    async with aclosing(heard(answer, attempt, me, deadline)) as pieces:
        async for piece in pieces:
            yield Token(piece, attempt.number)
            for block in blocks.feed(piece) if blocks else ():
                yield Html(*block)
    for block in blocks.finish() if blocks else ():
        yield Html(*block)


def told_again(answer: Answer, number: int, *, html: bool) -> Iterator[Event]:
    """The best attempt once more, as it was, under another number."""
    attempt = answer.best
    yield sources_of(answer, attempt, number)
    yield Token(attempt.text, number)
    if html:
        blocks = renderer(attempt)
        for block in (*blocks.feed(attempt.text), *blocks.finish()):
            yield Html(*block)


def renderer(attempt: Attempt) -> BlockRenderer:
    return BlockRenderer(range(1, len(attempt.retrieval.chunks) + 1))


async def heard(answer: Answer, attempt: Attempt, me: Running, deadline: float) -> AsyncGenerator[str, None]:
    """What the model says, until it ends, fails, takes too long, or its reader has it stopped."""
    try:
        async with (
            aclosing(spoken(attempt)) as said,
            aclosing(me.until_stopped(said, deadline)) as pieces,
        ):
            async for piece in pieces:
                attempt.parts.append(piece)
                yield piece
        attempt.is_whole = not me.stopped
    except ModelError as error:
        attempt.error = error
    except Exception as error:
        logger.error("the model client failed on message %s: %s", answer.message, described(error))
        attempt.error = ModelInterrupted()


async def spoken(attempt: Attempt) -> AsyncGenerator[str, None]:
    """What the model says, without its thoughts; or the refusal, which asks no model."""
    if attempt.refusal:
        yield attempt.refusal
        return
    thoughts = ThinkFilter()
    client = client_for(attempt.request.model)
    async with aclosing(client.stream(attempt.request)) as stream:
        async for event in stream:
            if isinstance(event, TextDelta):
                if text := thoughts.feed(event.text):
                    yield text
            elif isinstance(event, Usage):
                attempt.usage = event
    if text := thoughts.finish():
        yield text


def sources_of(answer: Answer, attempt: Attempt, number: int) -> Sources:
    retrieval = attempt.retrieval
    return Sources(
        conversation=answer.conversation,
        message=answer.message,
        attempt=number,
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
