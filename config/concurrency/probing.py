"""Questions to services that may be silent, each on a thread of its own: nobody waits long for any of them."""

import threading
import time
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotInTime
from contextvars import copy_context
from typing import TypeVar

from django.db import connections

Name = TypeVar("Name", bound=Hashable)


class Probes:
    """At most one question of a name is under way, however often it is asked: a silent service costs one thread."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._running: dict[Hashable, Future[str]] = {}

    def ask(self, questions: Mapping[Name, Callable[[], str]], seconds: float, silent: str) -> dict[Name, str]:
        """All at once; `silent` is what one has said that did not answer within so many seconds, all in all."""
        until = time.monotonic() + seconds
        asked = {name: self._started(name, question) for name, question in questions.items()}
        return {name: _answer(future, until, silent) for name, future in asked.items()}

    def _started(self, name: Hashable, question: Callable[[], str]) -> "Future[str]":
        with self._starting:
            running = self._running.get(name)
            if running is None or running.done():
                running, context = Future(), copy_context()
                thread = threading.Thread(
                    target=context.run, args=(_put, running, question), name=f"probe-{name}", daemon=True
                )
                try:
                    thread.start()
                except RuntimeError as error:  # no more threads; the next one who asks tries again
                    running.set_exception(NotInTime(str(error)))
                self._running[name] = running
            return running


def _put(future: "Future[str]", question: Callable[[], str]) -> None:
    try:
        future.set_result(question())
    except BaseException as error:
        future.set_exception(error)
    finally:
        connections.close_all()


def _answer(future: "Future[str]", until: float, silent: str) -> str:
    try:
        return future.result(max(0.0, until - time.monotonic()))
    except NotInTime:
        return silent


class Outage:
    """For how long something has been away, as far as this process has asked."""

    def __init__(self) -> None:
        self._since: float | None = None

    def seconds(self, *, away: bool) -> float:
        """Told how it is now; 0.0 while it is there."""
        if not away:
            self._since = None
            return 0.0
        if self._since is None:
            self._since = time.monotonic()
        return time.monotonic() - self._since
