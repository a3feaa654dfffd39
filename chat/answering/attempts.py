"""An answer under way: one attempt, or with adaptive retrieval up to three, of which the best is kept."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from agents.llm.base import ModelError, ModelRequest, Usage
from chat.answering.prompting import cited
from chat.answering.routing import Decision, Metrics, Strategy
from chat.models import Message
from corpora.scope import Scope
from retrieval.results import Retrieval

NOTHING = Usage(0, 0)


@dataclass(slots=True)
class Attempt:
    """One search and what the model made of it. `refusal`: what is said instead of asking a model."""

    number: int
    strategy: Strategy
    scope: Scope
    retrieval: Retrieval
    request: ModelRequest
    refusal: str = ""
    parts: list[str] = field(default_factory=list)
    usage: Usage = NOTHING
    error: ModelError | None = None
    is_whole: bool = False
    metrics: Metrics | None = None
    judged: Usage = NOTHING  # what the judge of it cost
    decision: Decision | None = None
    fault: str = ""  # what kept it from being judged, or the next one from being tried

    @property
    def text(self) -> str:
        return "".join(self.parts)

    @property
    def cited(self) -> tuple[int, ...]:
        return cited(self.text, range(1, len(self.retrieval.chunks) + 1))


Search = Callable[[int, Strategy], Attempt]


@dataclass(slots=True)
class Answer:
    """What was prepared, what was tried and how it ended. `again` searches anew; None: one attempt is all.

    `evaluator` is the model that judges attempts, "" where there is none.
    """

    message: UUID
    conversation: UUID
    attempts: list[Attempt]
    again: Search | None = None
    evaluator: str = ""
    condensed: str = ""
    rewriting: Usage = NOTHING
    best: Attempt = field(init=False)
    status: str = Message.Status.STOPPED  # until something better happened
    started: bool = False
    kept: bool = False

    def __post_init__(self) -> None:
        self.best = self.attempts[-1]

    @property
    def retrieval(self) -> Retrieval:
        return self.best.retrieval

    @property
    def request(self) -> ModelRequest:
        return self.best.request

    @property
    def refusal(self) -> str:
        return self.best.refusal

    @property
    def error(self) -> ModelError | None:
        return self.best.error

    @property
    def usage(self) -> dict[str, int]:
        """Tokens of everything that the answer took; empty where no model counted any."""
        spent = [self.rewriting, *(one.usage for one in self.attempts), *(one.judged for one in self.attempts)]
        prompt, completion = (sum(column) for column in zip(*map(_counts, spent), strict=True))
        if self.best.usage is NOTHING and not prompt and not completion:
            return {}
        return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}

    @property
    def evaluation(self) -> dict[str, Any] | None:
        """Of the attempt that was kept, as `done` and the trace tell it; None if it was not judged."""
        if (metrics := self.best.metrics) is None:
            return None
        return {
            "faithfulness": metrics.faithfulness,
            "context_precision": metrics.context_precision,
            "context_recall": metrics.context_recall,
            "attempt": self.best.number,
            "attempts": len(self.attempts),
            "granularity": self.best.retrieval.granularity,
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
