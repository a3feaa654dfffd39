"""The ids of an answer's events (API.md, "Chat"); pure.

An id says what whoever has it has been told, in a way that any process can compute from the answer itself: attempt,
characters, blocks. So a reader may go on where another connection, or another server, has left off.

    (attempt - 1) · 10^12  +  1, 2                              sources, "generating"
                           +  characters · 1,000 + blocks       a token, and the blocks that it finishes
                           +  999 · 10^9 + 0, 1                 "evaluating", "retrying"
    10^15                                                       done or error
"""

from typing import NamedTuple

ATTEMPT = 10**12
TAIL = 999 * 10**9
CHARACTER = 1_000
END = 10**15


class Place(NamedTuple):
    """How far into an answer a reader is."""

    attempt: int = 1
    head: int = 0  # events before the text
    characters: int = 0
    blocks: int = 0
    tail: int = 0  # events behind it


def place_of(event_id: int) -> Place:
    """What whoever has this event has been told; nothing for an id that is none."""
    if event_id <= 0:
        return Place()
    attempt, rest = divmod(min(event_id, END), ATTEMPT)
    if rest < CHARACTER:
        return Place(attempt + 1, head=rest)
    characters, blocks = divmod(rest, CHARACTER)
    if rest >= TAIL:
        return Place(attempt + 1, CHARACTER, TAIL, CHARACTER, rest - TAIL + 1)
    return Place(attempt + 1, CHARACTER, characters, blocks)


def head_id(attempt: int, position: int) -> int:
    return (attempt - 1) * ATTEMPT + position + 1


def text_id(attempt: int, characters: int, blocks: int) -> int:
    """Beyond 999 blocks they no longer count: a reader who comes back then is told the last of them again."""
    return (attempt - 1) * ATTEMPT + characters * CHARACTER + min(blocks, CHARACTER - 1)


def tail_id(attempt: int, position: int) -> int:
    return (attempt - 1) * ATTEMPT + TAIL + position
