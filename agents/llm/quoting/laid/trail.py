"""The headings around a line: those above the passage and, in Markdown, those of higher levels in it. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

ABOVE, INNERMOST = 0, 7  # levels of what stands above the passage, and of a heading that does not tell its own


@dataclass(frozen=True, slots=True)
class Trail:
    """Levels and headings from the outermost to the nearest one."""

    steps: tuple[tuple[int, str], ...] = ()

    def behind(self, line: str, heading: str) -> "Trail":
        """From `heading` on, which the line has."""
        marks = line.lstrip()
        level = len(marks) - len(marks.lstrip("#")) or INNERMOST
        return Trail((*(step for step in self.steps if step[0] < level), (level, heading)))

    @property
    def outer(self) -> str:
        """All but the nearest, or all of them where none stands in the passage yet."""
        return " ".join(heading for _, heading in (self.steps[:-1] if self._has_own else self.steps))

    @property
    def _has_own(self) -> bool:
        return bool(self.steps) and self.steps[-1][0] != ABOVE


def trail_above(headings: Collection[str], printed: Sequence[str]) -> Trail:
    """Of the headings that no line of the passage is; `printed`: its lines without their marks."""
    there = frozenset(printed)
    return Trail(tuple((ABOVE, heading) for heading in headings if heading not in there))
