"""An answer's events brought together: for readers from whom no word can be taken back (API.md, `stream: false`)."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

from chat.stream.events import Done, Error, Numbered, Sources, Token

Batches = AsyncGenerator[list[Numbered], None]


@dataclass(slots=True)
class Whole:
    """The attempt that was kept, and how it ended; None: the answer has not ended."""

    sources: Sources | None = None
    texts: list[str] = field(default_factory=list)
    ending: Done | Error | None = None

    @property
    def content(self) -> str:
        return "".join(self.texts)


async def collect(batches: Batches) -> Whole:
    whole = Whole()
    async with aclosing(batches):
        async for batch in batches:
            for _, event in batch:
                apply_event(whole, event)
    return whole


def apply_event(whole: Whole, event: object) -> None:
    match event:
        case Sources():  # of a new attempt, which replaces the one before
            whole.sources, whole.texts = event, []
        case Token():
            whole.texts.append(event.token)
        case Done() | Error():
            whole.ending = event


async def only_the_last_attempt(batches: Batches) -> Batches:
    """Everything at the end, and of the attempt that is kept alone. The answer then comes late."""
    held: list[Numbered] = []
    async with aclosing(batches):
        async for batch in batches:
            for numbered in batch:
                if isinstance(numbered[1], Sources):
                    held.clear()
                held.append(numbered)
            if not batch:
                yield []
    yield held
