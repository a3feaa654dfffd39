"""Where on a printed page stands what is stored of it: from characters of the stored text to boxes. Pure.

A sentence that stands once on the page is found as it is. Else the whole page is aligned, so that of equal sentences
the right one is boxed, and one that a running head parts is boxed without it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from corpora.reader.aligning import Letters, aligned, letters_of
from corpora.reader.printed import Box, PageCharacters
from corpora.reader.printed_lines import has_area, lines_among

LEAST = 0.6  # of the letters: of what is found with less, nobody would see what was meant
MOST_SETTLED = 12  # letters


class Match(StrEnum):
    """How much of what was asked for stands in the boxes."""

    EXACT = "exact"  # every letter and digit
    PARTIAL = "partial"  # most of them
    NONE = "none"  # too few: there are no boxes


@dataclass(frozen=True, slots=True)
class Located:
    match: Match
    boxes: tuple[Box, ...] = ()


NOWHERE = Located(Match.NONE)


def locate_on_page(stored: str, start: int, end: int, page: PageCharacters) -> Located:
    """The boxes of characters [start, end) of the stored text of a page."""
    ours, printed = letters_of(stored), letters_of(page.text)
    first, last = ours.span(start, end)
    if first == last:
        return NOWHERE
    places = _places(ours, first, last, printed, page.text)
    inked = [at for at in places if at >= 0 and has_area(page.box(printed.places[at]))]
    if len(inked) < LEAST * (last - first):
        return NOWHERE
    before, after = _signs_around(stored, ours, first, last, (start, end))
    boxes: list[Box] = []
    for run in _runs(inked):
        opens, closes = run[0] == places[0], run[1] == places[-1]
        span = printed.places[run[0]], printed.places[run[1]] + 1
        span = _with_signs(page.text, span, before * opens, after * closes)
        boxes += [line.box for line in lines_among(page, *span)]
    return Located(Match.EXACT if len(inked) == last - first else Match.PARTIAL, tuple(boxes))


def _places(ours: Letters, first: int, last: int, printed: Letters, text: str) -> Sequence[int]:
    """For each of our letters [first, last) its printed one, or -1."""
    key = ours.text[first:last]
    at = printed.text.find(key)
    if at >= 0 and printed.text.find(key, at + 1) < 0:
        return range(at, at + len(key))
    return _settled(aligned(ours.text, printed.text)[first:last], ours.text[first:last], printed, text)


def _settled(places: list[int], key: str, printed: Letters, text: str) -> list[int]:
    """Where a head stands between two words and begins as the second one does, the alignment may have taken its first
    letters for the word's. They belong behind the head if a line ends before them."""
    for index in range(1, len(places)):
        before, after = places[index - 1], places[index]
        if before < 0 or after <= before + 1:
            continue
        for back in range(1, min(MOST_SETTLED, index) + 1):
            one, there = places[index - back], after - back
            if one < 0 or there <= before or printed.text[there] != key[index - back]:
                break
            if back < index and _ends_line(text, printed.places[places[index - back - 1]]):
                places[index - back : index] = range(there, after)
                break
    return places


def _ends_line(text: str, at: int) -> bool:
    following = text[at + 1 : at + 1 + MOST_SETTLED]
    return following.lstrip(" .,;:")[:1] in ("\r", "\n")


def _runs(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """First and last of letters that follow one another as they are printed, without a stranger's between."""
    edges = [0, *(index for index, (one, after) in enumerate(pairwise(places), 1) if after != one + 1), len(places)]
    for start, end in pairwise(edges):
        yield places[start], places[end - 1]


def _signs_around(stored: str, ours: Letters, first: int, last: int, asked: tuple[int, int]) -> tuple[int, int]:
    """How many signs that are no letters belong to what was asked for, before its first letter and after its last."""
    before = stored[asked[0] : ours.places[first]]
    after = stored[ours.places[last - 1] + 1 : asked[1]]
    return len("".join(before.split())), len("".join(after.split()))


def _with_signs(text: str, span: tuple[int, int], before: int, after: int) -> tuple[int, int]:
    """The span with the signs that are printed right before and after it, as many as belong to it."""
    start, end = span
    while before and start and _is_sign(text[start - 1]):
        start, before = start - 1, before - 1
    while after and end < len(text) and _is_sign(text[end]):
        end, after = end + 1, after - 1
    return start, end


def _is_sign(character: str) -> bool:
    return not character.isalnum() and not character.isspace()
