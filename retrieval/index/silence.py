"""A server of the index that has just been silent is left alone for a while instead of costing every question its
second (RELIABILITY, faults); one that ranks wrongly is complained of once a minute."""

import logging
import time
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar
from urllib.parse import urlsplit

from retrieval.index.base import IndexOutdated, IndexRefused, IndexUnavailable
from retrieval.waiting.breaker import CircuitBreaker

logger = logging.getLogger(__name__)
T = TypeVar("T")

LEFT_ALONE_SECONDS = 5.0
COMPLAINED_EVERY = 60.0  # seconds between two lines of the log on a server that is too old
_complained: dict[str, float] = {}


@lru_cache(maxsize=8)
def opening_breaker(url: str) -> CircuitBreaker:
    """One for each server, because an index that could not be opened is thrown away and made again. Opening is
    waited for in line, so the first silence speaks for those behind it."""
    return CircuitBreaker("index opening", failures=1, seconds=LEFT_ALONE_SECONDS)


def calling_breaker(name: str) -> CircuitBreaker:
    """For one kind of call of one index, by the name that metrics know it by: one silence may be an accident."""
    return CircuitBreaker(name, failures=2, seconds=LEFT_ALONE_SECONDS)


def unless_silent(breaker: CircuitBreaker, server: str, request: Callable[[], T]) -> T:
    """`request()`, unless the `server` has just been silent: then unavailable at once."""
    if not breaker.allows():
        raise IndexUnavailable(f"{server} has just failed and is left alone")
    try:
        answer = request()
    except (IndexRefused, IndexOutdated):  # one organization's bad request closes the index for nobody else
        breaker.succeeded()
        raise
    except IndexUnavailable:
        breaker.failed()
        raise
    breaker.succeeded()
    return answer


def shown_place(url: str) -> str:
    """Where a server is, without who asks it: an address may have a user and a password."""
    split = urlsplit(url)
    try:
        port = f":{split.port}" if split.port else ""
    except ValueError:  # a password that is not written as one may be in its place
        return f"{split.scheme}://…"
    host = split.hostname or ""
    return f"{split.scheme}://{f'[{host}]' if ':' in host else host}{port}"


def complain(advice: str) -> None:
    """At the level of a fault, since nothing heals it but an operator; every question would say it otherwise."""
    if time.monotonic() - _complained.get(advice, float("-inf")) >= COMPLAINED_EVERY:
        _complained[advice] = time.monotonic()
        logger.error("%s", advice)
