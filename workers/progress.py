"""Progress of commands: one line on a terminal, with the time that is left; silent elsewhere."""

import time

from django.core.management.base import OutputWrapper

from accounts.management.relay.hangup import stop_if_hung_up

WIDTH = 30
EACH_SECOND, EACH_HALF_MINUTE = 1.0, 30.0


class ProgressBar:
    def __init__(self, stream: OutputWrapper, label: str, total: int) -> None:
        self.stream, self.label, self.total = stream, label, total
        self.count = 0
        self.clock = TimeLeft()
        self.live = bool(total) and stream.isatty()

    def step(self, what: str = "") -> None:
        stop_if_hung_up()
        self.count = min(self.count + 1, self.total)
        if self.live:
            filled = WIDTH * self.count // self.total
            left = self.clock.after(self.count, self.total)
            bar = "█" * filled + "·" * (WIDTH - filled)
            self.stream.write(f"\r{self.label} {bar} {self.count}/{self.total} {left:>10} {what[:40]:<40}", ending="")
            self.stream.flush()

    def end(self) -> None:
        if self.live:
            self.stream.write("")


class PacedReport:
    """Of something long: done, altogether, the pace and the time that is left. On a terminal each second in one line,
    elsewhere a line each half minute, so that a log shows that it goes on.

    `unit` is counted in; what was done before the first report is no part of the pace.
    """

    def __init__(self, stream: OutputWrapper, label: str, unit: float, name: str) -> None:
        self._stream, self._label, self._unit, self._name = stream, label, unit, name
        self._live = stream.isatty()
        self._every = EACH_SECOND if self._live else EACH_HALF_MINUTE
        self._first: int | None = None
        self._shown_at = time.monotonic()
        self._clock = TimeLeft()

    def __call__(self, done: int, total: int) -> None:
        stop_if_hung_up()
        if self._first is None:
            self._first, self._clock = done, TimeLeft()
        if time.monotonic() - self._shown_at >= self._every:
            self._shown_at = time.monotonic()
            self._show(done, total)

    def _show(self, done: int, total: int) -> None:
        first = self._first or 0
        pace = (done - first) / self._unit / max(self._clock.seconds(), 1e-3)
        counted = f"{done / self._unit:.0f} of {total / self._unit:.0f} {self._name}"
        line = f"{self._label} {counted}, {pace:.0f}/s, {self._clock.after(done - first, total - first)}"
        self._stream.write(f"\r{line:<70}" if self._live else line, ending="" if self._live else None)
        self._stream.flush()

    def end(self) -> None:
        if self._live:
            self._stream.write("")


class TimeLeft:
    """How long the rest takes at the pace so far."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self._started

    def after(self, done: int, total: int) -> str:
        """`40 s left`, `12 min left`, `1.5 h left`; empty before anything is done and at the end."""
        if not 0 < done < total:
            return ""
        seconds = (time.monotonic() - self._started) / done * (total - done)
        if seconds < 90:
            return f"{seconds:.0f} s left"
        return f"{seconds / 60:.0f} min left" if seconds < 5_400 else f"{seconds / 3_600:.1f} h left"
