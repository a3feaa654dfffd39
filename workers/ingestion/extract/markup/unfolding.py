"""What unfolds on a page, `<details>` with its `<summary>`: which summaries are headings, and below which; pure.

A heading holds for all text down to the next one. So what unfolds in the midst of a section has none, nor what does
alone behind its text (the solutions of exercises), unless it asks: that is a list of questions, whose last one may well
be followed by a closing word.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise

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
        begun = [number for number, line in enumerate(self.lines) if line.startswith("#") and not self._depths[number]]
        for first, last in pairwise((-1, *begun, len(self.lines))):
            own = [number for number in range(first + 1, last) if number in summaries]
            if own:
                outer = [number for number in own if self._depths[number] <= 1]
                is_alone = not self._has_text(first + 1, own[0]) or len(outer) > 1
                are_all = is_alone and not self._has_text(own[0] + 1, last)
                found.update(number for number in own if are_all or "?" in self.lines[number])
        return found

    def _has_text(self, first: int, last: int) -> bool:
        """Outside of what unfolds; a rule is none."""
        return any(
            not self._depths[number] and any(map(str.isalnum, self.lines[number])) for number in range(first, last)
        )

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
