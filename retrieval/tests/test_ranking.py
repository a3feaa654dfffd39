"""Threshold, near-duplicates, neighbours."""

from itertools import pairwise
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from retrieval.ranking.merging import above_threshold, with_neighbours_merged, without_near_duplicates
from retrieval.results import RetrievedChunk
from retrieval.tests.exact import chunk_of

TEXT = "".join(f"Sentence number {n} of the document. " for n in range(100))
DOCUMENT = UUID(int=999)


def span(start: int, end: int, **fields: object) -> RetrievedChunk:
    """A chunk of the one document TEXT."""
    return chunk_of(start + 1, TEXT[start:end], document=DOCUMENT, start=start, end=end, **fields)


def test_only_what_reaches_the_threshold_stays() -> None:
    chunks = [chunk_of(n, "text", relevance=n / 10) for n in range(6)]
    assert [chunk.relevance for chunk in above_threshold(chunks, 0.3)] == [0.3, 0.4, 0.5]


def test_the_same_text_in_two_corpora_is_kept_once_at_its_better_place() -> None:
    first, second = chunk_of(1, "The same words."), chunk_of(2, "The same words.")
    assert without_near_duplicates([second, first]) == (second,)


def test_a_text_that_differs_in_a_word_of_many_is_a_near_duplicate() -> None:
    words = [f"word{n}" for n in range(40)]
    original, edited = " ".join(words), " ".join([*words[:-1], "changed"])
    assert len(without_near_duplicates([chunk_of(1, original), chunk_of(2, edited)])) == 1


def test_neighbours_with_a_common_overlap_are_not_duplicates() -> None:
    assert len(without_near_duplicates([span(0, 800), span(700, 1500)])) == 2


@given(st.lists(st.text(alphabet="ab ", max_size=12), max_size=8))
def test_what_is_dropped_has_an_equal_among_the_kept_and_the_first_always_stays(texts: list[str]) -> None:
    chunks = [chunk_of(n, text) for n, text in enumerate(texts)]
    kept = without_near_duplicates(chunks)
    assert kept[:1] == tuple(chunks[:1])
    vocabularies = {frozenset(chunk.text.split()) for chunk in kept}
    assert all(frozenset(text.split()) in vocabularies for text in texts)
    assert without_near_duplicates(kept) == kept


def test_overlapping_neighbours_become_one_passage_without_doubled_text() -> None:
    later = span(700, 1500, page=2, page_end=3, relevance=0.9, dense=0.4, token_count=200)
    earlier = span(0, 800, page=1, page_end=2, relevance=0.5, bm25=7.0, token_count=200)
    (passage,) = with_neighbours_merged([later, earlier], longest=1000)
    assert passage.text == TEXT[0:1500]
    assert (passage.start, passage.end, passage.page, passage.page_end) == (0, 1500, 1, 3)
    assert (passage.chunk, passage.relevance, passage.dense, passage.bm25) == (later.chunk, 0.9, 0.4, 7.0)
    assert passage.token_count == 200 + 200 - 25


def test_a_chunk_can_be_the_bridge_between_two_passages() -> None:
    (passage,) = with_neighbours_merged([span(0, 500), span(900, 1400), span(500, 900)], longest=10_000)
    assert passage.text == TEXT[0:1400]


def test_passages_do_not_grow_beyond_the_longest() -> None:
    chunks = [span(start, start + 400, token_count=100) for start in (0, 400, 800)]
    merged = with_neighbours_merged(chunks, longest=200)
    assert [(chunk.start, chunk.end) for chunk in merged] == [(0, 800), (800, 1200)]


def test_chunks_of_other_documents_and_distant_ones_stay_apart() -> None:
    chunks = [span(0, 400), span(401, 800), chunk_of(7, TEXT[400:800], start=400, end=800)]
    assert with_neighbours_merged(chunks, longest=10_000) == tuple(chunks)


@given(st.lists(st.tuples(st.integers(0, 2000), st.integers(1, 600)), min_size=1, max_size=8))
def test_merged_passages_are_slices_of_the_document_and_lose_nothing(spans: list[tuple[int, int]]) -> None:
    chunks = [span(start, start + length) for start, length in spans]
    merged = with_neighbours_merged(chunks, longest=100_000)
    for passage in merged:
        assert passage.text == TEXT[passage.start : passage.end]
    covered = {position for passage in merged for position in range(passage.start, passage.end)}
    assert covered == {position for chunk in chunks for position in range(chunk.start, chunk.end)}
    ordered = sorted(merged, key=lambda passage: passage.start)
    assert all(first.end < second.start for first, second in pairwise(ordered))
