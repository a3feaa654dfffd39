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

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from retrieval.confidence.coverage import Wanted
from retrieval.results import RetrievedChunk
from retrieval.text.sentences import Span, sentences

ELISION = "[…]"
ELISION_TOKENS = 3
NEIGHBOURS_SHARE = 0.25


def compress(passage: RetrievedChunk, tokens: int, wanted: Wanted) -> RetrievedChunk | None:
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
    return replace(passage, text=_join(passage.text, chosen, spans), token_count=spent) if chosen else None


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


def _join(text: str, chosen: Sequence[int], spans: Sequence[Span]) -> str:
    pieces = [text[spans[first][0] : spans[last][1]] for first, last in _runs(chosen)]
    before = [ELISION] if chosen[0] > 0 else []
    after = [ELISION] if chosen[-1] < len(spans) - 1 else []
    return " ".join([*before, f" {ELISION} ".join(pieces), *after])
