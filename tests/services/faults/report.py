"""What `make chaos` measured, as a table; docs/reliability.md keeps it between two marks."""

import os
import statistics
import time
from collections import defaultdict
from dataclasses import dataclass, field

from tests.services.faults.trial import Fault, Outcome
from tests.services.servers import ROOT

DOCUMENT = ROOT / "docs" / "reliability.md"
BEGINS, ENDS = "<!-- make chaos writes from here -->", "<!-- to here -->"
MODES = ("alone", "backlog", "pairs")


@dataclass
class Report:
    """Runs by fault and mode. `failures`: what was lost, doubled, stuck or not as expected, with where."""

    runs: dict[tuple[str, str], list[Outcome]] = field(default_factory=lambda: defaultdict(list))
    lacks: dict[str, str] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)

    def add(self, mode: str, faults: tuple[Fault, ...], outcome: Outcome) -> None:
        self.loads.append(os.getloadavg()[0])
        for one in faults:
            self.runs[one.name, mode].append(outcome)
        names = " + ".join(one.name for one in faults)
        self.failures += [f"{names} ({mode}): {told}" for told in outcome.faults]

    def table(self) -> str:
        names = list(dict.fromkeys(name for name, _mode in self.runs))
        lines = [
            "| fault | "
            + " | ".join(f"{mode}: runs, median, most (s)" for mode in MODES)
            + " | lost, doubled, stuck |",
            "| --- |" + " --- |" * (len(MODES) + 1),
        ]
        for name in sorted(names):
            cells = [self.cell(name, mode) for mode in MODES]
            outcomes = [one for mode in MODES for one in self.runs.get((name, mode), [])]
            bad = [sum(len(kind(one)) for one in outcomes) for kind in (_lost, _duplicated, _stuck)]
            lines.append(f"| {name} | {' | '.join(cells)} | {', '.join(map(str, bad))} |")
        return "\n".join(lines)

    def cell(self, name: str, mode: str) -> str:
        seconds = [one.recovered for one in self.runs.get((name, mode), [])]
        return f"{len(seconds)}, {statistics.median(seconds):.1f}, {max(seconds):.1f}" if seconds else "—"

    def told(self, *, finished: bool) -> str:
        runs = sum(len(outcomes) for outcomes in self.runs.values())
        load = f"{statistics.median(self.loads):.1f}" if self.loads else "?"
        lines = [
            f"Measured {time.strftime('%Y-%m-%d')} on {os.cpu_count()} cores with a median load of {load}: {runs}"
            f" faults injected{'' if finished else ', before the campaign was ended'}.",
            "",
            self.table(),
        ]
        lines += ["", *(f"- Not shown here: {name}: {reason}" for name, reason in self.lacks.items())] * bool(
            self.lacks
        )
        lines += ["", "Not as it should be:", "", *(f"- {one}" for one in self.failures)] * bool(self.failures)
        return "\n".join(lines)

    def write(self, *, finished: bool) -> None:
        text = DOCUMENT.read_text(encoding="utf-8")
        before, rest = text.split(BEGINS)
        _former, after = rest.split(ENDS)
        DOCUMENT.write_text(f"{before}{BEGINS}\n\n{self.told(finished=finished)}\n\n{ENDS}{after}", encoding="utf-8")


def _lost(one: Outcome) -> list[str]:
    return one.lost


def _duplicated(one: Outcome) -> list[str]:
    return one.duplicated


def _stuck(one: Outcome) -> list[str]:
    return one.stuck
