"""What of a passage answers as it is laid out: numbered steps in their order, a table's row under its header. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agents.llm.base import Passage
from agents.llm.quoting.question_kinds import Wish, kind_of_question
from retrieval.confidence.coverage import Wanted

MOST_STEPS, LONGEST_STEP = 10, 300
MOST_LINES = 2_000  # of a passage
ENOUGH = 0.5  # of the question, in the steps and what introduces them
ROW_ENOUGH = 0.6  # of it, in the row and its header
LONGEST_ROW = 400
MARGIN = 0.1  # by which a row must beat the best sentence

_STEP = re.compile(r"^\s{0,9}(\d{1,2})[.)º]\s{1,9}(\S.*)$")
_RULE = re.compile(r"^[|:\s-]{3,}$")


@dataclass(frozen=True, slots=True)
class Laid:
    """Lines to quote, as Markdown, of passage `n`."""

    n: int
    lines: tuple[str, ...]
    share: float


def steps_for(question: str, passages: Sequence[Passage], wanted: Wanted) -> Laid | None:
    """The numbered steps that the question asks for."""
    if kind_of_question(question) is not Wish.STEPS:
        return None
    found = [one for passage in passages for one in _steps(passage, wanted)]
    best = max(found, key=lambda one: one.share, default=None)
    return best if best and best.share >= ENOUGH else None


def _steps(passage: Passage, wanted: Wanted) -> Iterator[Laid]:
    lines = [line for line in passage.text.splitlines()[:MOST_LINES] if line.strip()]
    steps: list[str] = []
    lead = ""
    for place, line in enumerate([*lines, ""]):
        step = _STEP.match(line)
        if step and int(step[1]) == len(steps) + 1:
            lead = lead if steps else " ".join(lines[max(0, place - 2) : place])
            steps.append(" ".join(step[2].split())[:LONGEST_STEP])
            continue
        if len(steps) > 1:
            shown = [f"{number}. {text} [{passage.n}]" for number, text in enumerate(steps[:MOST_STEPS], 1)]
            yield Laid(passage.n, tuple(shown), wanted.share(" ".join((lead, *steps))))
        steps = []


def row_for(passages: Sequence[Passage], wanted: Wanted, best: float) -> Laid | None:
    """The table's row that has more of the question than any sentence does: `best` is the most that one has."""
    rows = [one for passage in passages for one in _rows(passage, wanted)]
    row = max(rows, key=lambda one: one.share, default=None)
    return row if row and row.share >= max(ROW_ENOUGH, best + MARGIN) else None


def _rows(passage: Passage, wanted: Wanted) -> Iterator[Laid]:
    header: list[str] = []
    for line in passage.text.splitlines()[:MOST_LINES]:
        cells = _cells(line)
        if not cells:
            header = []
        elif not header:
            header = cells
        elif not _RULE.match(line) and len(cells) == len(header):
            share = wanted.share(" ".join((*header, *cells)))
            shown = ("| " + " | ".join(header) + " |", "|" + "---|" * len(header))
            yield Laid(passage.n, (*shown, "| " + " | ".join(cells) + f" [{passage.n}] |"), share)


def _cells(line: str) -> list[str]:
    line = line.strip()
    if not line.startswith("|") or len(line) > LONGEST_ROW or line.count("|") < 3:
        return []
    return [" ".join(cell.split()) for cell in line.strip("|").split("|")]
