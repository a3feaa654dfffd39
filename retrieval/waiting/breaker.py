"""A circuit breaker: after some failures in a row a dead server costs a question nothing (RELIABILITY, faults)."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

from config.metrics.searching import BREAKERS_OPEN, BREAKERS_OPENED


class CircuitBreaker:
    """Closed at first; `failures` in a row open it for `seconds`, after which single trials decide. `service`, a word
    of ours, is what it is told of as in the metrics.

    While open, `allows()` is False. When the time is up it lets one caller through and stays open for the
    others for another `seconds`, or until that caller reports. Safe to share between threads.
    """

    def __init__(
        self,
        service: str,
        failures: int = 3,
        seconds: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._gauge, self._count = BREAKERS_OPEN.labels(service), BREAKERS_OPENED.labels(service)
        self._limit, self._seconds, self._clock = failures, seconds, clock
        self._failed = 0
        self._open_until = 0.0
        self._lock = threading.Lock()

    def allows(self) -> bool:
        with self._lock:
            if self._failed < self._limit:
                return True
            now = self._clock()
            if now < self._open_until:
                return False
            self._open_until = now + self._seconds
            return True

    def succeeded(self) -> None:
        with self._lock:
            if self._failed >= self._limit:
                self._gauge.dec()
            self._failed = 0

    def failed(self) -> None:
        with self._lock:
            self._failed += 1
            if self._failed == self._limit:
                self._gauge.inc()
                self._count.inc()
            if self._failed >= self._limit:
                self._open_until = self._clock() + self._seconds


class Breakers:
    """One for each of many servers: what fails rests alone. The `most` that were asked last are remembered. Safe to
    share between threads."""

    def __init__(self, service: str, seconds: float = 10.0, most: int = 1_000) -> None:
        self._service, self._seconds, self._most = service, seconds, most
        self._known: OrderedDict[Hashable, CircuitBreaker] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, server: Hashable) -> CircuitBreaker:
        with self._lock:
            if server not in self._known:
                self._known[server] = CircuitBreaker(self._service, seconds=self._seconds)
            self._known.move_to_end(server)
            self._forget(len(self._known) - self._most)
            return self._known[server]

    def clear(self) -> None:
        with self._lock:
            self._forget(len(self._known))

    def _forget(self, count: int) -> None:
        for _each in range(count):
            self._known.popitem(last=False)[1].succeeded()  # or the metrics would go on counting it as open
