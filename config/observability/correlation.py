"""What ties together the lines of one piece of work, in whichever thread or process they are written.

A request has an id of its caller's or of ours; what it sets off in the background carries it on.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

REQUEST_ID = "X-Request-ID"
SHORTEST, LONGEST = 8, 64  # of an id that is taken from a caller
PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")
HEX = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class Correlation:
    """`traceparent` as W3C's Trace Context has it, of whoever caused this; `task` is a task's name."""

    request_id: str = ""
    traceparent: str = ""
    task: str = ""
    task_id: str = ""

    @property
    def trace_id(self) -> str:
        return self.traceparent[3:35]


NOTHING = Correlation()
_current: ContextVar[Correlation] = ContextVar("correlation", default=NOTHING)


def current_correlation() -> Correlation:
    return _current.get()


@contextmanager
def correlated(correlation: Correlation) -> Iterator[None]:
    token = _current.set(correlation)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def in_task(name: str, task_id: str = "") -> Iterator[None]:
    """A task that nobody's message began: a thread's own work, with an id to tell its lines by."""
    with correlated(Correlation(task=name, task_id=task_id or str(uuid4()))):
        yield


def request_correlation(request_id: str, traceparent: str) -> Correlation:
    """Of a request that says these two of itself; what is not sane is replaced, or left out."""
    return Correlation(sane_id(request_id) or uuid4().hex, sane_traceparent(traceparent))


def cause(traceparent: str = "") -> dict[str, str]:
    """What travels with work that is left to others, small and without anybody's words; empty where there is none.

    `traceparent`: of the span that it hangs on, where spans are made.
    """
    now = current_correlation()
    told = {"request_id": now.request_id, "traceparent": traceparent or now.traceparent}
    return {name: value for name, value in told.items() if value}


def caused_by(told: Mapping[str, Any], task: str = "", task_id: str = "") -> Correlation:
    """The other end of `cause`. Believes nothing: whoever can write to a broker may write anything."""
    return Correlation(
        sane_id(told.get("request_id")), sane_traceparent(told.get("traceparent")), task=task, task_id=task_id
    )


def sane_id(said: Any) -> str:
    """The id if it could be one: 8 to 64 letters, digits, hyphens, underscores, dots; else nothing."""
    is_sane = isinstance(said, str) and SHORTEST <= len(said) <= LONGEST and PLAIN.issuperset(said)
    return said if is_sane else ""


def sane_traceparent(said: Any) -> str:
    """`00-<32 hex>-<16 hex>-<2 hex>`, neither id all zeros; else nothing."""
    if not isinstance(said, str) or len(said) != 55 or not said.startswith("00-"):
        return ""
    parts = said.split("-")
    if [len(part) for part in parts] != [2, 32, 16, 2] or not all(HEX.issuperset(part) for part in parts):
        return ""
    return said if int(parts[1], 16) and int(parts[2], 16) else ""
