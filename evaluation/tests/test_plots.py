"""The plot of runs: places on its canvas."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from evaluation.admin.plots import HEIGHT, STYLES, WIDTH, Measured, plot, scale

START = datetime(2026, 1, 1, tzinfo=UTC)


def measured(name: str, hour: int, value: float) -> Measured:
    return Measured(name, START + timedelta(hours=hour), value)


def test_without_values_there_is_no_plot() -> None:
    assert plot([]) is None


def test_each_configuration_is_a_line_in_the_order_of_time() -> None:
    drawn = plot([measured("default", 2, 0.9), measured("bm25", 1, 0.8), measured("default", 0, 0.7)])
    assert drawn is not None
    assert [(line.name, [mark.value for mark in line.marks]) for line in drawn.lines] == [
        ("default", [0.7, 0.9]),
        ("bm25", [0.8]),
    ]
    assert len({line.shape for line in drawn.lines}) == 2, "not told apart by colour alone"
    first, second = drawn.lines[0].marks
    assert first.x < second.x
    assert first.y > second.y, "better is higher"
    assert (drawn.first, drawn.last) == (START, START + timedelta(hours=2))
    assert drawn.lines[0].points == f"{first.x},{first.y} {second.x},{second.y}"


def test_the_axis_begins_a_tenth_below_and_ends_at_one() -> None:
    assert scale([0.93, 0.97]) == (0.9, 1.0)
    assert scale([1.0]) == (0.9, 1.0)
    assert scale([0.0]) == (0.0, 1.0)


@given(st.lists(st.tuples(st.sampled_from("abcdefghij"), st.integers(0, 99), st.floats(0, 1)), min_size=1))
def test_every_mark_lies_on_the_canvas(values: list[tuple[str, int, float]]) -> None:
    drawn = plot([measured(*one) for one in values])
    assert drawn is not None
    for line in drawn.lines:
        assert 1 <= line.style <= STYLES
        assert all(0 <= mark.x <= WIDTH and 0 <= mark.y <= HEIGHT for mark in line.marks)
    assert [tick.y for tick in drawn.ticks] == sorted((tick.y for tick in drawn.ticks), reverse=True)
