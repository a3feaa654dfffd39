"""Several phrasings of one question as one pair of legs."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from retrieval.index.base import Candidates, Hit
from retrieval.ranking.expansion import MOST_PHRASINGS, PHRASING_SHARE, phrasings, unite_candidates


def hits(*scored: tuple[int, float]) -> tuple[Hit, ...]:
    return tuple(Hit(UUID(int=number), score) for number, score in scored)


def test_the_question_comes_first_and_at_most_three_others_that_differ() -> None:
    assert phrasings("a", ()) == ("a",)
    assert phrasings("a", ("b", "a ", " ", "b", "c", "d", "e")) == ("a", "b", "c", "d")
    assert len(phrasings("a", tuple("bcdefgh"))) == MOST_PHRASINGS + 1


def test_what_is_asked_by_its_first_letters_is_also_looked_for_in_full() -> None:
    assert phrasings("Who is the CEO of Thornbury?", ())[1] == "Who is the chief executive officer of Thornbury?"
    assert phrasings("¿Quién es el CFO de la empresa?", ("b",))[1:] == (
        "¿Quién es el director financiero de la empresa?",
        "b",
    )
    assert phrasings("How is a CEOS written?", ()) == ("How is a CEOS written?",)


def test_one_phrasing_is_left_as_it_is() -> None:
    found = Candidates(hits((1, 0.5)), hits((2, 7.0)))
    assert unite_candidates([found], 10) is found


def test_the_best_score_of_any_phrasing_counts_and_another_s_somewhat_less() -> None:
    one, other = Candidates(hits((1, 0.8), (2, 0.2)), ()), Candidates(hits((2, 0.8), (3, 0.5)), ())
    assert unite_candidates([one, other], 10).dense == hits(
        (1, 0.8), (2, PHRASING_SHARE * 0.8), (3, PHRASING_SHARE * 0.5)
    )


def test_bm25_of_a_longer_phrasing_is_brought_to_the_question_s_scale() -> None:
    one, other = Candidates((), hits((1, 5.0))), Candidates((), hits((2, 50.0), (3, 25.0)))
    assert unite_candidates([one, other], 10).sparse == hits(
        (1, 5.0), (2, PHRASING_SHARE * 5.0), (3, PHRASING_SHARE * 2.5)
    )


def test_a_question_that_found_nothing_takes_what_the_others_found() -> None:
    found = unite_candidates([Candidates(), Candidates((), hits((2, 4.0)))], 10)
    assert found.sparse == hits((2, PHRASING_SHARE * 4.0))
    assert unite_candidates([Candidates(), Candidates()], 10) == Candidates()


legs = st.dictionaries(st.integers(0, 20), st.floats(0.01, 30), max_size=10).map(
    lambda found: hits(*sorted(found.items(), key=lambda item: -item[1]))
)


@given(st.lists(st.builds(Candidates, legs, legs), min_size=2, max_size=4), st.integers(1, 15))
def test_legs_stay_ordered_distinct_and_limited(searched: list[Candidates], limit: int) -> None:
    found = unite_candidates(searched, limit)
    for leg in (found.dense, found.sparse):
        assert len(leg) <= limit
        assert [hit.score for hit in leg] == sorted((hit.score for hit in leg), reverse=True)
        assert len({hit.id for hit in leg}) == len(leg)
