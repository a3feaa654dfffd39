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

LEAST = 0.6  # of the letters: of what is found with less, nobody would see what was meant
WIDE_GAP = 3.0  # times a character's height: between columns, and not between the words of a justified line
MOST_SETTLED = 12  # letters
SAME_LINE = 0.5  # of the lower one of two characters


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
    inked = [at for at in places if at >= 0 and _has_area(page.box(printed.places[at]))]
    if len(inked) < LEAST * (last - first):
        return NOWHERE
    before, after = _signs_around(stored, ours, first, last, (start, end))
    boxes: list[Box] = []
    for run in _runs(inked):
        opens, closes = run[0] == places[0], run[1] == places[-1]
        span = printed.places[run[0]], printed.places[run[1]] + 1
        boxes += _boxes(page, _with_signs(page.text, span, before * opens, after * closes))
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


def _has_area(box: Box) -> bool:
    return box[2] > box[0] and box[3] > box[1]


def _boxes(page: PageCharacters, span: tuple[int, int]) -> Iterator[Box]:
    """One box for each line, or part of one, that these characters are printed in."""
    whole: Box | None = None
    last: Box | None = None
    for index in range(*span):
        box = page.box(index)
        if page.text[index].isspace() or not _has_area(box):
            continue
        if whole and last and _is_beside(last, box, page.width / page.height):
            whole = min(whole[0], box[0]), min(whole[1], box[1]), max(whole[2], box[2]), max(whole[3], box[3])
        else:
            if whole:
                yield whole
            whole = box
        last = box
    if whole:
        yield whole


def _is_beside(one: Box, after: Box, ratio: float) -> bool:
    """Whether two characters are of one line: across the page, or along it, where a text is turned."""
    return _follows(one, after, (0, 1), ratio) or _follows(one, after, (1, 0), 1 / ratio)


def _follows(one: Box, after: Box, axes: tuple[int, int], ratio: float) -> bool:
    """`axes`: along the line, and across it; `ratio`: lengths along it for one of those across it."""
    along, across = axes
    overlap = min(one[across + 2], after[across + 2]) - max(one[across], after[across])
    height = min(one[across + 2] - one[across], after[across + 2] - after[across])
    gap = max(one[along], after[along]) - min(one[along + 2], after[along + 2])
    return overlap >= SAME_LINE * height and gap <= WIDE_GAP * height / ratio
