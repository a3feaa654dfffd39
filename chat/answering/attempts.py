"""An answer under way: one attempt, or with adaptive retrieval up to three, of which the best is kept."""

import asyncio
import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings

from agents.llm.base import ModelError, ModelRequest, Usage
from chat.answering.calling.making import Step
from chat.answering.calling.toolkit import Toolkit
from chat.answering.judging.routing import Decision, Metrics, Strategy
from chat.answering.sources import citation_rows
from chat.models import AnswerTable, Citation, Message
from chat.rendering.citations import cited_numbers
from chat.stream.pieces import Pieces
from corpora.scope import Scope
from retrieval.results import Retrieval

NOTHING = Usage(0, 0)


@dataclass
class Attempt:
    """One search and what the model made of it. `refusal`: what is said instead of asking a model; `fallback`: what is
    said if the model fetches nothing that it could answer from.

    `sources` are its passages as rows of `message`, `tables` what its model has fetched; saved if this is the attempt
    that is kept. `kept` does that already, while the model is asked.
    """

    message: UUID
    number: int
    strategy: Strategy
    scope: Scope
    retrieval: Retrieval
    request: ModelRequest
    refusal: str = ""
    fallback: str = ""
    kit: Toolkit | None = None  # the tools that its model is offered
    is_personal: bool = True  # its conversation's, as it was when this was searched for
    parts: Pieces = field(default_factory=Pieces)
    usage: Usage = NOTHING
    error: ModelError | None = None
    is_whole: bool = False
    is_doubtful: bool = False  # by its own word
    metrics: Metrics | None = None
    judged: Usage = NOTHING  # what the judge of it cost
    decision: Decision | None = None
    steps: list[Step] = field(default_factory=list)  # calls of tools, also those that were refused
    tables: list[AnswerTable] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)  # sources that were asked in vain; "" for one without a name
    kept: "asyncio.Task[None] | None" = None
    fault: str = ""  # what kept it from being judged, or the next one from being tried

    @property
    def text(self) -> str:
        return "".join(self.parts)

    @property
    def cited(self) -> tuple[int, ...]:
        return cited_numbers(self.text, range(1, len(self.retrieval.chunks) + len(self.tables) + 1))

    @cached_property
    def sources(self) -> list[Citation]:
        return citation_rows(self.message, self.retrieval)

    @property
    def all_sources(self) -> list[Citation | AnswerTable]:
        return [*self.sources, *self.tables]

    def forget_candidates(self) -> None:
        """Once they are stored: of fifty that were looked at some twenty kilobytes, for as long as the model speaks."""
        self.retrieval = replace(self.retrieval, candidates=())

    def add_usage(self, used: Usage) -> None:
        """Of one round with the model; where none was counted it stays NOTHING."""
        self.usage = Usage(
            self.usage.prompt_tokens + used.prompt_tokens, self.usage.completion_tokens + used.completion_tokens
        )


class Failure(NamedTuple):
    """Why an answer ended otherwise than by its model: a stable code and a sentence for people."""

    code: str
    detail: str


@dataclass(slots=True)
class Answer:
    """What was tried and how it ended. `evaluator` is the model that judges attempts, "" where there is none.

    `told` is the number under which an attempt was told last: each time that its sources change it is told anew.
    `calls` of tools were made, which took `call_seconds`.
    """

    message: UUID
    conversation: UUID
    evaluator: str = ""
    condensed: str = ""
    rewriting: Usage = NOTHING
    attempts: list[Attempt] = field(default_factory=list)
    told: int = 0
    calls: int = 0
    call_seconds: float = 0.0
    status: str = Message.Status.STOPPED  # until something better happened
    failure: Failure | None = None
    began: float = field(default_factory=time.perf_counter)  # when its question was let in

    @property
    def calls_left(self) -> int:
        return int(settings.CHAT_TOOL_CALLS) - self.calls

    @property
    def call_seconds_left(self) -> float:
        return float(settings.CHAT_TOOL_SECONDS) - self.call_seconds

    @property
    def best(self) -> Attempt | None:
        """None before anything was found."""
        return best_of(self.attempts) if self.attempts else None

    @property
    def is_personal(self) -> bool:
        return any(one.is_personal for one in self.attempts)

    @property
    def final_status(self) -> str:
        return str(Message.Status.FAILED if self.error_code else self.status)

    @property
    def error_code(self) -> str:
        if self.failure is not None:
            return self.failure.code
        return self.best.error.code if self.best and self.best.error else ""

    @property
    def usage(self) -> dict[str, int]:
        """Tokens of everything that the answer took; empty where no model counted any."""
        spent = [self.rewriting, *(one.usage for one in self.attempts), *(one.judged for one in self.attempts)]
        prompt, completion = (sum(column) for column in zip(*map(_counts, spent), strict=True))
        if (self.best is None or self.best.usage is NOTHING) and not prompt and not completion:
            return {}
        return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}

    @property
    def evaluation(self) -> dict[str, Any] | None:
        """Of the attempt that was kept, as `done` and the trace tell it; None if it was not judged."""
        best = self.best
        if best is None or (metrics := best.metrics) is None:
            return None
        return {
            "faithfulness": metrics.faithfulness,
            "context_precision": metrics.context_precision,
            "context_recall": metrics.context_recall,
            "attempt": best.number,
            "attempts": len(self.attempts),
            "granularity": best.retrieval.granularity,
        }


def _counts(usage: Usage) -> tuple[int, int]:
    return usage.prompt_tokens, usage.completion_tokens


def best_of(attempts: list[Attempt]) -> Attempt:
    """The attempt to keep: of the whole ones the best judged, a later one on a tie. One that could not be judged
    beats those before it, since the router asked for it because they were not good enough.

    Where none is whole, the last that has said something.
    """
    whole = [one for one in attempts if one.is_whole and one.error is None]
    if not whole:
        return next((one for one in reversed(attempts) if one.parts), attempts[0])
    if whole[-1].metrics is None:
        return whole[-1]
    judged = [one for one in whole if one.metrics is not None]
    return max(judged, key=lambda one: (one.metrics.overall, one.number))  # type: ignore[union-attr]  # just filtered
