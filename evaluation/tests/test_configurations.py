"""How configurations are written, and what they change."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.configurations import STANDARD, configuration, parse_configurations
from retrieval.results import RetrievalPolicy


def test_default_is_the_products_own_policy() -> None:
    assert configuration("default").product == RetrievalPolicy()


def test_ranking_looks_at_ten_single_chunks_whatever_their_relevance() -> None:
    policy = configuration("256+bm25").ranking
    assert (policy.top_k, policy.threshold, policy.unite, policy.neighbours) == (10, 0.0, False, False)
    assert (policy.granularity, policy.legs) == (256, ("bm25",))


def test_parts_are_joined() -> None:
    policy = configuration("hybrid=0.25 + diversity=0.5+no-terms+candidates=100+rerank").product
    assert (policy.dense_weight, policy.bm25_weight, policy.diversity) == (0.25, 0.75, 0.5)
    assert (policy.exact_terms, policy.candidates, policy.rerank) == (False, 100, True)


def test_each_is_asked_once_in_the_order_given() -> None:
    assert [one.name for one in parse_configurations("dense, default,,dense")] == ["dense", "default"]
    assert len(parse_configurations(STANDARD)) == len(STANDARD.split(","))


@pytest.mark.parametrize("wrong", ["fancy", "hybrid", "hybrid=2", "diversity=x", "bm25+", "300", "default=1"])
def test_what_is_no_configuration_is_named(wrong: str) -> None:
    with pytest.raises(ValueError, match="is not a configuration"):
        parse_configurations(f"default,{wrong}")


@given(st.floats(0.0, 1.0))
def test_the_weights_of_a_hybrid_sum_to_one(weight: float) -> None:
    policy = configuration(f"hybrid={weight}").product
    assert policy.dense_weight is not None
    assert policy.bm25_weight == pytest.approx(1.0 - policy.dense_weight)
