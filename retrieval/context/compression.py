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
from retrieval.text.lines.sentences import Span, sentences

ELISION = "[…]"
ELISION_TOKENS = 3
NEIGHBOURS_SHARE = 0.25


def compress(passage: RetrievedChunk, tokens: int, wanted: Wanted) -> RetrievedChunk | None:
    """The passage in at most `tokens`, elisions marked, offsets unchanged; None if no sentence fits.

    Tokens are estimated by the share of characters.
    """
    spans = sentences(passage.text)
    a_character = passage.token_count / max(1, len(passage.text))
    selection = ChosenSentences(spans, a_character)
    if not any(selection.cost_with(number) <= tokens for number in range(len(spans))):
        return None
    worth = _worth([wanted.share(passage.text[start:end]) for start, end in spans])
    smallest = min(end - start for start, end in spans) * a_character - ELISION_TOKENS
    for candidate in sorted(range(len(spans)), key=lambda n: (-worth[n], n)):
        if selection.cost_with(candidate) <= tokens:
            selection.add(candidate)
        if selection.cost + smallest > tokens:
            break
    text = _join(passage.text, sorted(selection.chosen), spans)
    return replace(passage, text=text, token_count=selection.cost)


class ChosenSentences:
    """The chosen sentences and what they cost with the elisions between them. Each is weighed by its neighbours alone,
    so that a passage of many costs no more than their number."""

    def __init__(self, spans: Sequence[Span], a_character: float) -> None:
        self.chosen: set[int] = set()
        self.cost = 0
        self._spans, self._a_character = spans, a_character
        self._characters = self._groups = 0

    def cost_with(self, number: int) -> int:
        """Tokens of all that is chosen and of this one."""
        characters, groups = self._with(number)
        ends = sum(end != number and end not in self.chosen for end in (0, len(self._spans) - 1))
        return ceil(characters * self._a_character) + ELISION_TOKENS * (groups - 1 + ends)

    def add(self, number: int) -> None:
        self.cost = self.cost_with(number)
        self._characters, self._groups = self._with(number)
        self.chosen.add(number)

    def _with(self, number: int) -> tuple[int, int]:
        """Characters and groups of consecutive sentences. What is between two of a group belongs to it."""
        start, end = self._spans[number]
        groups = 1
        if number - 1 in self.chosen:
            start, groups = self._spans[number - 1][1], groups - 1
        if number + 1 in self.chosen:
            end, groups = self._spans[number + 1][0], groups - 1
        return self._characters + end - start, self._groups + groups


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


def _join(text: str, chosen: Sequence[int], spans: Sequence[Span]) -> str:
    pieces = [text[spans[first][0] : spans[last][1]] for first, last in _runs(chosen)]
    before = [ELISION] if chosen[0] > 0 else []
    after = [ELISION] if chosen[-1] < len(spans) - 1 else []
    return " ".join([*before, f" {ELISION} ".join(pieces), *after])
