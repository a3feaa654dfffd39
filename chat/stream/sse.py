"""Server-sent events: events as bytes, in a stream that never falls silent (SPEC §5)."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import orjson

from chat.stream.events import Done, Event, Numbered, Sources, Token, told_source

KEEP_ALIVE = b": keep-alive\n\n"
OPTIONAL = frozenset({"granularity", "evaluation", "degraded", "tool", "source"})  # left out when None


async def frame_batches(batches: AsyncGenerator[list[Numbered], None]) -> AsyncGenerator[bytes, None]:
    """The events as line groups, those that come together in one write; a comment where none came."""
    async with aclosing(batches):
        async for batch in batches:
            yield b"".join([frame(*one) for one in batch]) or KEEP_ALIVE


def frame(event_id: int, event: Event) -> bytes:
    """One event as its line group. Tokens, nearly all frames, take the short way (≤ 100 bytes each)."""
    if type(event) is Token:
        return b'id: %d\nevent: token\ndata: {"token":%b,"attempt":%d}\n\n' % (
            event_id,
            orjson.dumps(event.token),
            event.attempt,
        )
    body = orjson.dumps(_fields(event), default=dict)
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (event_id, event.event.encode(), body)


def _fields(event: Event) -> dict[str, Any]:
    fields = {name: getattr(event, name) for name in event.__slots__}
    if type(event) is Done:
        fields["citations"] = [one.told for one in event.citations]
    elif type(event) is Sources:
        fields["sources"] = [told_source(one) for one in event.sources]
    return {name: value for name, value in fields.items() if value is not None or name not in OPTIONAL}
