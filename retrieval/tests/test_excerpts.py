"""Excerpts: what a re-ranker reads of a passage has the words that matter, wherever they stand."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.context.excerpts import EXCERPT_WIDTH, excerpts
from retrieval.ranking.relevance import SearchQuery
from retrieval.tests.exact import chunk_of

QUESTION = SearchQuery(("How many days does a loan last?",))
FILLER = "The hall is heated in the cold months of winter. "
ANSWER = "A loan lasts twenty-one days."


def test_a_short_passage_is_read_as_it_is() -> None:
    assert excerpts(QUESTION, [chunk_of(1, ANSWER)]) == [ANSWER]


def test_the_sentence_that_answers_is_read_although_it_stands_last() -> None:
    (shown,) = excerpts(QUESTION, [chunk_of(1, FILLER * 60 + ANSWER)])
    assert ANSWER in shown
    assert len(shown) <= EXCERPT_WIDTH


def test_a_passage_without_sentences_shows_the_place_of_the_words() -> None:
    (shown,) = excerpts(QUESTION, [chunk_of(1, "heated in the cold " * 100 + "a loan lasts twenty-one days " * 3)])
    assert "loan" in shown
    assert len(shown) <= EXCERPT_WIDTH


pieces = st.sampled_from(
    [FILLER, ANSWER + " ", "没有句号的文字", "x" * 900 + " ", "\n\n", "A loan; ", "| a | b |\n"],
)


@given(st.lists(st.lists(pieces, max_size=60).map("".join), max_size=4), st.integers(0, 900))
def test_each_has_an_excerpt_within_the_width(texts: list[str], tokens: int) -> None:
    chunks = [chunk_of(n, text, token_count=tokens) for n, text in enumerate(texts)]
    shown = excerpts(QUESTION, chunks)
    assert len(shown) == len(chunks)
    assert all(len(one) <= EXCERPT_WIDTH for one in shown)
