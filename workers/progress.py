"""A progress bar for commands: one line on a terminal, silent elsewhere."""

from django.core.management.base import OutputWrapper

WIDTH = 30


class ProgressBar:
    def __init__(self, stream: OutputWrapper, label: str, total: int) -> None:
        self.stream, self.label, self.total = stream, label, total
        self.count = 0
        self.live = bool(total) and stream.isatty()

    def step(self, what: str = "") -> None:
        self.count = min(self.count + 1, self.total)
        if self.live:
            filled = WIDTH * self.count // self.total
            bar = "█" * filled + "·" * (WIDTH - filled)
            self.stream.write(f"\r{self.label} {bar} {self.count}/{self.total} {what[:40]:<40}", ending="")
            self.stream.flush()

    def end(self) -> None:
        if self.live:
            self.stream.write("")
