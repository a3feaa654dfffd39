"""Adaptive retrieval: judge the answer, search again where it was not good enough, keep the best (SPEC §4).

    attempt ──▶ judged ──▶ routed ──▶ accepted
       ▲                     │
       └── another size ◀────┘          at most three attempts, within DEADLINE_SECONDS

Source: adaptive-retrieval.es.md. The first attempt streams like any answer. Whatever fails after it, the judge, a
search, the model or the clock, leaves the best attempt so far standing.
"""

import asyncio
import logging

from django.db import Error as DatabaseFault

from accounts.problems import Problem
from agents.llm.base import ModelError
from agents.llm.structured import AnswerInvalid
from chat.answering.attempting import attempt_from, stream_attempt, tell_again
from chat.answering.attempts import Answer, Attempt
from chat.answering.condensing import Rewriting
from chat.answering.inquiry import Inquiry
from chat.answering.judging import evaluator
from chat.answering.judging.routing import LARGE, SMALL, Decision, Strategy, route
from chat.stream.events import Status
from chat.stream.live import Live
from config.concurrency.threads import in_thread
from config.faults import describe_error
from retrieval.confidence.gate import Gate

logger = logging.getLogger(__name__)

DEADLINE_SECONDS = 120.0  # from the end of the first attempt


async def improve(answer: Answer, inquiry: Inquiry, rewriting: Rewriting, live: Live) -> None:
    """What follows the first attempt. Where an earlier attempt turns out to be the best, it is told once more."""
    deadline = asyncio.get_running_loop().time() + DEADLINE_SECONDS
    await look_elsewhere(answer, inquiry, rewriting, live, deadline)
    while (attempt := answer.attempts[-1]) and can_be_judged(answer, attempt, live):
        live.log.add(Status("evaluating", answer.told))
        attempt.decision = await judge(answer, attempt, live, deadline)
        strategy = attempt.decision.strategy if attempt.decision else None
        if strategy is None or live.stopped:
            break
        live.log.add(Status("retrying", answer.told + 1, strategy.granularity))
        following = await search_again(answer, inquiry, rewriting, strategy, live)
        if following is None:
            break
        answer.attempts.append(following)
        await stream_attempt(answer, following, live, deadline)
    if answer.best is not answer.attempts[-1]:
        tell_again(answer, live)


async def look_elsewhere(answer: Answer, inquiry: Inquiry, rewriting: Rewriting, live: Live, deadline: float) -> None:
    """Where the first search found too little, which no judge needs to say, passages of other sizes may hold it."""
    for granularity in (LARGE, SMALL):
        attempt = answer.attempts[-1]
        if attempt.retrieval.gate not in (Gate.LOW_CONFIDENCE, Gate.EMPTY) or attempt.tables or live.stopped:
            return
        live.log.add(Status("retrying", answer.told + 1, granularity))
        following = await search_again(answer, inquiry, rewriting, Strategy(granularity), live)
        if following is not None and following.retrieval.sufficient:
            answer.attempts.append(following)
            await stream_attempt(answer, following, live, deadline)


def can_be_judged(answer: Answer, attempt: Attempt, live: Live) -> bool:
    """A whole answer from passages; not a refusal, nor one that its reader stopped. What rests on rows is held against
    them by their numbers, and no judge of passages knows better."""
    return bool(
        answer.evaluator
        and attempt.is_whole
        and attempt.error is None
        and not (attempt.refusal or attempt.tables)
        and attempt.request.passages
        and not live.stopped
    )


async def judge(answer: Answer, attempt: Attempt, live: Live, deadline: float) -> Decision | None:
    """What the router makes of the judge's metrics; None without them: the attempt then stands as it is."""
    seconds = min(evaluator.SECONDS, deadline - asyncio.get_running_loop().time())
    try:
        with live.until_stopped():
            metrics, usage = await evaluator.evaluate_answer(attempt.text, attempt.request, answer.evaluator, seconds)
            attempt.metrics, attempt.judged = metrics, usage
            return route(metrics, [one.strategy for one in answer.attempts])
    except (ModelError, AnswerInvalid, TimeoutError) as error:
        attempt.fault = "evaluator_failed"
        logger.warning("message %s could not be judged: %s", answer.message, describe_error(error))
    return None


async def search_again(
    answer: Answer, inquiry: Inquiry, rewriting: Rewriting, strategy: Strategy, live: Live
) -> Attempt | None:
    """The next attempt, searched; None where nothing came of it."""
    attempt = answer.attempts[-1]
    try:
        with live.until_stopped():
            plan = await in_thread(inquiry.plan_anew, strategy)
            retrieval = await plan.retrieve(inquiry.question.text, rewriting)
            number = attempt.number + 1
            following = await in_thread(attempt_from, answer, inquiry, plan, retrieval, number)
            if not following.refusal and following.retrieval.chunks:
                return following
            attempt.fault = "nothing_found"
    except (Problem, DatabaseFault) as error:
        logger.warning("no further attempt: %s", type(error).__name__)
        attempt.fault = "search_failed"
    return None
