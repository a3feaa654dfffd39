"""`make chaos`: every fault twenty times alone, with a backlog, and beside another; writes docs/reliability.md's table.

    python -m tests.services.faults [--times 20] [--only NAME…] [--modes alone backlog pairs] [--minutes N]

It says after each run what it measured and about how long the rest will take, and ends by itself, also after so many
minutes, with the table of what it has seen by then. Its exit code is 1 when anything was lost, doubled or stuck.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import django


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--only", nargs="+", default=[])
    parser.add_argument("--modes", nargs="+", default=["alone", "backlog", "pairs"])
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is ended, whoever says so
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("TEST_SERVICES", "1")
    django.setup()
    from tests.fakes.fixtures import running_model_server
    from tests.services.faults.ground import Ground

    folder = Path(tempfile.mkdtemp(prefix="acervo-chaos-"))
    folder.chmod(0o711)
    try:
        with running_model_server() as model, Ground(folder, model) as ground:
            return Campaign(ground, options).carried_out()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Campaign:
    """All runs, in rounds, so that an early end has seen every fault."""

    def __init__(self, ground: "Ground", options: argparse.Namespace) -> None:  # noqa: F821 - after django.setup()
        from tests.services.faults.report import Report
        from tests.services.faults.rows import load

        self.ground, self.options, self.report = ground, options, Report()
        faults = {name: one for name, one in load().items() if not options.only or name in options.only}
        for name, one in faults.items():
            if one.lacking in ground.lacks:
                self.report.lacks[name] = ground.lacks[one.lacking]
                say(f"NOT SHOWN: {name}: {ground.lacks[one.lacking]}")
        self.faults = [one for name, one in faults.items() if name not in self.report.lacks]
        self.ends_at = time.monotonic() + options.minutes * 60 if options.minutes else float("inf")

    def carried_out(self) -> int:
        self.began, self.done = time.monotonic(), 0
        self.wanted = self.options.times * len(self.options.modes) * len(self.faults)
        for number in range(self.options.times):
            for mode in self.options.modes:
                self.round(mode, number)
        self.report.write(finished=self.done == self.wanted)
        say(self.report.table())
        return 1 if self.report.failures else 0

    def round(self, mode: str, number: int) -> None:
        from tests.services.faults.trial import backlog

        if time.monotonic() > self.ends_at:
            return
        self.ground.model.reset()
        crowd = backlog(self.ground, 200) if mode == "backlog" else nullcontext(self.ground.model.reset)
        with crowd as prepare:
            for faults in self.groups(mode, number):
                if time.monotonic() > self.ends_at:
                    return
                self.run(mode, faults, prepare)

    def groups(self, mode: str, number: int) -> Iterator[tuple["Fault", ...]]:  # noqa: F821
        """Each fault once; of pairs, each with another in every round."""
        from tests.services.faults.rows import in_turn

        order = list(self.faults)
        random.Random(self.options.seed + number).shuffle(order)
        if mode != "pairs":
            yield from ((one,) for one in order)
            return
        while order:
            first = order.pop()
            free = [one for one in order if not one.hurts & first.hurts]
            if free:
                order.remove(free[0])
                yield in_turn(first, free[0])

    def run(self, mode: str, faults: tuple["Fault", ...], prepare: Callable[[], object]) -> None:  # noqa: F821
        from tests.services.faults.trial import Outcome, run

        names = " + ".join(one.name for one in faults)
        try:
            prepare()
            outcome = run(self.ground, *faults)
        except Exception as error:  # the next fault is to be seen all the same
            outcome = Outcome(0.0, [], [], [f"the run itself ended: {error!r}"[:400]], [])
        self.done += len(faults)
        self.report.add(mode, faults, outcome)
        self.report.write(finished=False)
        each = (time.monotonic() - self.began) / self.done
        left = min(each * (self.wanted - self.done), self.ends_at - time.monotonic())
        told = "; ".join(outcome.faults) or "nothing lost, doubled or stuck"
        said = f"{self.done}/{self.wanted} {mode}: {names}: {outcome.recovered:.1f} s, {told}"
        say(f"{said} (about {left / 60:.0f} min left)")
        self.revive()

    def revive(self) -> None:
        """What a run that ended early has left dead runs again."""
        services = self.ground.services
        for one in (*services.all, *self.ground.processes()):
            if one.process is None or one.process.poll() is not None:
                one.start()
            else:
                one.thaw()


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
