"""What runs by itself, and how often. Overlapping and piled-up calls do nothing (`workers.queue.exclusive`)."""

from collections.abc import Callable
from dataclasses import dataclass

from accounts.tenancy.scope import system_scope
from sign_on.domains import check_again
from workers import datasets
from workers.folders import watched
from workers.jobs import cut
from workers.queue.exclusive import exclusively
from workers.upkeep import bringing, reconcile, space_change, sweep, telling, tidy


@dataclass(frozen=True, slots=True)
class Periodic:
    """One job of the upkeep lane. `at_start`: also when a server with workers of its own begins."""

    name: str
    seconds: float
    work: Callable[[], object]
    at_start: bool = False

    def run(self) -> bool:
        """Do it unless somebody is at it, or has just begun it: messages that piled up are one."""
        return self._run(pause=self.seconds / 2)

    def run_if_missed(self) -> bool:
        """Do it where it should have been begun again by now."""
        return self._run(pause=1.5 * self.seconds)

    @system_scope()
    def _run(self, pause: float) -> bool:
        with exclusively(f"periodic:{self.name}", pause=pause) as alone:
            if alone:
                self.work()
        return alone


def keep_tidy() -> None:
    tidy.tidy_up()
    cut.cut_anew()
    datasets.remove_erased()
    check_again()


def optimize() -> None:
    tidy.refresh_statistics()
    tidy.optimize_index()


SCHEDULE = {
    one.name: one
    for one in (
        Periodic("sweep", sweep.SECONDS, sweep.sweep, at_start=True),
        Periodic("tell_webhooks", telling.SECONDS, telling.tell_webhooks, at_start=True),
        Periodic("optimize", 30.0, optimize),
        Periodic("watch_folder", 60.0, watched.synchronize_all, at_start=True),
        Periodic("change_space", 60.0, space_change.advance, at_start=True),
        Periodic("reconcile", 6 * 3600.0, reconcile.reconcile),
        Periodic("tidy", 3600.0, keep_tidy),
        Periodic("bring_from_buckets", bringing.SECONDS, bringing.bring_from_buckets, at_start=True),
    )
}
