"""What language models cost while somebody counts: every call of a context, also of the tasks and threads it starts.

A provider that does not count, and a call that was cut short, are estimated by their text: what was sent is billed.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from django.conf import settings

from agents.llm import DEFAULT_MODELS, EXTRACTIVE, resolve
from agents.llm.base import ModelRequest, Usage
from agents.llm.prices import cost
from config.metrics.answering import OTHER, UNKNOWN, count_spent

MICRODOLLARS = 1_000_000
NOT_COUNTED = Usage(0, 0)


@dataclass(slots=True)
class Meter:
    """Tokens, and millionths of a US dollar of those whose price is known. `organization_class`: for the metrics."""

    tokens: int = 0
    microdollars: int = 0
    organization_class: str = UNKNOWN

    def add(self, model: str, usage: Usage) -> None:
        """What a call of `model` used; the extractive answerer uses nothing."""
        if resolve(model)[0] != EXTRACTIVE:
            self.tokens += usage.prompt_tokens + usage.completion_tokens
            self.microdollars += round((cost(model, usage) or 0) * MICRODOLLARS)


_meter: ContextVar[Meter | None] = ContextVar("meter", default=None)


@contextmanager
def metered(meter: Meter) -> Iterator[Meter]:
    """The calls of this block are counted on `meter`."""
    token = _meter.set(meter)
    try:
        yield meter
    finally:
        _meter.reset(token)


def note_call(request: ModelRequest, usage: Usage, said: str = "") -> None:
    """Of one call that was billed, whatever came of it; `said` is its answer, as far as it came."""
    meter, used = _meter.get(), usage if usage != NOT_COUNTED else usage_by_text(request, said)
    if meter is not None:
        meter.add(request.model, used)
    if resolve(request.model)[0] != EXTRACTIVE:
        whose, dollars = meter.organization_class if meter else UNKNOWN, cost(request.model, used) or 0
        count_spent(model_label(request.model), whose, used.prompt_tokens, used.completion_tokens, float(dollars))


def model_label(model: str) -> str:
    """For the metrics, where no organization's own words stand: a model by its name if the installation names it."""
    provider, name = resolve(model)
    if provider == name:
        return name
    known = {*DEFAULT_MODELS.values(), resolve("")[1], *settings.MODEL_PRICES}
    return f"{provider}:{name if name in known or f'{provider}:{name}' in known else OTHER}"


def usage_by_text(request: ModelRequest, said: str) -> Usage:
    sent = text_tokens(request.system) + sum(text_tokens(one.content) for one in request.messages)
    return Usage(sent + tool_tokens(request), text_tokens(said))


def tool_tokens(request: ModelRequest) -> int:
    """Of what is offered, and of what was asked for and answered."""
    offers = sum(text_tokens(f"{one.name}{one.description}{one.input_schema}") for one in request.tools)
    texts = [text for one in request.rounds for text in (one.text, *one.results)]
    asked = [f"{wish.name}{wish.arguments}" for one in request.rounds for wish in one.wishes]
    return offers + sum(map(text_tokens, (*texts, *asked)))


def text_tokens(text: str) -> int:
    """About as many as cl100k counts, rather more."""
    return len(text) // 3 + 1 if text else 0
