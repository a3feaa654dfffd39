"""How often a model's stream is read while many are open: each token at once, or several together under load.

A read, and what follows it up to the client's socket, takes some 0.1 ms of CPU whether it brings one token or ten. A
thousand streams of 20 tokens a second would ask two cores of the one that they have, and all of them, new questions
too, would wait for each other. So from some hundred on, a stream rests after each read until it is its turn: in the
order in which they read last, `READS` of them in each `TICK`. What arrives meanwhile waits in the kernel and comes in
one piece. The first token never waits. With 500 open the text moves on fifteen times a second, with 2,000 four times.

That is for a core that has time. Of what threads have to compute, or will have (questions and searches), each piece
has the share that all reads together have: what has begun to speak makes room for who has not heard anything yet.
Nobody rests for longer than `LONGEST`. Where the core has time all the same, since those threads wait for a database
that does not answer, nobody makes room. A tick that was late, since the machine has too much to do, is not made up for,
and the next one waits for longer by the same: reads keep apart, and those that bring more, since they rested, do not
grow to a burst.

How late the loop is says less than what is wanted: a burst of reads makes it late as well, and by that alone 500
streams stood still for seconds on a core of which three quarters were free. Measured on two cores with 500 open and
nobody who asks: of the pauses between two pieces of a text the 99th percentile was 2.5 s, and is 0.1 s. Of 200 who
ask new questions without a pause the median waits 0.16 s for the first token, and waited 0.3 to 0.5 s.
"""

import asyncio
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp

from config.concurrency.loops import PerLoop
from config.concurrency.threads import wanted

FEW = 100  # streams of this process that read as it comes
READS, TICK = 48, 0.005  # seconds; a timer is late by some milliseconds: 7,000 reads a second, seven tenths of a core
LATEST = 0.05  # seconds that are counted of a tick's delay: a process that was stopped is no busy one
LONGEST = 2.5  # seconds of rest
LOOKED_AT = 0.1  # seconds, of which it is told whether the core had time
COMPUTING = 0.75  # of them, that this process computes: reads alone take less
LATE = 0.55  # of the time until ticks came, by which they were late: others take the core
_open = 0


@contextmanager
def counted() -> Iterator[None]:
    """Count a stream of this process while the block lasts."""
    global _open
    _open += 1
    try:
        yield
    finally:
        _open -= 1


async def rest(response: aiohttp.ClientResponse) -> None:
    """Let tokens gather until it is this stream's turn. What has ended is not waited for."""
    connection = response.connection if _open > FEW else None
    transport = connection.transport if connection else None
    if not isinstance(transport, asyncio.ReadTransport):
        return
    transport.pause_reading()
    try:
        await (await _TURNS.get()).come()
    finally:
        transport.resume_reading()


class _Core:
    """Whether the core of this process had no time to spare when that was last looked at."""

    def __init__(self, now: float) -> None:
        self._since, self._computed = now, time.process_time()
        self._ticks = self._late = 0.0
        self._is_busy = True

    def is_busy(self, now: float, late: float) -> bool:
        """At a tick that came `late`; what it waited longer for, since the one before it was late, is not counted."""
        self._ticks += TICK
        self._late += late
        if (passed := now - self._since) >= LOOKED_AT:
            computed = time.process_time()
            is_late = self._late >= LATE * (self._ticks + self._late)
            self._is_busy = is_late or computed - self._computed >= COMPUTING * passed
            self._since, self._computed = now, computed
            self._ticks = self._late = 0.0
        return self._is_busy


class _Turns:
    """Who rests in one event loop, and whose turn it is at the next tick."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._core = _Core(self._loop.time())
        self._resting: deque[asyncio.Future[None]] = deque()
        self._turns = 0.0  # that may be called; parts of one add up
        self._began = self._due = 0.0
        self._ticking: asyncio.TimerHandle | None = None

    def come(self) -> "asyncio.Future[None]":
        """Done when it is the turn of whoever asks now."""
        turn = self._loop.create_future()
        self._resting.append(turn)
        if self._ticking is None:
            self._turns = 0.0
            self._tick_in(TICK)
        return turn

    def _tick_in(self, seconds: float) -> None:
        self._began = self._loop.time()
        self._due = self._began + seconds
        self._ticking = self._loop.call_at(self._due, self._tick)

    def _tick(self) -> None:
        self._ticking, now = None, self._loop.time()
        late = now - self._due
        others = wanted() if self._core.is_busy(now, late) else 0
        self._turns += max(READS / (1 + others), _open * (now - self._began) / LONGEST)
        self._call()
        if self._resting:
            self._tick_in(TICK + min(late, LATEST))

    def _call(self) -> None:
        while self._resting and self._turns >= 1:
            if not (turn := self._resting.popleft()).done():  # one that is cancelled has left
                turn.set_result(None)
                self._turns -= 1


_TURNS = PerLoop(_Turns)
