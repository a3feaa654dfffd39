"""The two steps of an attempt: what was found becomes a prompt, and the model's words become the answer's text."""

import asyncio
import logging
from collections.abc import Callable
from functools import partial

from django.db import Error as DatabaseFault

from accounts.problems import Problem
from agents.llm.base import ModelError, ModelInterrupted, ModelTimeout
from chat.answering import records
from chat.answering.attempts import Answer, Attempt
from chat.answering.calling.hearing import hear
from chat.answering.calling.telling import sources_event, tell_sources
from chat.answering.inquiry import Inquiry, Plan
from chat.answering.storing import store_patiently
from chat.prompting import requests
from chat.prompting.refusals import refusal_for
from chat.stream.live import Live
from config.concurrency.threads import to_its_end
from config.faults import describe_error
from corpora.scope import is_personal
from retrieval.results import Retrieval

logger = logging.getLogger(__name__)


async def stream_first_attempt(
    answer: Answer, attempt: Attempt, keep: Callable[[], None], live: Live, deadline: float
) -> None:
    """`stream_attempt`, while `keep` stores its sources: the model is not kept waiting for the database. An attempt
    whose sources cannot be stored is cut short and is none; raises what the database raises."""
    answer.attempts.append(attempt)
    try:
        async with asyncio.TaskGroup() as group:
            stored = group.create_task(to_its_end(store_patiently(f"the sources of message {attempt.message}", keep)))
            attempt.kept = stored
            await stream_attempt(answer, attempt, live, deadline)
        stored.result()
    except ExceptionGroup as failed:
        if stored.cancelled() or stored.exception():
            answer.attempts.remove(attempt)
        raise failed.exceptions[0] from None


def attempt_from(answer: Answer, inquiry: Inquiry, plan: Plan, retrieval: Retrieval, number: int) -> Attempt:
    offers = plan.kit.offers if plan.kit else ()
    request = requests.chat_request_for(plan.agent, inquiry.history, inquiry.question, retrieval, offers)
    refusal = refusal_for(
        plan.agent,
        retrieval,
        request.language,
        has_documents=not plan.scope.is_empty,
        is_narrowed=bool(plan.policy.requirements),
        sentences=partial(records.quotes_behind, answer.message, retrieval, plan.scope),
    )
    said, fallback = ("", refusal) if plan.kit else (refusal, "")
    personal = is_personal(plan.scope, history=inquiry.conversation.is_personal)
    found = answer.message, number, plan.strategy, plan.scope, retrieval, request
    return Attempt(*found, said, fallback, plan.kit, personal)


async def stream_attempt(answer: Answer, attempt: Attempt, live: Live, deadline: float) -> None:
    """Tell its sources and what the model says, until it ends, fails, takes too long, or is stopped.

    `deadline` in the event loop's time. How it ended is the attempt's: `is_whole`, `error`. Raises what storing raises.
    """
    answer.told += 1
    tell_sources(answer, attempt, live)
    if live.stopped:
        return
    try:
        with live.until_stopped():
            async with asyncio.timeout_at(deadline):
                await hear(answer, attempt, live)
            attempt.is_whole = True
    except TimeoutError:
        attempt.error = ModelTimeout()
    except ModelError as error:
        attempt.error = error
    except (Problem, DatabaseFault):
        raise  # what was fetched cannot be stored: no fault of the model's
    except Exception as error:
        logger.error("the model client failed on message %s: %s", answer.message, describe_error(error))
        attempt.error = ModelInterrupted()


def tell_again(answer: Answer, live: Live) -> None:
    """The best attempt once more, as it was, under a number of its own: a new attempt replaces the one before it."""
    best = answer.best
    assert best is not None
    answer.told += 1
    live.log.begin(sources_event(answer, best, answer.told), best.parts)
