"""Work that waits now and then, written once for threads and for the event loop.

It is a generator: what it computes and reads stands between its `yield`s, and what it waits for is yielded. It neither
knows nor cares who carries that out: `run` on the thread of a caller that has no loop, `arun` for the event loop,
where nothing that waits holds a thread that others need.
"""

from collections.abc import Awaitable, Callable, Coroutine, Generator, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from django.conf import settings

from config.concurrency.loops import PerLoop, block_on
from config.concurrency.threads import in_search, waiting
from config.concurrency.turns import Turns

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Awaited:
    """A network that is awaited."""

    call: Callable[[], Coroutine[Any, Any, Any]]


@dataclass(frozen=True, slots=True)
class Blocking:
    """A network whose client blocks its thread."""

    call: Callable[[], Any]


Steps = Generator[Awaited | Blocking, Any, T]


@dataclass(frozen=True, slots=True)
class _Ended:
    """What the generator returned: StopIteration cannot cross a future."""

    value: Any


Resume = Callable[[], Awaited | Blocking]


def run(steps: Steps[T]) -> T:
    """All of it on this thread, with its database connection and its transaction."""
    resume: Resume = partial(steps.send, None)
    while not isinstance(step := _advance(resume), _Ended):
        resume = _resume(steps, step)
    result: T = step.value
    return result


async def arun(steps: Steps[T], owner: Hashable) -> T:
    """What computes in the searching threads, what waits on the loop or in the waiting threads.

    `owner`, an organization, waits in a line of its own for each of them (`config.concurrency.turns`).
    """
    resume: Resume = partial(steps.send, None)
    while not isinstance(step := await in_search(owner, _advance, resume), _Ended):
        if isinstance(step, Blocking):
            resume = await waiting.run(owner, _resume, steps, step)
        else:
            async with (await _IN_FLIGHT.get()).turn(owner):
                resume = await _aresume(steps, step.call())
    result: T = step.value
    return result


def _advance(resume: Resume) -> Awaited | Blocking | _Ended:
    """To the next wait, or to the end."""
    try:
        return resume()
    except StopIteration as end:
        return _Ended(end.value)


def _resume(steps: Steps[Any], step: Awaited | Blocking) -> Resume:
    """How to go on: with the result, or with the error, which the generator may catch where it waited."""
    try:
        result = block_on(step.call()) if isinstance(step, Awaited) else step.call()
    except Exception as error:
        return partial(steps.throw, error)
    return partial(steps.send, result)


async def _aresume(steps: Steps[Any], waited: Awaitable[Any]) -> Resume:
    try:
        result = await waited
    except Exception as error:
        return partial(steps.throw, error)
    return partial(steps.send, result)


_EVERYBODY = 1_000_000  # the network has room for all organizations
_IN_FLIGHT = PerLoop(lambda: Turns(_EVERYBODY, settings.SEARCHES_PER_ORGANIZATION))
