"""The part of a passage that shows why it was found: the window with most of the question's words. Pure."""

import re
from functools import lru_cache
from typing import AnyStr

from retrieval.text.folding import words_only
from retrieval.text.lines.sentences import SENTENCE_END
from retrieval.text.stems import asked_stems

SNIPPET_WIDTH = 240
LEAD = 0.3  # of the window may stand before the first of the words that it is for
OCCURRENCES = 20  # of each stem: a word that stands everywhere does not decide
ELLIPSIS = "…"
_SIGNS = re.compile(r"^[ \t]{0,9}(?:#{1,6}[ \t]+|>[ \t]|[-*+][ \t]+(?=\w)|[-|: \t]{3,99}$|`{3}|~{3})", re.M)

StemPlace = tuple[int, int]  # the character, and which of the stems


def snippet(question: str, text: str, width: int = SNIPPET_WIDTH) -> str:
    """At most `width` characters of `text` on one line: whole words, an ellipsis where something is left out.

    The window has as many different stems of the question as any, and is the earliest of those; without any it is the
    beginning. It begins with a sentence where one begins shortly before those words.
    """
    if len(text) <= width:
        return _on_one_line(text)
    room = width - 2 * len(ELLIPSIS)
    lead = int(LEAD * room)
    place = _densest(_places(_stems(question), text), room - lead)
    earliest = max(0, min(place - lead, len(text) - room))
    return _window(text, _beginning(text, earliest, place), room)


_stems = lru_cache(maxsize=256)(asked_stems)


def _places(wanted: tuple[str, ...], text: str) -> list[StemPlace]:
    """Where a word begins with a stem, in order. In other scripts than Latin anywhere in a word."""
    folded = b" " + words_only(text)
    lowered = "" if all(map(str.isascii, wanted)) else text.lower()
    places: list[StemPlace] = []
    for number, stem in enumerate(wanted):
        if stem.isascii():
            places += [(place, number) for place in _all(folded, b" " + stem.encode())]
        else:
            places += [(place, number) for place in _all(lowered, stem)]
    return sorted(places)


def _all(text: AnyStr, part: AnyStr) -> list[int]:
    found: list[int] = []
    place = text.find(part)
    while place >= 0 and len(found) < OCCURRENCES:
        found.append(place)
        place = text.find(part, place + 1)
    return found


def _densest(places: list[StemPlace], reach: int) -> int:
    """The place from which most different stems stand within `reach` characters; 0 without any."""
    best, most, last = 0, 0, 0
    inside: dict[int, int] = {}
    for place, number in places:
        while last < len(places) and places[last][0] < place + reach:
            inside[places[last][1]] = inside.get(places[last][1], 0) + 1
            last += 1
        if len(inside) > most:
            best, most = place, len(inside)
        inside[number] -= 1
        if not inside[number]:
            del inside[number]
    return best


def _beginning(text: str, earliest: int, place: int) -> int:
    """Where the last sentence between the two begins, else the first word."""
    if earliest == 0:
        return 0
    ends = [match.end() for match in SENTENCE_END.finditer(text, earliest, max(earliest, place))]
    if ends:
        return ends[-1]
    return next((n for n in range(earliest, place) if text[n].isspace()), earliest)


def _window(text: str, start: int, room: int) -> str:
    """Up to `room` characters from `start` to the end of a word; a word that is longer than all of it is cut."""
    end = start + room
    piece = text[start:end]
    if end < len(text) and not text[end].isspace():
        piece = piece.rsplit(None, 1)[0] if len(piece.split()) > 1 else piece
    before, after = ELLIPSIS if text[:start].strip() else "", ELLIPSIS if text[end:].strip() else ""
    return f"{before}{_on_one_line(piece)}{after}"


def _on_one_line(piece: str) -> str:
    """As it is read: without the signs that Markdown begins a line with, its rules and its emphasis."""
    return " ".join(_SIGNS.sub("", piece).replace("**", "").split())
