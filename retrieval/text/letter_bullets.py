"""The letter "o" as a bullet, as manual pages print it; in Spanish it is a word. Pure."""

from collections.abc import Sequence

BULLET = "o "
FEWEST = 2


def has_letter_bullets(lines: Sequence[str]) -> bool:
    """Whether "o" begins lines more often than it stands within them, as no word does."""
    begun = sum(line.lstrip().startswith(BULLET) for line in lines)
    return begun >= FEWEST and begun > sum(line.count(f" {BULLET}") for line in map(str.lstrip, lines))
