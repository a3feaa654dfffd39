"""The final order: fused score, then the words, then what is preferred."""

from uuid import UUID

from retrieval.index.base import Candidates, Hit
from retrieval.ranking.fusion import Fused
from retrieval.ranking.relevance import RelevanceScale, SearchQuery, by_relevance
from retrieval.results import RetrievedChunk
from retrieval.spaces.builtin import LEXICAL_MODEL, space_for
from retrieval.tests.exact import chunk_of, numbers

QUESTION = SearchQuery(("How many days does a loan last?",))
SPACE = space_for(LEXICAL_MODEL, 1536)
JUDGE = RelevanceScale(SPACE, Candidates(dense=(Hit(UUID(int=1), 0.4), Hit(UUID(int=2), 0.1))))


def found(number: int, text: str, score: float, dense: float | None = 0.3) -> tuple[Fused, RetrievedChunk]:
    return Fused(UUID(int=number), score, dense, 5.0), chunk_of(number, text)


def test_of_two_equal_scores_the_passage_with_more_of_the_words_comes_first() -> None:
    few, many = found(1, "A loan.", 0.8), found(2, "A loan lasts many days.", 0.8)
    assert numbers(by_relevance(QUESTION, [few, many], JUDGE, {})) == [2, 1]


def test_a_much_better_score_outweighs_the_words() -> None:
    few, many = found(1, "A loan.", 1.0), found(2, "A loan lasts many days.", 0.5)
    assert numbers(by_relevance(QUESTION, [many, few], JUDGE, {})) == [1, 2]


def test_equal_passages_keep_the_order_of_fusion() -> None:
    assert numbers(by_relevance(QUESTION, [found(2, "x", 0.5), found(1, "x", 0.5)], JUDGE, {})) == [2, 1]


def test_a_preferred_document_wins_between_like_scores_and_its_relevance_stays() -> None:
    first, second = found(1, "A loan.", 0.8), found(2, "A loan.", 0.75)
    plain = by_relevance(QUESTION, [first, second], JUDGE, {})
    preferred = by_relevance(QUESTION, [first, second], JUDGE, {UUID(int=2): 1.0})
    assert (numbers(plain), numbers(preferred)) == ([1, 2], [2, 1])
    assert {c.chunk: c.relevance for c in plain} == {c.chunk: c.relevance for c in preferred}


def test_title_and_headings_count_as_words_of_the_passage() -> None:
    hit = Fused(UUID(int=1), 0.8, 0.3, 5.0)
    bare, titled = chunk_of(1, "Twenty-one."), chunk_of(1, "Twenty-one.", title="Loans", heading_path=("Days",))
    (without,), (with_them,) = (by_relevance(QUESTION, [(hit, chunk)], JUDGE, {}) for chunk in (bare, titled))
    assert with_them.relevance > without.relevance


def test_what_only_bm25_found_is_judged_by_the_last_dense_cosine() -> None:
    (unseen,) = by_relevance(QUESTION, [found(3, "A loan lasts days.", 0.8, dense=None)], JUDGE, {})
    (last,) = by_relevance(QUESTION, [found(3, "A loan lasts days.", 0.8, dense=0.1)], JUDGE, {})
    assert unseen.relevance == last.relevance
    assert unseen.dense is None


def test_without_a_dense_leg_the_words_alone_decide() -> None:
    judge = RelevanceScale(SPACE, Candidates(sparse=(Hit(UUID(int=1), 3.0),)))
    all_words, none = found(1, "A loan lasts many days.", 0.8, None), found(2, "Dogs.", 0.8, None)
    relevances = [chunk.relevance for chunk in by_relevance(QUESTION, [all_words, none], judge, {})]
    assert relevances == [1.0, 0.0]
