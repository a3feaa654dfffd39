"""Fitting passages into a token budget. Pure (SPEC §4)."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import ceil

from retrieval.results import RetrievedChunk
from retrieval.text.lines.sentences import SENTENCE_END

WORTH_FILLING = 12  # tokens: less holds no sentence that is worth a citation

Shorten = Callable[[RetrievedChunk, int], RetrievedChunk | None]


def cut(passage: RetrievedChunk, tokens: int) -> RetrievedChunk | None:
    """The passage's first sentences within `tokens`; None if not even one fits."""
    share = tokens / passage.token_count if passage.token_count else 0.0
    room = int(len(passage.text) * share)
    ends = [match.end() for match in SENTENCE_END.finditer(passage.text) if 0 < match.end() <= room]
    if not ends:
        return None
    text = passage.text[: ends[-1]]
    counted = ceil(passage.token_count * len(text) / len(passage.text))
    return replace(passage, text=text, token_count=counted, end=passage.start + len(text))


def fit_budget(
    passages: Iterable[RetrievedChunk], budget_tokens: int, shorten: Shorten = cut
) -> tuple[RetrievedChunk, ...]:
    """The passages in rank order as far as `budget_tokens` goes.

    One that is longer than what is left is shortened, or left out if that gives None; a shorter one behind it may
    still fit. Tokens of a shortened passage are estimated by its share of characters.
    """
    kept = []
    left = budget_tokens
    for passage in passages:
        if passage.token_count > left < WORTH_FILLING:
            continue
        fitted = passage if passage.token_count <= left else shorten(passage, left)
        if fitted is not None:
            kept.append(fitted)
            left -= fitted.token_count
    return tuple(kept)
