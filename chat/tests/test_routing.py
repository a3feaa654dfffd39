"""The router: every threshold of the source, on both sides of its border (adaptive-retrieval.es.md §4, §6)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.answering.judging.routing import MOST_ATTEMPTS, Metrics, Reason, Strategy, is_good, route, vary_until_new

FIRST = [Strategy(512)]


@pytest.mark.parametrize(
    ("metrics", "reason", "granularity"),
    [
        (Metrics(0.7, 0.6, 0.6), Reason.ACCEPTED, None),
        (Metrics(1.0, 1.0, 1.0), Reason.ACCEPTED, None),
        (Metrics(0.7, 0.6, 0.599), Reason.LOW_RECALL, 1024),
        (Metrics(0.7, 0.599, 0.6), Reason.LOW_PRECISION, 256),
        (Metrics(0.699, 0.6, 0.6), Reason.LOW_FAITHFULNESS, 256),
        (Metrics(0.0, 0.0, 0.0), Reason.LOW_RECALL, 1024),  # recall is looked at first
        (Metrics(0.0, 0.0, 0.6), Reason.LOW_PRECISION, 256),
        (Metrics(0.0, 1.0, 1.0), Reason.LOW_FAITHFULNESS, 256),
    ],
)
def test_each_fault_asks_for_its_size(metrics: Metrics, reason: Reason, granularity: int | None) -> None:
    decision = route(metrics, FIRST)
    assert decision.reason == reason
    assert (decision.strategy and decision.strategy.granularity) == granularity


def test_after_three_attempts_it_ends_whatever_the_metrics() -> None:
    decision = route(Metrics(0, 0, 0), [Strategy(512), Strategy(1024), Strategy(256)])
    assert (decision.reason, decision.strategy) == (Reason.ATTEMPTS_USED, None)


def test_the_same_fault_again_asks_for_more_of_the_same_size_or_less() -> None:
    low_recall, low_precision = Metrics(1, 1, 0.1), Metrics(1, 0.1, 1)
    assert route(low_recall, [Strategy(512), Strategy(1024)]).strategy == Strategy(1024, 2.0)
    assert route(low_precision, [Strategy(512), Strategy(256)]).strategy == Strategy(256, 0.5)
    assert route(low_precision, [Strategy(512), Strategy(1024)]).strategy == Strategy(256)


@given(
    st.builds(Metrics, *[st.floats(0, 1)] * 3),
    st.lists(st.builds(Strategy, st.sampled_from([256, 512, 1024])), min_size=1, max_size=5),
)
def test_nothing_is_tried_twice_and_good_answers_always_stand(metrics: Metrics, tried: list[Strategy]) -> None:
    decision = route(metrics, tried)
    assert (decision.reason == Reason.ACCEPTED) == is_good(metrics)
    assert decision.strategy not in tried
    assert (decision.strategy is not None) == (not is_good(metrics) and len(tried) < MOST_ATTEMPTS)


def test_breadth_grows_until_the_strategy_is_new() -> None:
    assert vary_until_new(Strategy(1024), 2.0, [Strategy(1024), Strategy(1024, 2.0)]) == Strategy(1024, 4.0)
