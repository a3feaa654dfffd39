"""Which sentences of a passage support a claim: its very words, or enough of what it says; pure.

A claim that stands in the passage word for word is supported by the sentence where it stands. Any other is held against
each sentence, and up to WINDOW of them together, by the share of its words that they have; numbers and names weigh
double. Its numbers must all be there, and nothing may be denied on one side alone. Below ENOUGH nothing supports it.
What is quoted with something left out ("… the loan […] is free …") is looked for piece by piece.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property

from chat.citing.saying import DENIALS, Said, said_in
from retrieval.text.folding import fold
from retrieval.text.lines.sentences import Span, below_title, statements
from retrieval.text.stems import WORD, stem, words

ENOUGH = 0.55  # of what a claim says
FROM_SEVERAL = 0.62  # of what it says, where no single sentence has enough
WINDOW = 3  # sentences that may support a claim together
LONGEST = 900  # characters of them
WIDEST = 3  # times its length, to which a quotation of several sentences grows
MOST_PIECES = 8  # of a quotation
SHORTEST_QUOTE = 12  # letters and figures of a claim that may be looked for word for word
NEAREST_BEATS = 0.04  # what a further sentence must add
LONGEST_LOOKED_AT = 20_000  # characters of a passage
MOST_SENTENCES = 400  # of it
LONGEST_CLAIM = 1_000
HEAVY, LIGHT = 2.0, 1.0
WORDS_BEFORE = 40  # characters before a quote that may deny it

_NAME = re.compile(r"(?<=[^\s.:;!?¿¡«\"“(])\s+([A-ZÁÉÍÓÚÜÑ][\w.-]+)")
_MARKUP = re.compile(r"[*_`#>|~\\]")
_LINKED_TO = re.compile(r"\]\([^)\n]{0,300}\)")  # the address of a Markdown link, which nobody reads
_MARK = re.compile(r"(?:[-*+•▪◦–—>]|#{1,6})\s{1,9}")
_QUOTED = re.compile(r"[«\"“]([^«»\"“”]{20,600})[»\"”]")
_ELISION = re.compile(r"\[(?:…|\.{3})\]|…|\.{3}")


class Read:
    """A passage that claims are held against: read once, however many there are."""

    def __init__(self, text: str) -> None:
        self.text = text[:LONGEST_LOOKED_AT]
        self.spans = statements(self.text)[:MOST_SENTENCES]
        self.letters, self.places = _letters(without_addresses(self.text))

    @cached_property
    def said(self) -> list[Said]:
        return [said_in(self.text[start:end]) for start, end in self.spans]


def supporting_span(claim: str, read: Read) -> Span | None:
    """Characters of the passage that support the claim; None where nothing does."""
    for quote in quotes_in(claim):
        if span := quoted_span(quote, read):
            return span
    found = _paraphrased(_plain(claim), read)
    return _trimmed(found, read.text) if found else None


def quoted_span(quote: str, read: Read) -> Span | None:
    """Characters of the sentences that have the very words, unless they deny them."""
    place = find_quote(_plain(quote), read)
    if place is None or _is_denied(place, read.text):
        return None
    start, end = _trimmed(_widened(place, read.spans), read.text)
    below = start + below_title(read.text[start:end])
    return (below, end) if below <= place[0] else (start, end)


def quotes_in(claim: str) -> Iterator[str]:
    """What of a claim may stand word for word in a passage: all of it, and what it has in quotation marks."""
    plain = _plain(claim)
    yield plain
    for found in _QUOTED.finditer(plain):
        yield found[1]


def _plain(claim: str) -> str:
    return _MARKUP.sub(" ", without_addresses(claim[:LONGEST_CLAIM]))


def without_addresses(text: str) -> str:
    """With spaces for those of links, so that every other character keeps its place."""
    return _LINKED_TO.sub(lambda found: " " * len(found[0]), text)


def has_something_to_support(claim: str) -> bool:
    """Not "See [1]": something of which a passage could say more or less."""
    said = said_in(claim)
    return bool(said.numbers) or len(said.stems) >= 2


def find_quote(quote: str, read: Read) -> Span | None:
    """Where the words of `quote` stand in the passage, whatever marks, spaces and hyphens of line ends are between.

    Of one with something left out: from its first piece to its last, or its longest where these are far apart.
    """
    pieces = [letters for piece in _ELISION.split(quote, MOST_PIECES) if (letters := _letters(piece)[0])]
    if max(map(len, pieces), default=0) < SHORTEST_QUOTE:
        return None
    places: list[Span] = []
    for letters in pieces:
        place = _find_letters(letters, read, places[-1][1] if places else 0)
        if place is None:
            return None
        places.append(place)
    start, end = places[0][0], places[-1][1]
    if len(places) == 1 or end - start <= LONGEST:
        return start, end
    return max(places, key=lambda one: one[1] - one[0]) if min(map(len, pieces)) >= SHORTEST_QUOTE else None


def _find_letters(wanted: str, read: Read, after: int) -> Span | None:
    """At whole words only, from character `after` on."""
    found = read.letters.find(wanted, bisect_left(read.places, after))
    while found >= 0:
        start, end = read.places[found], read.places[found + len(wanted) - 1] + 1
        if not (read.text[start - 1 : start].isalnum() or read.text[end : end + 1].isalnum()):
            return start, end
        found = read.letters.find(wanted, found + 1)
    return None


def _letters(text: str) -> tuple[str, list[int]]:
    places = [place for place, sign in enumerate(text) if sign.isalnum()]
    return "".join(text[place].lower()[:1] for place in places), places


def _is_denied(place: Span, passage: str) -> bool:
    """ "No se prestan las obras" does not say "se prestan las obras"."""
    before = WORD.findall(fold(passage[max(0, place[0] - WORDS_BEFORE) : place[0]].rpartition(". ")[2]))
    return any(word in DENIALS for word in before[-2:])


def _trimmed(span: Span, passage: str) -> Span:
    """Without the mark of an item or a heading in front."""
    mark = _MARK.match(passage, *span)
    return (mark.end(), span[1]) if mark and mark.end() < span[1] else span


def _widened(place: Span, spans: Sequence[Span]) -> Span:
    """To the sentences that it touches, if these are sentences and not half a page, and nothing much beside it."""
    touched = [span for span in spans if span[0] < place[1] and place[0] < span[1]]
    length = place[1] - place[0]
    most = LONGEST + length if len(touched) == 1 else WIDEST * length
    if not touched or touched[-1][1] - touched[0][0] > most:
        return place
    return touched[0][0], touched[-1][1]


def _paraphrased(claim: str, read: Read) -> Span | None:
    asked = said_in(claim)
    worth = _worths(claim, asked)
    total = sum(worth.values())
    best: tuple[float, Span] | None = None
    for size in range(1, WINDOW + 1) if total else ():
        needed = ENOUGH if size == 1 else FROM_SEVERAL
        for first in range(len(read.spans) - size + 1):
            window = read.said[first : first + size]
            share = _share(worth, window) / total
            if share < needed or (best and share <= best[0] + NEAREST_BEATS * size):
                continue
            start, end = read.spans[_below_headings(read, first, size)][0], read.spans[first + size - 1][1]
            if (size == 1 or end - start <= LONGEST) and _agrees(asked, window):
                best = share, (start, end)
    return best[1] if best else None


def _below_headings(read: Read, first: int, size: int) -> int:
    """The first of so many sentences that is no heading: one says what is spoken of, but is not what is cited."""
    of_text = (n for n in range(first, first + size) if not read.text.startswith("#", read.spans[n][0]))
    return next(of_text, first)


def _worths(claim: str, asked: Said) -> dict[str, float]:
    names = {stem(word) for found in _NAME.finditer(claim) for word in words(found[1])}
    worths = {one: HEAVY if one in names else LIGHT for one in asked.stems}
    return worths | dict.fromkeys(asked.numbers, HEAVY)


def _share(worth: dict[str, float], window: Sequence[Said]) -> float:
    there = frozenset().union(*(one.stems | one.numbers for one in window))
    return sum(value for what, value in worth.items() if what in there)


def _agrees(asked: Said, window: Sequence[Said]) -> bool:
    """Numbers that are claimed are there, and neither side denies what the other says."""
    stems = frozenset().union(*(one.stems for one in window))
    numbers = frozenset().union(*(one.numbers for one in window))
    denied = frozenset().union(*(one.denied for one in window))
    if not asked.numbers <= numbers:
        return False
    if asked.denies and not any(one.denies or one.may_deny for one in window):
        return False
    if not asked.denies and not asked.may_deny and denied & asked.stems:
        return not any(one.denied & asked.stems and len(one.stems & asked.stems) > 1 for one in window)
    return not (asked.denied & stems and denied and not asked.denied & denied)
