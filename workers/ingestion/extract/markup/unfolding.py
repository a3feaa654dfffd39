"""What unfolds on a page, `<details>` with its `<summary>`: which summaries are headings, and below which; pure.

A heading holds for all text down to the next one. So what unfolds in the midst of a section has none, unless it asks:
that is a list of questions, whose last one may well be followed by a closing word.
"""

from collections.abc import Sequence
from itertools import accumulate

OPENED, CLOSED, SUMMARY = "\x01", "\x02", "\x03"  # signs that no tidied source has, in the lines as they are written
_SIGNS = str.maketrans(dict.fromkeys((OPENED, CLOSED, SUMMARY), ""))
DEEPEST = 6


class Unfolding:
    """`lines`: without their signs."""

    def __init__(self, marked: Sequence[str]) -> None:
        self.lines = [line.translate(_SIGNS) for line in marked]
        steps = (line.count(OPENED) - line.count(CLOSED) for line in marked)
        self._depths = [*accumulate(steps, lambda depth, step: max(depth + step, 0))]
        summaries = {number for number, line in enumerate(marked) if SUMMARY in line}
        self._headings = self._headed(summaries)
        self._above = 0  # the level of the last heading
        self._levels = dict[int, int]()  # of the summaries around a line, by how deep they stand in others
        for number in summaries - self._headings:
            self.lines[number] = f"**{self.lines[number]}**"

    def _headed(self, summaries: set[int]) -> set[int]:
        found = set[int]()
        ends_its_section = True  # nothing but what unfolds stands between a line and the next heading
        for number in reversed(range(len(self.lines))):
            line = self.lines[number]
            if number in summaries:
                if ends_its_section or "?" in line:
                    found.add(number)
            elif not self._depths[number] and any(map(str.isalnum, line)):
                ends_its_section = line.startswith("#")
        return found

    def __contains__(self, number: int) -> bool:
        """Whether a line is a summary that is a heading."""
        return number in self._headings

    def level(self, number: int, written: int) -> int:
        """Of the heading in a line, 0 where there is none. `written`: of one that is no summary. In rising order."""
        depth = min(self._depths[number], DEEPEST)
        if written or number in self:
            self._levels = {one: level for one, level in self._levels.items() if one <= depth}
            self._above = written or self._levels.setdefault(depth, min(self._above + 1, DEEPEST))
            return self._above
        return 0
