"""Words looked for inside of one document, whatever their case and accents. Pure."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from accounts.matching import folded
from corpora.reader.reading import Span

MOST_HITS = 200  # that are listed
AROUND = 60  # characters of text that are told on both sides
LONGEST_WANTED = 200


@dataclass(frozen=True, slots=True)
class FoundWords:
    """`place` is the number of its page or section; the words themselves between what stands around them."""

    start: int
    end: int
    place: int
    before: str
    words: str
    after: str


def occurrences(text: str, wanted: str, starts: list[int]) -> list[FoundWords]:
    """The first MOST_HITS places of `wanted`; `starts` are the first characters of pages or sections."""
    found = []
    for start, end in islice(_spans(text, wanted[:LONGEST_WANTED].strip()), MOST_HITS):
        before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
        place = max(bisect_right(starts, start) - 1, 0)
        found.append(FoundWords(start, end, place, _one_line(before), text[start:end], _one_line(after)))
    return found


def _spans(text: str, wanted: str) -> Iterator[Span]:
    there, key = _of_equal_length(text), folded(wanted)
    at = there.find(key) if key else -1
    while at >= 0:
        yield at, at + len(key)
        at = there.find(key, at + len(key))


def _of_equal_length(text: str) -> str:
    """Folded so that places are the same; a text in which accents are letters of their own keeps them."""
    found = folded(text)
    return found if len(found) == len(text) else text


def _one_line(text: str) -> str:
    """With the space at its edges that it has, without the signs that set Markdown."""
    return "".join(" " if sign.isspace() or sign in "*`#|" else sign for sign in text)
