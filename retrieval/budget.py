"""Fitting passages into a token budget. Pure (SPEC §4)."""

import re
from collections.abc import Iterable
from dataclasses import replace
from math import ceil

from retrieval.results import RetrievedChunk

# A sentence ends at its mark (and what closes after it) before white space, or at an empty line.
_SENTENCE_END = re.compile(r"[.!?…][\"'»”’)\]]*(?=\s)|(?=\n\s*\n)")


def fit(passages: Iterable[RetrievedChunk], budget_tokens: int) -> tuple[RetrievedChunk, ...]:
    """The passages in rank order as far as `budget_tokens` goes.

    One that is longer than what is left is cut at its last sentence end that fits, or left out if its first
    sentence does not; a shorter one behind it may still fit. Tokens of a cut passage are estimated by its
    share of characters.
    """
    kept = []
    left = budget_tokens
    for passage in passages:
        fitted = passage if passage.token_count <= left else cut(passage, left)
        if fitted is not None:
            kept.append(fitted)
            left -= fitted.token_count
    return tuple(kept)


def cut(passage: RetrievedChunk, tokens: int) -> RetrievedChunk | None:
    """The passage's first sentences within `tokens`; None if not even one fits."""
    share = tokens / passage.token_count if passage.token_count else 0.0
    room = int(len(passage.text) * share)
    ends = [match.end() for match in _SENTENCE_END.finditer(passage.text) if 0 < match.end() <= room]
    if not ends:
        return None
    text = passage.text[: ends[-1]]
    counted = ceil(passage.token_count * len(text) / len(passage.text))
    return replace(passage, text=text, token_count=counted, end=passage.start + len(text))
