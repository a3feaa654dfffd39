"""How often a model's stream is read while many are open: each token at once, or several together under load.

A read, and what follows it up to the client's socket, takes some 0.2 ms of CPU whether it brings one token or ten. A
thousand streams of 20 tokens a second would ask four cores of the one that they have, and all of them, new questions
too, would wait for each other. So a stream rests after each read, the longer the more are open; what arrives meanwhile
waits in the kernel and comes in one piece. The first token never waits. Up to 40 streams nobody rests; with 200 the
text moves on ten times a second, with 1,000 twice.

That is for a core that has time. Where questions and searches want it too, rests end late, and grow by as much: what
has begun to speak makes room for who has not heard anything yet. Measured on two cores: of 200 who ask new questions
without a pause, the median waits 0.14 s for the first token and not 0.7; of 2,000 open streams, the last twentieth 2 to
3 s and not 9.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp

PER_STREAM = 0.0005  # seconds of rest for each stream that is open
SHORTEST, LONGEST = 0.02, 2.5
PUNCTUAL = 0.001  # seconds that a timer may be late on a loop that has time: it counts in milliseconds
LATEST = 0.05  # seconds that are counted of a timer's delay: a process that was stopped is no busy one
WEIGHT = 0.01  # of one rest in the mean of how late they end: some fifty milliseconds of them count
_open = 0
_late = 0.0


@contextmanager
def counted() -> Iterator[None]:
    """Count a stream of this process while the block lasts."""
    global _open
    _open += 1
    try:
        yield
    finally:
        _open -= 1


def pause() -> float:
    """Seconds to rest after a read."""
    wanted = _open * PER_STREAM
    return min(wanted * max(1.0, _late / PUNCTUAL), LONGEST) if wanted > SHORTEST else 0.0


async def rest(response: aiohttp.ClientResponse) -> None:
    """Let tokens gather. What has ended is not waited for."""
    seconds, connection = pause(), response.connection
    transport = connection.transport if connection else None
    if not seconds or not isinstance(transport, asyncio.ReadTransport):
        return
    transport.pause_reading()
    try:
        await _sleep(seconds)
    finally:
        transport.resume_reading()


async def _sleep(seconds: float) -> None:
    """And learn how late the loop is: it is when questions, searches and streams together want more than it has."""
    global _late
    now = asyncio.get_running_loop().time
    due = now() + seconds
    await asyncio.sleep(seconds)
    _late += WEIGHT * (min(now() - due, LATEST) - _late)
