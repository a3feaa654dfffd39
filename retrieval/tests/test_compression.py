"""Compression: whole sentences of the passage, the most important ones, within the budget."""

from hypothesis import given
from hypothesis import strategies as st

from retrieval.confidence.coverage import Wanted, weigh_question
from retrieval.context.budget import fit_budget
from retrieval.context.compression import ELISION, compress
from retrieval.tests.exact import chunk_of
from retrieval.text.lines.sentences import sentences

QUESTION = "How many days does a loan last?"
FILLER = "The hall is heated in the cold months of winter."
ANSWER = "A loan lasts twenty-one days."
TEXT = " ".join([FILLER, FILLER, FILLER, ANSWER, FILLER, FILLER])
WANTED = weigh_question(QUESTION, [TEXT])

written = st.lists(
    st.sampled_from(
        [
            "One two three four five.",
            "Is it really so long a question?",
            "A loan lasts for many days!",
            "Art. 14.2 allows water.",
            "no end here",
            "«Quoted and closed.»",
            "\n\nA heading without a mark\n\n",
        ]
    ),
    min_size=1,
    max_size=12,
).map(" ".join)


def test_the_sentence_that_answers_stays_and_elisions_are_marked() -> None:
    passage = chunk_of(1, TEXT, start=100, end=100 + len(TEXT))
    short = compress(passage, 16, WANTED)
    assert short is not None
    assert short.text == f"{ELISION} {ANSWER} {ELISION}"
    assert (short.start, short.end) == (passage.start, passage.end)


def test_of_equal_sentences_those_beside_the_important_one_stay_then_the_first() -> None:
    short = compress(chunk_of(1, TEXT), 45, WANTED)
    assert short is not None
    assert short.text == f"{ELISION} {FILLER} {ANSWER} {FILLER} {ELISION}"


def test_what_is_too_small_for_any_sentence_gives_nothing() -> None:
    assert compress(chunk_of(1, TEXT), 3, WANTED) is None
    assert compress(chunk_of(1, ""), 3, WANTED) is None


@given(written, st.integers(0, 80))
def test_it_fits_is_whole_sentences_of_the_passage_and_keeps_their_order(text: str, tokens: int) -> None:
    passage = chunk_of(1, text)
    short = compress(passage, tokens, WANTED)
    if short is None:
        return
    assert short.token_count <= tokens
    edges = {start for start, _ in sentences(text)}, {end for _, end in sentences(text)}
    place = 0
    for piece in short.text.split(ELISION):
        piece = piece.strip()
        if not piece:
            continue
        start = next(n for n in starts_of(piece, text, place) if n in edges[0] and n + len(piece) in edges[1])
        place = start + len(piece)
    assert (short.start, short.end) == (passage.start, passage.end)


def starts_of(piece: str, text: str, place: int) -> list[int]:
    return [n for n in range(place, len(text)) if text.startswith(piece, n)]


@given(st.lists(written, max_size=5), st.integers(0, 120))
def test_a_budget_is_never_exceeded(texts: list[str], budget: int) -> None:
    passages = [chunk_of(n, text) for n, text in enumerate(texts)]
    wanted: Wanted = weigh_question(QUESTION, texts)
    kept = fit_budget(passages, budget, lambda passage, tokens: compress(passage, tokens, wanted))
    assert sum(passage.token_count for passage in kept) <= budget
    assert [passage.chunk for passage in kept] == sorted(passage.chunk for passage in kept)
