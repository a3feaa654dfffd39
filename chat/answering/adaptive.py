"""Adaptive retrieval: judge the answer, search again where it was not good enough, keep the best (SPEC §4).

    attempt ──▶ judged ──▶ routed ──▶ accepted
       ▲                     │
       └── another size ◀────┘          at most three attempts, within DEADLINE_SECONDS

Source: adaptive-retrieval.es.md. The first attempt streams like any answer. Whatever fails after it, the judge, a
search, the model or the clock, leaves the best attempt so far standing.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing

from django.db import DatabaseError

from accounts.problems import Problem
from agents.llm.base import ModelError, Usage
from agents.llm.structured import AnswerInvalid
from chat.answering import evaluator
from chat.answering.attempts import Answer, Attempt, Search, best_of
from chat.answering.routing import Decision, Metrics, Strategy, route
from chat.stream.events import Event, Sources, Status
from chat.stream.running import Running
from chat.stream.telling import told, told_again
from config.faults import described
from config.threads import in_thread

logger = logging.getLogger(__name__)

DEADLINE_SECONDS = 120.0  # from the end of the first attempt


async def improved(answer: Answer, search: Search, me: Running, *, html: bool) -> AsyncGenerator[Event, None]:
    """The events that follow the first attempt. Afterwards `answer.best` is what was shown last.

    Where an earlier attempt turns out to be the best, it is told once more, under a number of its own: a new attempt
    replaces the one before it.
    """
    deadline = asyncio.get_running_loop().time() + DEADLINE_SECONDS
    while (attempt := answer.attempts[-1]) and can_be_judged(answer, attempt, me):
        yield Status("evaluating", attempt.number)
        attempt.decision = await judged(answer, attempt, me, deadline)
        strategy = attempt.decision.strategy if attempt.decision else None
        if strategy is None or me.stopped:
            break
        yield Status("retrying", attempt.number + 1, strategy.granularity)
        following = await searched(search, attempt, strategy)
        if following is None:
            break
        answer.attempts.append(following)
        async with aclosing(told(answer, following, me, deadline, html=html)) as events:
            async for event in events:
                yield event
    answer.best = best_of(answer.attempts)
    if answer.best is not answer.attempts[-1]:
        for event in told_again(answer, len(answer.attempts) + 1, html=html):
            yield event


def can_be_judged(answer: Answer, attempt: Attempt, me: Running) -> bool:
    """A whole answer from sources; not a refusal, nor one that its reader stopped."""
    return bool(
        answer.evaluator
        and attempt.is_whole
        and attempt.error is None
        and not attempt.refusal
        and attempt.retrieval.chunks
        and not me.stopped
    )


async def judged(answer: Answer, attempt: Attempt, me: Running, deadline: float) -> Decision | None:
    """What the router makes of the judge's metrics; None without them: the attempt then stands as it is."""
    left = deadline - asyncio.get_running_loop().time()

    async def judging() -> AsyncGenerator[tuple[Metrics, Usage], None]:
        seconds = min(evaluator.SECONDS, left)
        yield await evaluator.evaluate(attempt.text, attempt.request, answer.evaluator, seconds)

    try:
        async with aclosing(judging()) as once, aclosing(me.until_stopped(once)) as verdicts:
            async for metrics, usage in verdicts:
                attempt.metrics, attempt.judged = metrics, usage
                return route(metrics, [one.strategy for one in answer.attempts])
    except (ModelError, AnswerInvalid, TimeoutError) as error:
        attempt.fault = "evaluator_failed"
        logger.warning("message %s could not be judged: %s", answer.message, described(error))
    return None


async def searched(search: Search, attempt: Attempt, strategy: Strategy) -> Attempt | None:
    """The next attempt, searched; None where nothing came of it."""
    try:
        following = await in_thread(search, attempt.number + 1, strategy)
    except (Problem, DatabaseError) as error:
        logger.warning("no further attempt: %s", type(error).__name__)
        attempt.fault = "search_failed"
        return None
    if following.refusal or not following.retrieval.chunks:
        attempt.fault = "nothing_found"
        return None
    return following


async def decided(events: AsyncGenerator[Event, None]) -> AsyncGenerator[Event, None]:
    """Only the attempt that is kept: for readers from whom no token can be taken back. The answer then comes late."""
    held: list[Event] = []
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Sources):
                held.clear()
            held.append(event)
    for event in held:
        yield event
