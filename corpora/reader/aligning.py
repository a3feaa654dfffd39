"""Where the letters of one text stand in another that says nearly the same. Pure, and linear in both but for a sort.

Of the stored text of a page and the text that is printed on it one has what the other lacks: running heads, hyphens at
a line's end, ligatures, the bars of a table. Letters and digits alone are compared, folded as far as both may differ.
"""

import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

MOST_OF_ONE = 3  # letters of a character: "ffi" of a ligature; one of Arabic is a sentence of eighteen
LENGTHS = (24, 8)  # letters of what must stand once in each text, first in the whole, then between what was found
Gap = tuple[int, int, int, int]  # from and to in ours, from and to in theirs


@dataclass(frozen=True, slots=True)
class Letters:
    """The folded letters and digits of a text, and the character that each is of."""

    text: str
    places: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Which letters belong to characters [start, end)."""
        return bisect_left(self.places, start), bisect_left(self.places, end)


def letters_of(text: str) -> Letters:
    folded: list[str] = []
    places: list[int] = []
    for index, sign in enumerate(text):
        for letter in folded_letters(sign):
            folded.append(letter)
            places.append(index)
    return Letters("".join(folded), places)


@lru_cache(maxsize=4096)
def folded_letters(sign: str) -> str:
    """ "fi" of a ligature, "n" of "ñ", nothing of a bar: without case, marks and width."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", sign).casefold()))[:MOST_OF_ONE]


def aligned(ours: str, theirs: str) -> list[int]:
    """For each letter of `ours` the index of its own in `theirs`, -1 where it has none; indices only rise."""
    found = [-1] * len(ours)
    gaps = [(0, len(ours), 0, len(theirs))]
    for length in LENGTHS:
        remaining: list[Gap] = []
        for gap in gaps:
            remaining += _match(ours, theirs, gap, length, found)
        gaps = remaining
    for first, last, low, high in gaps:
        at = theirs.find(ours[first:last], low, high)
        if at >= 0 and theirs.find(ours[first:last], at + 1, high) < 0:
            found[first:last] = range(at, at + last - first)
    return found


def _match(ours: str, theirs: str, gap: Gap, length: int, found: list[int]) -> Iterator[Gap]:
    """Note what agrees around what stands once in each; yields what is left between.

    That two texts begin alike says nothing by itself: it may be a letter.
    """
    first, last, low, high = gap
    for at, there in _anchors(ours, theirs, gap, length):
        if at < first or there < low:  # reached from the anchor before
            continue
        while at > first and there > low and ours[at - 1] == theirs[there - 1]:
            at, there = at - 1, there - 1
        if at > first and there > low:
            yield first, at, low, there
        while at < last and there < high and ours[at] == theirs[there]:
            found[at] = there
            at, there = at + 1, there + 1
        first, low = at, there
    if first < last and low < high:
        yield first, last, low, high


def _anchors(ours: str, theirs: str, gap: Gap, length: int) -> list[tuple[int, int]]:
    """The longest row of places, rising in both, of pieces that stand once in each."""
    first, last, low, high = gap
    here = _single(ours, first, last, length)
    there = _single(theirs, low, high, length)
    return _rising([(at, there[piece]) for piece, at in here.items() if piece in there])


def _single(text: str, start: int, end: int, length: int) -> dict[str, int]:
    """Pieces that stand once between two places, with where."""
    places: dict[str, int] = {}
    for at in range(start, end - length + 1):
        piece = text[at : at + length]
        places[piece] = -1 if piece in places else at
    return {piece: at for piece, at in places.items() if at >= 0}


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Of pairs with rising firsts the longest row whose seconds rise too (patience sorting)."""
    tops: list[int] = []
    owners: list[int] = []
    before: list[int] = []
    for index, (_, second) in enumerate(pairs):
        pile = bisect_left(tops, second)
        before.append(owners[pile - 1] if pile else -1)
        tops[pile : pile + 1], owners[pile : pile + 1] = [second], [index]
    row = []
    index = owners[-1] if owners else -1
    while index >= 0:
        row.append(pairs[index])
        index = before[index]
    return row[::-1]
