"""What a model says, over as many rounds as it asks for tools: each round is a call of the model, metered and billed.

    said ──▶ asks for tools? ──no──▶ the answer
     ▲             │ yes
     └── told ◀── made, one after the other       at most CHAT_TOOL_CALLS, within CHAT_TOOL_SECONDS

Of a strict agent whose documents do not suffice nothing is heard until a call has succeeded; without one its refusal
is what is said.
"""

import asyncio
import time
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from django.utils.translation import gettext, override

from agents.llm import client_for
from agents.llm.base import (
    DOUBTFUL,
    Finished,
    ModelError,
    ModelRequest,
    StreamEvent,
    TextDelta,
    ToolRound,
    ToolWish,
    Usage,
)
from agents.llm.metering import NOT_COUNTED, model_label, note_call
from agents.llm.spans import model_span, note_usage
from chat.answering import records
from chat.answering.attempts import Answer, Attempt
from chat.answering.calling import making
from chat.answering.calling.making import CallOutcome
from chat.answering.calling.telling import tell_sources
from chat.answering.storing import store_patiently
from chat.prompting.refusals import refusal_of_calls
from chat.stream.events import Status
from chat.stream.live import Live
from chat.stream.pieces import Pieces, text_behind
from chat.stream.thinking import ThinkFilter
from config.concurrency.threads import to_its_end, waiting
from config.metrics.answering import FIRST_TOKEN, MODEL_FIRST_TOKEN


@dataclass
class Round:
    """One call of the model: `pieces` is where its words go, from the character `begins` on."""

    request: ModelRequest
    pieces: Pieces
    live: Live
    begins: int | None = None  # until it speaks
    wishes: list[ToolWish] = field(default_factory=list)
    usage: Usage = NOT_COUNTED
    thoughts: ThinkFilter = field(default_factory=ThinkFilter)

    @property
    def said(self) -> str:
        """What this call said itself."""
        return "" if self.begins is None else text_behind(self.pieces, self.begins)

    def say(self, text: str) -> None:
        if not text:
            return
        if self.begins is None:
            if self.pieces:
                self.pieces.append("\n\n")  # what it says after a call is a paragraph of its own
            self.begins = sum(map(len, self.pieces))
        self.pieces.append(text)
        self.live.log.wake()


async def hear(answer: Answer, attempt: Attempt, live: Live) -> None:
    """What the model says, without its thoughts; or the refusal, which asks no model."""
    if attempt.refusal:
        attempt.parts.append(attempt.refusal)
        live.log.wake()
        return
    held = Pieces()
    request = attempt.request
    while True:
        pieces = held if attempt.fallback and not attempt.tables else attempt.parts
        one = Round(request, pieces, live)
        await hear_round(answer, attempt, one)
        if not one.wishes or request.must_answer:
            break
        outcomes = await make_calls(answer, attempt, one.wishes, live)
        if attempt.tables and held:
            attempt.parts += held
            held = Pieces()
        told = ToolRound(one.said, tuple(one.wishes), tuple(outcome.text for outcome in outcomes))
        is_over = answer.calls_left <= 0 or answer.call_seconds_left <= 0
        request = replace(request, rounds=(*request.rounds, told), must_answer=is_over)
        await tell_round(answer, attempt, live)
    if attempt.fallback and not attempt.tables:
        attempt.refusal = refusal_of_calls(attempt.unanswered, attempt.fallback, request.language)
    if not attempt.parts and (attempt.refusal or attempt.steps):
        with override(request.language):
            nothing = gettext("The model fetched data and then said nothing. Ask again.")
        attempt.parts.append(attempt.refusal or nothing)
        live.log.wake()


async def hear_round(answer: Answer, attempt: Attempt, one: Round) -> None:
    asked = time.perf_counter()
    with _billing(attempt, one), model_span(one.request.model) as here:
        async with aclosing(client_for(one.request.model).stream(one.request)) as stream:
            async for event in stream:
                is_first = not attempt.parts
                _take(attempt, one, event)
                if is_first and attempt.parts:
                    _note_first_word(answer, attempt, asked)
        note_usage(here, one.usage)
    one.say(one.thoughts.finish())


def _take(attempt: Attempt, one: Round, event: StreamEvent) -> None:
    if isinstance(event, TextDelta):
        one.say(one.thoughts.feed(event.text))
    elif isinstance(event, ToolWish):
        one.wishes.append(event)
    elif isinstance(event, Usage):
        one.usage = event
    elif isinstance(event, Finished):
        attempt.is_doubtful = event.reason == DOUBTFUL


@contextmanager
def _billing(attempt: Attempt, one: Round) -> Iterator[None]:
    """Counts what the model cost, also when it was stopped; one that refuses, or says nothing, does not bill."""
    is_billed = True
    try:
        yield
    except ModelError:
        is_billed = one.begins is not None
        raise
    finally:
        if is_billed:
            note_call(one.request, one.usage, one.said)
        if one.usage is not NOT_COUNTED:
            attempt.add_usage(one.usage)


def _note_first_word(answer: Answer, attempt: Attempt, asked: float) -> None:
    """What a model thinks before is waited for, too."""
    now = time.perf_counter()
    MODEL_FIRST_TOKEN.labels(model_label(attempt.request.model)).observe(now - asked)
    if attempt.number == 1:
        FIRST_TOKEN.observe(now - answer.began)


async def make_calls(answer: Answer, attempt: Attempt, wishes: list[ToolWish], live: Live) -> list[CallOutcome]:
    """One after the other: what one of them is told counts for the next."""
    outcomes = []
    for wish in wishes:
        outcome = await _make_call(answer, attempt, wish, live)
        attempt.steps.append(outcome.step)
        if outcome.table is not None:
            attempt.tables.append(outcome.table)
        if outcome.step.refused in making.OUTAGES and attempt.kit is not None:
            attempt.unanswered.append(making.source_of_step(attempt.kit, wish, outcome.step))
        outcomes.append(outcome)
    return outcomes


async def _make_call(answer: Answer, attempt: Attempt, wish: ToolWish, live: Live) -> CallOutcome:
    kit = attempt.kit
    assert kit is not None  # nothing was offered without
    known = wish.name if wish.name in kit.tools else ""
    if answer.calls_left <= 0:
        return making.refused(known, "too_many_calls", making.NO_MORE_CALLS)
    if (seconds := answer.call_seconds_left) <= 0:
        return making.refused(known, "no_time_left", making.NO_MORE_TIME)
    answer.calls += 1
    live.log.add(Status("calling", answer.told, tool=known, source=making.source_named(kit, wish).name))
    began = time.monotonic()
    n = len(attempt.retrieval.chunks) + len(attempt.tables) + 1
    try:
        async with asyncio.timeout(seconds):
            whose = kit.asker.organization_id
            return await waiting.run(whose, making.make_call, kit, wish, attempt.message, n)
    except TimeoutError:
        return making.refused(known, "no_time_left", making.NO_MORE_TIME, began)
    finally:
        answer.call_seconds += time.monotonic() - began


async def tell_round(answer: Answer, attempt: Attempt, live: Live) -> None:
    """The sources once more, with what was fetched, under a number of their own; what was said so far goes on under it.

    Of the attempt whose sources are stored already, the row says the same, for readers elsewhere.
    """
    answer.told += 1
    if attempt.kept is not None:
        await asyncio.wait({attempt.kept})
        keep = partial(records.keep_round, attempt, answer.told)
        await to_its_end(store_patiently(f"the rows of message {answer.message}", keep))
    tell_sources(answer, attempt, live)
