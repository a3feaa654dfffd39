"""What an answer claims with each of its citations; pure."""

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from typing import NamedTuple

from chat.rendering.citations import CITATION, MOST_CITATIONS, numbers_in
from chat.rendering.code_spans import code_spans
from retrieval.text.lines.sentences import SENTENCE_END

LONGEST_CLAIM = 1_000  # characters, the last ones before the citation
FEWEST_WORDS = 3  # a piece of a sentence with fewer does not say it by itself: "and B [2]"
_LINE_START = re.compile(r"^[^\S\n]{0,9}(?:[-*+•]|\d{1,3}[.)]|#{1,6}|>|\|)[^\S\n]|\n[^\S\n]*(?=\n)", re.M)
_WORD = re.compile(r"\w+")
# What stands in quotation marks on one line is said as one, however many sentences it has.
_QUOTATION = re.compile(r"«[^«»\n]{1,1000}»|“[^“”\n]{1,1000}”|\"[^\"\n]{1,1000}\"")


class CitedClaim(NamedTuple):
    """`text` says what passage `n` is cited for; `whole` is the sentence up to there, if `text` is only its end;
    `run` is all that its line says since the citation before, of which it may be a quotation."""

    n: int
    text: str
    whole: str
    run: str


def claims_in(answer: str, available: Collection[int]) -> list[CitedClaim]:
    """One for each citation, in the order and the number of `citations_in`."""
    groups = [found for found in CITATION.finditer(_without_code(answer)) if any(numbers_in(found[1], available))]
    spoken = _blanked(answer, groups)
    lines = sorted({0, *_line_starts(spoken)})
    edges = sorted({*lines, *_sentence_ends(spoken)})
    claims: list[CitedClaim] = []
    said, before = ("", "", ""), 0
    for group in groups:
        end = len(spoken[: group.start()].rstrip())
        if end > before:  # else it is cited together with the one before
            start = max(_last(edges, end), end - LONGEST_CLAIM)
            run = spoken[max(_last(lines, end), before, end - LONGEST_CLAIM) : end]
            said = *_claimed(spoken[max(start, before) : end], spoken[start:end]), run.strip()
        before = group.end()
        claims += [CitedClaim(n, *said) for n in dict.fromkeys(numbers_in(group[1], available))]
    return claims[:MOST_CITATIONS]


def _last(edges: Sequence[int], end: int) -> int:
    """Of those before `end`."""
    return edges[bisect_right(edges, end - 1) - 1]


def _claimed(piece: str, sentence: str) -> tuple[str, str]:
    piece, sentence = piece.strip(), sentence.strip()
    return (piece if len(_WORD.findall(piece)) >= FEWEST_WORDS else sentence), sentence


def _sentence_ends(text: str) -> set[int]:
    """Those outside quotations, and those that a quotation ends with."""
    quoted = [found.span() for found in _QUOTATION.finditer(text)]
    starts = [start for start, _ in quoted]
    ends = {found.end() for found in SENTENCE_END.finditer(text)}
    return {end for end in ends if not _is_inside(end, quoted, bisect_right(starts, end) - 1)}


def _is_inside(place: int, spans: Sequence[tuple[int, int]], nearest: int) -> bool:
    return nearest >= 0 and spans[nearest][0] < place < spans[nearest][1]


def _line_starts(text: str) -> set[int]:
    return {found.end() for found in _LINE_START.finditer(text)}


def _without_code(text: str) -> str:
    """The same with spaces for the code, in which nothing is cited."""
    pieces, position = [], 0
    for start, end in code_spans(text):
        pieces += [text[position:start], " " * (end - start)]
        position = end
    return "".join([*pieces, text[position:]])


def _blanked(text: str, groups: Collection[re.Match[str]]) -> str:
    """The same with spaces for the citations."""
    pieces, position = [], 0
    for group in groups:
        pieces += [text[position : group.start()], " " * (group.end() - group.start())]
        position = group.end()
    return "".join([*pieces, text[position:]])
