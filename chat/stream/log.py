"""What an answer has said so far, kept once and read by any number of readers, each at its own pace.

Writing never waits: a reader that dawdles, or that is not there, holds nobody up (RELIABILITY fact 7). Only the present
attempt is told, since it replaces the one before; its text is the list of pieces that the attempt itself keeps.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from chat.rendering.markdown import BlockRenderer
from chat.stream.events import Done, Error, Html, Numbered, Sources, Status, Token
from chat.stream.numbers import END, head_id, place_of, tail_id, text_id
from chat.stream.pieces import text_behind

MOST_AT_ONCE = 8_000  # characters that are rendered on the event loop: about 30 ms of the most tangled Markdown


@dataclass(slots=True)
class Part:
    """One attempt as it is told: events before its text, the text in pieces, events behind it."""

    number: int
    head: list[Sources | Status]
    pieces: list[str]
    tail: list[Status] = field(default_factory=list)

    @property
    def sources(self) -> Sources:
        assert isinstance(self.head[0], Sources)
        return self.head[0]


class EventLog:
    """Written from the event loop alone."""

    def __init__(self) -> None:
        self.part: Part | None = None
        self.first: Sequence[str] = ()  # the pieces of the first attempt, which are kept also while another is told
        self.ending: Done | Error | None = None
        self.changes = 0
        self._waiting: list[asyncio.Future[None]] = []

    def begin(self, sources: Sources, pieces: list[str]) -> None:
        """A new attempt; `wake` after what is appended to `pieces` from now on."""
        self.part = Part(sources.attempt, [sources], pieces)
        if sources.attempt == 1:
            self.first = pieces
        self.wake()

    def add(self, status: Status) -> None:
        assert self.part is not None
        (self.part.head if status.stage == "generating" else self.part.tail).append(status)
        self.wake()

    def end(self, ending: Done | Error) -> None:
        """Once: what ended stays ended."""
        if self.ending is None:
            self.ending = ending
            self.wake()

    def wake(self) -> None:
        """Tell the readers who wait that there is something."""
        self.changes += 1
        waiting, self._waiting = self._waiting, []
        for reader in waiting:
            if not reader.done():
                reader.set_result(None)

    def news(self) -> "asyncio.Future[None]":
        """Done with the next change. Who no longer wants to wait may set its result, or cancel it."""
        something = asyncio.get_running_loop().create_future()
        self._waiting.append(something)
        return something


class Cursor:
    """One reader's place in a log. `after`: the last event that it has; `html`: it is told finished blocks too."""

    def __init__(self, after: int = 0, *, html: bool = False) -> None:
        self.ended = after >= END
        self._html = html
        self._place = place_of(after)
        self._part: Part | None = None
        self._head = self._tail = self._characters = self._blocks = 0
        self._known = self._known_blocks = 0  # characters and blocks that the reader has
        self._unrendered = 0  # characters of the block that has not ended
        self._renderer: BlockRenderer | None = None

    def has_much_to_render(self, log: EventLog) -> bool:
        """Whether `take` may keep its thread for long."""
        if not self._html or log.part is None:
            return False
        taken = self._characters if log.part is self._part else 0
        return self._unrendered + sum(map(len, log.part.pieces)) - taken > MOST_AT_ONCE

    def take(self, log: EventLog) -> list[Numbered]:
        """The events since the last time. What arrived meanwhile comes as one token.

        On any thread: what is written to the log while it is read comes the next time.
        """
        taken: list[Numbered] = []
        if self.ended:
            return taken
        ending, part = log.ending, log.part
        is_behind = part is not None and part.number < self._place.attempt  # a row keeps the first attempt till the end
        if part is not None and (not is_behind or ending is not None):
            if part is not self._part:
                self._enter(part)
            if self._head < len(part.head):
                taken += self._before(part)
            if text := text_behind(part.pieces, self._characters):
                taken += self._text(part, text)
            if self._tail < len(part.tail):
                taken += self._behind(part)
        if ending is not None:
            taken += [*self._rest(), (END, ending)]
            self.ended = True
        return taken

    def _enter(self, part: Part) -> None:
        """At the beginning of an attempt, or where the reader has left off in it."""
        at = self._place if self._place.attempt == part.number else place_of(0)
        self._part, self._place = part, place_of(0)
        self._renderer = BlockRenderer([one.n for one in part.sources.sources]) if self._html else None
        self._head, self._tail, self._known_blocks = at.head, at.tail, at.blocks
        self._known = at.characters
        self._characters = self._blocks = self._unrendered = 0

    def _before(self, part: Part) -> list[Numbered]:
        first, self._head = self._head, len(part.head)
        return [(head_id(part.number, place), part.head[place]) for place in range(first, self._head)]

    def _text(self, part: Part, text: str) -> list[Numbered]:
        """What the reader knows already only makes the blocks; a row that lags behind may not even have all of it."""
        known = min(len(text), self._known - self._characters)
        if known <= 0:
            return self._token(part, text)
        self._characters += known
        blocks = self._rendered(text[:known])
        return [*blocks, *self._token(part, text[known:])] if known < len(text) else blocks

    def _token(self, part: Part, text: str) -> list[Numbered]:
        self._characters += len(text)
        token = (text_id(part.number, self._characters, self._blocks), Token(text, part.number))
        return [token, *self._rendered(text)] if self._renderer else [token]

    def _rendered(self, text: str) -> list[Numbered]:
        """The blocks that `text` ends."""
        if self._renderer is None:
            return []
        blocks = self._renderer.feed(text)
        self._unrendered = len(text) + (0 if blocks else self._unrendered)
        return self._shown(blocks)

    def _rest(self) -> list[Numbered]:
        """The last block, once the text has ended."""
        renderer, self._renderer = self._renderer, None
        return self._shown(renderer.finish()) if renderer else []

    def _shown(self, blocks: list[tuple[int, str]]) -> list[Numbered]:
        assert self._part is not None
        shown: list[Numbered] = []
        for index, html in blocks:
            self._blocks += 1
            if self._blocks > self._known_blocks:
                characters = max(self._characters, self._known)
                shown.append((text_id(self._part.number, characters, self._blocks), Html(index, html)))
        return shown

    def _behind(self, part: Part) -> list[Numbered]:
        first, self._tail = self._tail, len(part.tail)
        later: list[Numbered] = [(tail_id(part.number, place), part.tail[place]) for place in range(first, self._tail)]
        return [*self._rest(), *later]
