"""Small to big: a passage grows within its section, within the budget, and stays a slice of its document."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from corpora.models import Chunk
from retrieval.context.neighbours import ids_beside, widen
from retrieval.results import RetrievedChunk
from retrieval.tests.exact import chunk_of

TEXT = "".join(f"Sentence number {n} of the document. " for n in range(100))
DOCUMENT = UUID(int=999)


def span(start: int, end: int, index: int = 0, **fields: object) -> RetrievedChunk:
    own = {"document": DOCUMENT, "version": 1, "index": index, "document_chunks": 10, "start": start, "end": end}
    return chunk_of(start + 1, TEXT[start:end], **(own | fields))


def id_at(index: int, granularity: int = 800) -> UUID:
    return Chunk.id_for(DOCUMENT, 1, granularity, index)


def test_the_neighbours_of_the_best_come_first_and_what_follows_before_what_precedes() -> None:
    best, second = span(1000, 1400, index=5), span(0, 400, index=1)
    assert ids_beside([best, second], 256, 10_000) == [Chunk.id_for(DOCUMENT, 1, 256, index) for index in (6, 2, 4, 0)]


def test_beyond_the_document_s_ends_there_is_nothing_to_read() -> None:
    assert ids_beside([span(0, 400, index=0, document_chunks=1)], 800, 1000) == []
    assert ids_beside([span(0, 400, index=0)], 800, 1000) == [id_at(1)]
    assert ids_beside([span(0, 400, index=9)], 800, 1000) == [id_at(8)]


def test_chosen_chunks_are_not_read_again_and_little_room_reads_nothing() -> None:
    first, second = span(0, 400, index=4, chunk=id_at(4)), span(400, 800, index=5, chunk=id_at(5))
    assert ids_beside([first, second], 800, 10_000) == [id_at(6), id_at(3)]
    assert ids_beside([first, second], 800, 63) == []


def test_as_many_are_read_as_could_fit() -> None:
    chunks = [span(start, start + 100, index=n) for n, start in ((1, 0), (4, 300), (7, 600))]
    assert len(ids_beside(chunks, 800, 800)) == 3


def test_a_passage_takes_up_what_overlaps_it_and_keeps_its_id_relevance_and_place() -> None:
    best, other = span(700, 1500, relevance=0.9), span(3000, 3200, relevance=0.8)
    first, second = widen([best, other], [span(1400, 2000), span(300, 800)], 10_000)
    assert (first.start, first.end, first.text) == (300, 2000, TEXT[300:2000])
    assert (first.chunk, first.relevance) == (best.chunk, 0.9)
    assert second == other


def test_what_only_follows_it_is_of_another_section() -> None:
    best = span(0, 400)
    assert widen([best], [span(401, 800)], 10_000) == (best,)


def test_a_neighbour_that_does_not_fit_is_left_and_a_smaller_one_is_taken() -> None:
    best = span(400, 800, token_count=100)
    large, small = span(800, 1600, token_count=200), span(300, 400, token_count=25)
    (passage,) = widen([best], [large, small], 150)
    assert (passage.start, passage.end) == (300, 800)


def test_a_neighbour_can_be_the_bridge_to_another_passage() -> None:
    (passage,) = widen([span(0, 400), span(800, 1200)], [span(400, 800)], 10_000)
    assert passage.text == TEXT[:1200]


spans = st.lists(st.tuples(st.integers(0, 2000), st.integers(1, 400)), min_size=1, max_size=6)


@given(spans, spans, st.integers(0, 2000))
def test_widening_loses_nothing_exceeds_nothing_and_stays_in_the_document(
    chosen: list[tuple[int, int]], beside: list[tuple[int, int]], room: int
) -> None:
    passages = [span(start, start + length) for start, length in chosen]
    budget = sum(passage.token_count for passage in passages) + room
    wide = widen(passages, [span(start, start + length) for start, length in beside], budget)
    assert sum(passage.token_count for passage in wide) <= budget
    assert all(passage.text == TEXT[passage.start : passage.end] for passage in wide)
    for start, length in chosen:
        assert any(passage.start <= start and start + length <= passage.end for passage in wide)
