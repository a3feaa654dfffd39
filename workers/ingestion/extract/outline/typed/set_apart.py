"""Headings of a plain text that only their numbers tell, where text stands between them: "8. TRANSLATION". Pure.

Items of a list are numbered, too. They mostly follow one another, go on in the line below, or end as sentences do; a
heading is a line by itself between empty ones, with text before the next of its kind.
"""

from collections import defaultdict
from collections.abc import Sequence

from workers.ingestion.extract.outline.places import DECIMAL_RANK, NumberedPlace, numbered_place
from workers.ingestion.extract.outline.sequences import Candidate, counted_on

LONGEST = 90  # characters of a title
FEWEST = 3
MOSTLY = 0.6  # of the numbered lines that stand so: else they count something else
TEXT_BETWEEN = 0.6  # of neighbours: the rest has only a heading of the next level between them


def set_apart_lines(lines: Sequence[str]) -> dict[int, NumberedPlace]:
    """The numbers of the lines that are such headings, and their places."""
    families: dict[str, list[Candidate]] = defaultdict(list)
    for index, line in enumerate(lines):
        place = numbered_place(line.strip()) if _is_alone(lines, index) else None
        if place and place.rank > DECIMAL_RANK and not place.bare and _is_title(line.strip()[place.end :]):
            families[place.family].append((index, place))
    found: dict[int, NumberedPlace] = {}
    for family in families.values():
        chain = counted_on(family)
        begins = bool(chain) and chain[0][1].number[0] <= 1
        if begins and len(chain) >= max(FEWEST, MOSTLY * len(family)) and _have_text_between(lines, chain):
            found |= dict(chain)
    return found


def _is_alone(lines: Sequence[str], index: int) -> bool:
    """Whether nothing stands right above and right below a line."""
    line = lines[index].strip()
    if not line or len(line) > LONGEST or "  " in line:
        return False
    above, below = lines[index - 1] if index else "", lines[index + 1] if index + 1 < len(lines) else ""
    return not above.strip() and not below.strip()


def _is_title(said: str) -> bool:
    return any(map(str.isalpha, said)) and said[-1:] not in (".", ",", ";", ":", "?", "!")


def _have_text_between(lines: Sequence[str], chain: Sequence[Candidate]) -> bool:
    ends = [index for index, _ in chain[1:]] + [len(lines)]
    followed = [any(map(str.strip, lines[index + 1 : end])) for (index, _), end in zip(chain, ends, strict=True)]
    return sum(followed) >= TEXT_BETWEEN * len(followed)
