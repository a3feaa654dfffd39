"""The sentence that a claim in another language is held for: the one with its figures; pure.

A translation says other words and mostly the same figures. What it writes otherwise ("twice", "half", "3 pm") does not
make a claim wrong, so without its figures the whole passage stands for it.
"""

import re

from chat.citing.matching import WINDOW, Read, without_addresses
from chat.citing.saying import figures, said_in
from retrieval.text.lines.sentences import Span

COMPARED = {"es", "en"}  # languages whose numbers in words are known
_MARK_OF_ITEM = re.compile(r"\s*\d{1,3}[.)]\s")


def span_with_figures(claim: str, read: Read) -> Span:
    """The fewest sentences of the passage with all of the claim's figures; the whole passage where it has none, none of
    them have all, or several do and none of these has more of its names."""
    plain = without_addresses(claim)
    item = _MARK_OF_ITEM.match(plain)
    wanted, names = figures(plain[item.end() if item else 0 :]), said_in(claim).stems
    for size in range(1, WINDOW + 1 if wanted else 1):
        found = sorted(_with_figures(wanted, names, size, read), reverse=True)
        if len(found) == 1 or (found and found[0][0] > found[1][0]):
            return found[0][1]
        if found:
            break
    return 0, len(read.text.rstrip())


def _with_figures(wanted: set[str], names: frozenset[str], size: int, read: Read) -> list[tuple[int, Span]]:
    """So many sentences in a row, with how many of the names each has."""
    found = []
    for first in range(len(read.spans) - size + 1):
        window = read.said[first : first + size]
        if wanted <= frozenset().union(*(one.numbers for one in window)):
            shared = names & frozenset().union(*(one.stems for one in window))
            found.append((len(shared), (read.spans[first][0], read.spans[first + size - 1][1])))
    return found
