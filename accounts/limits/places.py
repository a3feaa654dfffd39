"""How many of what is heavy a process does at once: whoever only reads keeps the rest of it."""

from collections import Counter
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from threading import Condition

from accounts.problems import Busy
from config.concurrency.pooled import give_back_connection


class Places:
    """`at_once` in a process, `of_one` of them at most in one name; who comes then waits up to `patience` seconds, and
    of those who wait the one is first in whose name least is done."""

    def __init__(self, at_once: int, patience: float, of_one: int | None = None) -> None:
        self._at_once, self._of_one, self._patience = at_once, of_one or at_once, patience
        self._taken: Counter[Hashable] = Counter()
        self._waiting: Counter[Hashable] = Counter()
        self._changed = Condition()

    @contextmanager
    def taken(self, name: Hashable = None) -> Iterator[None]:
        """One of them, waited for without a connection to the database. Raises Busy."""
        if not self._take(name, patience=0.0):
            give_back_connection()
            if not self._take(name, self._patience):
                raise Busy
        try:
            yield
        finally:
            with self._changed:
                self._taken = +(self._taken - Counter([name]))
                self._changed.notify_all()

    def _take(self, name: Hashable, patience: float) -> bool:
        with self._changed:
            self._waiting[name] += 1
            has_come = self._changed.wait_for(lambda: self._is_next(name), patience)
            self._waiting = +(self._waiting - Counter([name]))
            self._taken[name] += has_come
            self._changed.notify_all()
        return has_come

    def _is_next(self, name: Hashable) -> bool:
        held = self._taken[name]
        has_room = self._taken.total() < self._at_once and held < self._of_one
        return has_room and all(self._taken[one] >= held for one in self._waiting)
