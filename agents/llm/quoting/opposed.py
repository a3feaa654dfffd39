"""What has the opposite of what is asked for: "con escritorio" is not answered by the row "Sin escritorio". Pure."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from agents.llm.quoting.topic import forms

OPPOSITES = {"con": "sin", "sin": "con", "with": "without", "without": "with"}
_ARTICLES = frozenset({"el", "la", "los", "las", "un", "una", "the", "a", "an"})


def is_opposed(asked: Sequence[str], said: Sequence[str]) -> bool:
    """Whether a text, by its words, has something "without" that the question has "with", or the other way, and nowhere
    as the question has it."""
    there = list(_joined(said))
    return any(
        _has(there, OPPOSITES[joint], thing) and not _has(there, joint, thing) for joint, thing in _joined(asked)
    )


def _joined(said: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each such word with the one that it stands before."""
    without_articles = [word for word in said if word not in _ARTICLES]
    return ((joint, thing) for joint, thing in pairwise(without_articles) if joint in OPPOSITES)


def _has(there: Sequence[tuple[str, str]], joint: str, thing: str) -> bool:
    return any(one == joint and not forms(thing).isdisjoint(forms(other)) for one, other in there)
