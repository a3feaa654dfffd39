"""The levels of headings that were found in different ways: by the outline, by counting, by their print. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from workers.ingestion.extract.outline.places import CLOSING_RANKS

MAX_HEADING_LEVEL = 9


@dataclass(frozen=True, slots=True)
class FoundHeading:
    """`told` is the level that the outline says, 0 where it says none; `rank` that of its place, 0 of no place."""

    told: int
    rank: int


def levels_of(found: Sequence[FoundHeading]) -> list[int]:
    """Of each heading its depth below those that stand above it."""
    levels: list[int] = []
    open_ones: list[FoundHeading] = []
    for heading in found:
        while open_ones and not _is_above(open_ones[-1], heading):
            open_ones.pop()
        open_ones.append(heading)
        levels.append(min(len(open_ones), MAX_HEADING_LEVEL))
    return levels


def _is_above(upper: FoundHeading, lower: FoundHeading) -> bool:
    if lower.rank in CLOSING_RANKS and upper.rank >= lower.rank:
        return False
    if upper.told and lower.told:
        return upper.told < lower.told or (upper.told == lower.told and 0 < upper.rank < lower.rank)
    if upper.rank and lower.rank:
        return upper.rank < lower.rank
    return bool(upper.told)
