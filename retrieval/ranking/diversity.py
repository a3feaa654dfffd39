"""Maximal marginal relevance: passages that add something to those already chosen. Pure.

Carbonell & Goldstein 1998: the next passage is the one with the highest (1 − d) · relevance − d · likeness, where
likeness is that to the most similar chosen one. Relevance is the passage's score against the best score, likeness the
Jaccard similarity of their words: no vectors are read back for it.
"""

from collections.abc import Sequence

from retrieval.results import RetrievedChunk
from retrieval.text.folding import words_only
from retrieval.text.stems import STOP_WORDS


def diversify(chunks: Sequence[RetrievedChunk], wanted: int, diversity: float) -> tuple[RetrievedChunk, ...]:
    """The first `wanted` in the order of marginal relevance; with 0 in the order they have."""
    if diversity <= 0.0 or not chunks:
        return tuple(chunks[:wanted])
    best = max(chunk.score for chunk in chunks) or 1.0
    words = [_words(chunk.text) for chunk in chunks]
    likeness = [0.0] * len(chunks)
    left = list(range(len(chunks)))
    chosen: list[int] = []
    while left and len(chosen) < wanted:
        next_one = max(left, key=lambda n: ((1 - diversity) * chunks[n].score / best - diversity * likeness[n], -n))
        chosen.append(next_one)
        left.remove(next_one)
        for n in left:
            likeness[n] = max(likeness[n], _jaccard(words[n], words[next_one]))
    return tuple(chunks[n] for n in chosen)


def _words(text: str) -> frozenset[bytes]:
    return frozenset(words_only(text).split()) - _STOP_WORDS


def _jaccard(first: frozenset[bytes], second: frozenset[bytes]) -> float:
    common = len(first & second)
    return common / ((len(first) + len(second) - common) or 1)


_STOP_WORDS = frozenset(word.encode() for word in STOP_WORDS)
