"""Extractive compression: a passage within fewer tokens, made of its own whole sentences. Pure (SPEC §4).

What is dropped is what matters least to the question, not what happens to stand last. A sentence is worth the share
of the question that it covers, and something of what its neighbours cover: they say of whom and of what it speaks.

Passages stay whole in rank order as far as the budget goes, and the one at the border is compressed
(`context.budget.fit`). Share of XQuAD's questions (whole articles, chunks of 800 tokens, lexical) whose answer is in
the context, by budget; "each": every passage compressed to its part of the budget:

                es: 250   500  1000  2000    en: 250   500  1000  2000
    cut at the end  .393  .724  .953  .968      .412  .743  .960  .973
    each            .800  .923  .965  .971      .886  .948  .973  .973
    this            .919  .941  .966  .970      .933  .953  .968  .973
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from math import ceil

from retrieval.confidence.coverage import Wanted
from retrieval.results import RetrievedChunk

ELISION = "[…]"
ELISION_TOKENS = 3
NEIGHBOURS_SHARE = 0.25
# A sentence ends at its mark (and what closes after it) before white space, or at an empty line. Not at the point of an
# abbreviation or an initial, nor before a figure: "Art. 14.2".
_ABBREVIATIONS = ("Art", "art", "Sr", "Sra", "Dr", "Dra", "Mr", "Mrs", "Ms", "St", "núm", "Fig", "fig", "cf", "vs")
_NO_END = "".join(rf"(?<!\b{short}\.)" for short in (*_ABBREVIATIONS, "[A-Z]"))
SENTENCE_END = re.compile(rf"[.!?…]{_NO_END}[\"'»”’)\]]*(?=\s)(?!\s+\d)|(?=\n\s*\n)")
SHORTEST = 20  # characters; what is shorter, such as the number of a section, belongs to the sentence behind it

Span = tuple[int, int]


def sentences(text: str) -> list[Span]:
    """Where each sentence is, without the white space around it, in order."""
    edges = [0]
    for match in SENTENCE_END.finditer(text):
        if match.end() - edges[-1] >= SHORTEST:
            edges.append(match.end())
    spans = (_stripped(text, start, end) for start, end in pairwise((*edges, len(text))))
    return [span for span in spans if span[0] < span[1]]


def _stripped(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))


def compressed(passage: RetrievedChunk, tokens: int, wanted: Wanted) -> RetrievedChunk | None:
    """The passage in at most `tokens`, elisions marked, offsets unchanged; None if no sentence fits.

    Tokens are estimated by the share of characters.
    """
    spans = sentences(passage.text)
    worth = _worth([wanted.share(passage.text[start:end]) for start, end in spans])
    a_character = passage.token_count / max(1, len(passage.text))
    smallest = min((end - start for start, end in spans), default=0) * a_character - ELISION_TOKENS
    chosen: list[int] = []
    spent = 0
    for candidate in sorted(range(len(spans)), key=lambda n: (-worth[n], n)):
        trial = sorted((*chosen, candidate))
        cost = _cost(trial, spans, a_character)
        if cost <= tokens:
            chosen, spent = trial, cost
        if spent + smallest > tokens:
            break
    return replace(passage, text=_joined(passage.text, chosen, spans), token_count=spent) if chosen else None


def _worth(own: Sequence[float]) -> list[float]:
    around = (0.0, *own, 0.0)
    return [share + NEIGHBOURS_SHARE * (around[n] + around[n + 2]) for n, share in enumerate(own)]


def _runs(chosen: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of each run of consecutive numbers."""
    runs: list[tuple[int, int]] = []
    for number in chosen:
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return runs


def _cost(chosen: Sequence[int], spans: Sequence[Span], a_character: float) -> int:
    runs = _runs(chosen)
    elisions = len(runs) - 1 + (chosen[0] > 0) + (chosen[-1] < len(spans) - 1)
    characters = sum(spans[last][1] - spans[first][0] for first, last in runs)
    return ceil(characters * a_character) + ELISION_TOKENS * elisions


def _joined(text: str, chosen: Sequence[int], spans: Sequence[Span]) -> str:
    pieces = [text[spans[first][0] : spans[last][1]] for first, last in _runs(chosen)]
    before = [ELISION] if chosen[0] > 0 else []
    after = [ELISION] if chosen[-1] < len(spans) - 1 else []
    return " ".join([*before, f" {ELISION} ".join(pieces), *after])
