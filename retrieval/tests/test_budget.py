"""The token budget: never exceeded, cut only where a sentence ends."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.context.budget import cut, fit_budget
from retrieval.tests.exact import chunk_of

SENTENCE = "A loan lasts twenty-one days. "

texts = st.lists(
    st.sampled_from(["One two three. ", "Is it so? ", "Yes! ", "no end here ", "«Quoted.» "]), min_size=1
).map("".join)


@given(st.lists(texts, max_size=6), st.integers(0, 60))
def test_the_budget_is_never_exceeded(passages: list[str], budget: int) -> None:
    kept = fit_budget([chunk_of(n, text) for n, text in enumerate(passages)], budget)
    assert sum(chunk.token_count for chunk in kept) <= budget


@given(st.lists(texts, max_size=6), st.integers(0, 60))
def test_passages_keep_their_order_and_are_prefixes_of_themselves(passages: list[str], budget: int) -> None:
    kept = fit_budget([chunk_of(n, text) for n, text in enumerate(passages)], budget)
    assert [chunk.chunk for chunk in kept] == sorted(chunk.chunk for chunk in kept)
    for chunk in kept:
        whole = passages[chunk.chunk.int]
        assert whole.startswith(chunk.text)
        assert chunk.end - chunk.start == len(chunk.text)
        assert chunk.text == whole or chunk.text.rstrip('"»').endswith((".", "?", "!"))


def test_all_fit_untouched_when_there_is_room() -> None:
    passages = [chunk_of(n, SENTENCE * 4) for n in range(3)]
    assert fit_budget(passages, 10_000) == tuple(passages)


def test_a_passage_over_the_rest_ends_at_its_last_sentence_that_fits() -> None:
    passage = chunk_of(1, SENTENCE * 10, token_count=100, start=50, end=50 + 300)
    (kept,) = fit_budget([passage], 35)
    assert kept.text == (SENTENCE * 3).rstrip()
    assert (kept.start, kept.end) == (50, 50 + len(kept.text))
    assert kept.token_count <= 35


def test_a_passage_whose_first_sentence_does_not_fit_is_left_out_and_a_shorter_one_takes_its_place() -> None:
    long, short = chunk_of(1, "word " * 100), chunk_of(2, "Short.", token_count=2)
    assert fit_budget([long, short], 20) == (short,)


@pytest.mark.parametrize("text", ["Version 2.5 is out and more", "see www.example.org/a.b and so on"])
def test_a_point_inside_a_word_ends_no_sentence(text: str) -> None:
    assert cut(chunk_of(1, text, token_count=10), 8) is None


def test_an_empty_line_ends_a_sentence_without_a_mark() -> None:
    shortened = cut(chunk_of(1, "A heading\n\nthen a very long paragraph without any end", token_count=20), 10)
    assert shortened is not None
    assert shortened.text == "A heading"
