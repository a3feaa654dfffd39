"""The two steps of an attempt: what was found becomes a prompt, and the model's words become the answer's text."""

import asyncio
import logging
import time
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from functools import partial

from agents.llm import client_for
from agents.llm.base import DOUBTFUL, Finished, ModelError, ModelInterrupted, ModelTimeout, TextDelta, Usage
from agents.llm.metering import model_label, note_call
from agents.llm.spans import model_span, note_usage
from chat.answering import records
from chat.answering.attempts import Answer, Attempt
from chat.answering.inquiry import Inquiry, Plan
from chat.answering.sources import source_of
from chat.answering.state import state_found
from chat.answering.storing import store_patiently
from chat.prompting import requests
from chat.prompting.refusals import refusal_for
from chat.stream.events import Sources, Status
from chat.stream.live import Live
from chat.stream.log import EventLog
from chat.stream.thinking import ThinkFilter
from config.concurrency.threads import to_its_end
from config.faults import describe_error
from config.metrics.answering import FIRST_TOKEN, MODEL_FIRST_TOKEN
from corpora.scope import is_personal
from retrieval.results import Retrieval

logger = logging.getLogger(__name__)


async def stream_first_attempt(answer: Answer, inquiry: Inquiry, attempt: Attempt, live: Live, deadline: float) -> None:
    """`stream_attempt`, while its sources are stored: the model is not kept waiting for the database. An attempt whose
    sources cannot be stored is cut short and is none; raises what the database raises."""
    answer.attempts.append(attempt)
    question = inquiry.question.text
    try:
        async with asyncio.TaskGroup() as group:
            keep = partial(records.keep_sources, inquiry.agent, question, attempt)
            stored = group.create_task(to_its_end(store_patiently(f"the sources of message {attempt.message}", keep)))
            await stream_attempt(answer, attempt, live, deadline)
        stored.result()
    except ExceptionGroup as failed:
        if stored.cancelled() or stored.exception():
            answer.attempts.remove(attempt)
        raise failed.exceptions[0] from None


def attempt_from(answer: Answer, inquiry: Inquiry, plan: Plan, retrieval: Retrieval, number: int) -> Attempt:
    request = requests.chat_request_for(plan.agent, inquiry.history, inquiry.question, retrieval)
    refusal = refusal_for(
        plan.agent,
        retrieval,
        request.language,
        has_documents=not plan.scope.is_empty,
        is_narrowed=bool(plan.policy.requirements),
        sentences=partial(records.quotes_behind, answer.message, retrieval, plan.scope),
    )
    personal = is_personal(plan.scope, history=inquiry.conversation.is_personal)
    return Attempt(answer.message, number, plan.strategy, plan.scope, retrieval, request, refusal, personal)


async def stream_attempt(answer: Answer, attempt: Attempt, live: Live, deadline: float) -> None:
    """Tell its sources and what the model says, until it ends, fails, takes too long, or is stopped.

    `deadline` in the event loop's time. How it ended is the attempt's: `is_whole`, `error`.
    """
    live.log.begin(sources_event(answer, attempt, attempt.number), attempt.parts)
    live.log.add(Status("generating", attempt.number))
    answer.told = attempt.number
    if live.stopped:
        return
    try:
        with live.until_stopped():
            async with asyncio.timeout_at(deadline):
                await _hear(attempt, live.log, answer.began)
            attempt.is_whole = True
    except TimeoutError:
        attempt.error = ModelTimeout()
    except ModelError as error:
        attempt.error = error
    except Exception as error:
        logger.error("the model client failed on message %s: %s", answer.message, describe_error(error))
        attempt.error = ModelInterrupted()


def tell_again(answer: Answer, live: Live) -> None:
    """The best attempt once more, as it was, under a number of its own: a new attempt replaces the one before it."""
    best = answer.best
    assert best is not None
    answer.told = len(answer.attempts) + 1
    live.log.begin(sources_event(answer, best, answer.told), best.parts)


@contextmanager
def _billing(attempt: Attempt) -> Iterator[None]:
    """Counts what the model cost, also when it was stopped; one that refuses, or says nothing, does not bill."""
    is_billed = True
    try:
        yield
    except ModelError:
        is_billed = bool(attempt.parts)
        raise
    finally:
        if is_billed:
            note_call(attempt.request, attempt.usage, attempt.text)


async def _hear(attempt: Attempt, log: EventLog, began: float) -> None:
    """What the model says, without its thoughts; or the refusal, which asks no model."""
    if attempt.refusal:
        attempt.parts.append(attempt.refusal)
        log.wake()
        return
    thoughts, asked = ThinkFilter(), time.perf_counter()
    with _billing(attempt), model_span(attempt.request.model) as here:
        async with aclosing(client_for(attempt.request.model).stream(attempt.request)) as stream:
            async for event in stream:
                if isinstance(event, TextDelta):
                    if text := thoughts.feed(event.text):
                        if not attempt.parts:
                            _note_first_word(attempt, began, asked)
                        attempt.parts.append(text)
                        log.wake()
                elif isinstance(event, Usage):
                    attempt.usage = event
                    note_usage(here, event)
                elif isinstance(event, Finished):
                    attempt.is_doubtful = event.reason == DOUBTFUL
    if text := thoughts.finish():
        attempt.parts.append(text)
        log.wake()


def _note_first_word(attempt: Attempt, began: float, asked: float) -> None:
    """What a model thinks before is waited for, too."""
    now = time.perf_counter()
    MODEL_FIRST_TOKEN.labels(model_label(attempt.request.model)).observe(now - asked)
    if attempt.number == 1:
        FIRST_TOKEN.observe(now - began)


def sources_event(answer: Answer, attempt: Attempt, number: int) -> Sources:
    retrieval = attempt.retrieval
    return Sources(
        conversation=answer.conversation,
        message=answer.message,
        attempt=number,
        confidence=retrieval.confidence.value,
        sufficient=retrieval.sufficient,
        state=state_found(retrieval, has_documents=not attempt.scope.is_empty),
        degraded=retrieval.degraded,
        sources=tuple(source_of(one) for one in attempt.sources),
    )
