"""Diversity: marginal relevance against a plain implementation of its formula."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking.diversity import diversify
from retrieval.results import RetrievedChunk
from retrieval.tests.exact import chunk_of, numbers

LOANS, FINES = "loans last twenty one days here", "fines cost ten cents daily everywhere"


def ranked(*texts: str) -> list[RetrievedChunk]:
    return [chunk_of(n, text, score=1.0 - n / 10) for n, text in enumerate(texts)]


def test_off_it_is_the_first_few() -> None:
    chunks = ranked(LOANS, LOANS, FINES)
    assert diversify(chunks, 2, 0.0) == tuple(chunks[:2])


def test_what_adds_something_passes_what_repeats() -> None:
    assert numbers(diversify(ranked(LOANS, LOANS + " too", FINES), 2, 0.5)) == [0, 2]


def test_the_most_relevant_stays_first_whatever_the_weight() -> None:
    assert numbers(diversify(ranked(LOANS, FINES), 1, 0.9)) == [0]


def test_nothing_in_nothing_out() -> None:
    assert diversify([], 3, 0.5) == ()


words = st.lists(st.sampled_from(["apple", "bread", "candle", "desk", "elephant"]), min_size=1, max_size=4).map(
    " ".join
)


@given(st.lists(words, max_size=7), st.integers(1, 8), st.floats(0.05, 1.0))
def test_it_is_carbonell_and_goldstein_s_formula(texts: list[str], wanted: int, diversity: float) -> None:
    chunks = ranked(*texts)
    chosen: list[RetrievedChunk] = []
    left = list(chunks)
    while left and len(chosen) < wanted:
        gains = [gain(chunk, chosen, diversity) for chunk in left]
        chosen.append(left.pop(gains.index(max(gains))))
    assert [
        gain(c, chosen[:n], diversity) for n, c in enumerate(diversify(chunks, wanted, diversity))
    ] == pytest.approx([gain(c, chosen[:n], diversity) for n, c in enumerate(chosen)])


def gain(chunk: RetrievedChunk, chosen: Sequence[RetrievedChunk], diversity: float) -> float:
    words = set(chunk.text.split())
    likeness = [len(words & set(c.text.split())) / len(words | set(c.text.split())) for c in chosen]
    return (1 - diversity) * chunk.score - diversity * max(likeness, default=0.0)
