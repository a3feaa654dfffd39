"""Progress of commands: one line on a terminal, with the time that is left; silent elsewhere."""

import time

from django.core.management.base import OutputWrapper

from accounts.management.relay.hangup import stop_if_hung_up

WIDTH = 30


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


class TimeLeft:
    """How long the rest takes at the pace so far."""

    def __init__(self) -> None:
        self._started = time.monotonic()

    def after(self, done: int, total: int) -> str:
        """`40 s left`, `12 min left`, `1.5 h left`; empty before anything is done and at the end."""
        if not 0 < done < total:
            return ""
        seconds = (time.monotonic() - self._started) / done * (total - done)
        if seconds < 90:
            return f"{seconds:.0f} s left"
        return f"{seconds / 60:.0f} min left" if seconds < 5_400 else f"{seconds / 3_600:.1f} h left"
