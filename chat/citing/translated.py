"""Where a passage has the figures of a claim in another language, whose words cannot be held against it; pure.

A translation says other words, and the same figures. So these are held against the passage: of a claim with one that
the passage has nowhere, nothing supports it. What a translation writes otherwise is not asked for: ones and twos
("twice"), the time of a day ("3 pm"), and of millions and billions only the figures that count.
"""

import re
from collections.abc import Iterator

from chat.citing.matching import WINDOW, Read, without_addresses
from chat.citing.saying import Said, figures, said_in
from retrieval.text.folding import fold
from retrieval.text.references import number_of
from retrieval.text.sentences import Span
from retrieval.text.stems import WORD

COMPARED = {"es", "en"}  # languages whose numbers in words are known
_SAID_OTHERWISE = {"0", "1", "2"}
_TIME = re.compile(r"(?<!\d)\d{1,2}:\d{2}(?!\d)")
_MARK_OF_ITEM = re.compile(r"\s*\d{1,3}[.)]\s")
_LARGE = re.compile(r"(?<![\d.,])\d{1,9}(?:[.,]\d{1,9}){0,3}(?=\s?(?:mil|mill\w{1,8}|bill\w{1,8}|thousand|bn|[kM])\b)")


def figures_in(claim: str) -> frozenset[str]:
    """Those that a passage in another language has to have, too."""
    plain = _TIME.sub(" ", without_addresses(claim))
    item = _MARK_OF_ITEM.match(plain)
    return frozenset(figures(plain[item.end() if item else 0 :])) - _SAID_OTHERWISE


def span_with_figures(claim: str, read: Read) -> Span | None:
    """The fewest sentences of the passage with all of the claim's figures; None where one is nowhere in it.

    The whole passage for a claim without figures, and where several sentences have them and none more of its names.
    """
    wanted, whole = figures_in(claim), (0, len(read.text.rstrip()))
    if not wanted:
        return whole
    if not _are_there(wanted, claim, read.text):
        return None
    names = said_in(claim).stems
    for size in range(1, WINDOW + 1):
        found = sorted(_with_figures(wanted, names, size, read), reverse=True)
        if found:
            return found[0][1] if len(found) == 1 or found[0][0] > found[1][0] else whole
    return whole


def _are_there(wanted: frozenset[str], claim: str, passage: str) -> bool:
    there = said_in(passage).numbers | _in_roman(passage)
    large, large_there = _large_in(claim), _large_in(passage)
    return all(one in there or any(_is_same_amount(one, two, large, large_there) for two in there) for one in wanted)


def _is_same_amount(one: str, two: str, large: set[str], large_there: set[str]) -> bool:
    """Whether one may be the other in thousands, millions or billions: 2.5 billion and 2.500 millones."""
    return _that_count(one) == _that_count(two) and (one in large or two in large_there)


def _with_figures(wanted: frozenset[str], names: frozenset[str], size: int, read: Read) -> Iterator[tuple[int, Span]]:
    """With how many of the names each has."""
    for first in range(len(read.spans) - size + 1):
        window: list[Said] = read.said[first : first + size]
        if wanted <= frozenset().union(*(one.numbers for one in window)):
            shared = names & frozenset().union(*(one.stems for one in window))
            yield len(shared), (read.spans[first][0], read.spans[first + size - 1][1])


def _in_roman(text: str) -> set[str]:
    """ "Siglo XX" is the 20th century."""
    capitals = (word for word in WORD.findall(text) if word.isupper())
    return {number for word in capitals if (number := number_of(fold(word))).isdigit()}


def _large_in(text: str) -> set[str]:
    return {number for written in _LARGE.findall(text) for number in figures(written)}


def _that_count(number: str) -> str:
    return number.replace(".", "").strip("0")
