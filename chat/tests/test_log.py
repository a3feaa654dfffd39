"""Events have ids that any process can compute: whoever goes on anywhere is told the rest, and nothing twice."""

import asyncio
from contextlib import aclosing
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.rendering.markdown import BlockRenderer
from chat.stream import live
from chat.stream.events import Done, Event, Html, Numbered, Sources, Status, Token
from chat.stream.live import Live
from chat.stream.log import Cursor, EventLog
from chat.stream.numbers import END, place_of, text_id

MESSAGE = UUID(int=7)
PIECES = st.lists(st.sampled_from(["uno ", "dos", "\n", "\n\n", "- tres\n", "```\n", "x" * 40]), max_size=12)


def sources(attempt: int) -> Sources:
    return Sources(uuid4(), MESSAGE, attempt, "high", True, "supported", ())


def done() -> Done:
    return Done("complete", "supported", MESSAGE, {}, ())


def told(pieces: list[str], attempt: int = 1) -> EventLog:
    """An answer that has ended."""
    log = EventLog()
    log.begin(sources(attempt), pieces)
    log.add(Status("generating", attempt))
    log.add(Status("evaluating", attempt))
    log.end(done())
    return log


def step_by_step(pieces: list[str], cursor: Cursor, attempt: int = 1) -> list[Numbered]:
    """What a reader who is always there is told."""
    log, said = EventLog(), list[str]()
    log.begin(sources(attempt), said)
    events = cursor.take(log)
    log.add(Status("generating", attempt))
    for piece in pieces:
        said.append(piece)
        events += cursor.take(log)
    log.add(Status("evaluating", attempt))
    events += cursor.take(log)
    log.end(done())
    return [*events, *cursor.take(log)]


def text_of(events: list[Numbered]) -> str:
    return "".join(event.token for _, event in events if isinstance(event, Token))


def blocks_of(events: list[Numbered]) -> list[tuple[int, str]]:
    return [(event.block, event.html) for _, event in events if isinstance(event, Html)]


def rendered(text: str) -> list[tuple[int, str]]:
    renderer = BlockRenderer()
    return [*renderer.feed(text), *renderer.finish()]


@given(PIECES, st.integers(1, 4), st.booleans())
def test_ids_grow_and_everything_is_told_in_order(pieces: list[str], attempt: int, html: bool) -> None:
    events = step_by_step(pieces, Cursor(html=html), attempt)
    ids = [number for number, _ in events]
    assert ids == sorted(set(ids))
    assert text_of(events) == "".join(pieces)
    assert blocks_of(events) == (rendered("".join(pieces)) if html else [])
    order = [event.event for _, event in events if not isinstance(event, Token | Html)]
    assert order == ["sources", "status", "status", "done"]


@given(PIECES, st.data())
def test_whoever_goes_on_after_any_event_is_told_the_rest_and_nothing_twice(
    pieces: list[str], data: st.DataObject
) -> None:
    events = step_by_step(pieces, Cursor(html=True))
    kept = data.draw(st.integers(0, len(events)))
    before = events[:kept]
    rest = Cursor(before[-1][0] if before else 0, html=True).take(told(pieces))
    both = before + rest
    assert text_of(both) == "".join(pieces)
    assert blocks_of(both) == rendered("".join(pieces))
    assert [number for number, _ in both] == sorted({number for number, _ in both})
    names = [event.event for _, event in both if not isinstance(event, Token | Html)]
    assert names == ["sources", "status", "status", "done"]


@given(PIECES, st.data())
def test_a_row_that_lags_behind_what_its_reader_knows_tells_nothing_twice(
    pieces: list[str], data: st.DataObject
) -> None:
    events = step_by_step(pieces, Cursor(html=True))
    last, _ = before = events[data.draw(st.integers(0, len(events) - 1))]
    rest = step_by_step(pieces, Cursor(last, html=True))
    both = [*events[: events.index(before) + 1], *rest]
    assert (text_of(both), blocks_of(both)) == ("".join(pieces), rendered("".join(pieces)))
    assert [number for number, _ in both] == sorted({number for number, _ in both})


@given(PIECES, st.integers(0, 60))
def test_how_the_text_is_cut_makes_no_difference(pieces: list[str], size: int) -> None:
    text = "".join(pieces)
    otherwise = [text[start : start + size + 1] for start in range(0, len(text), size + 1)]
    for number, _ in step_by_step(pieces, Cursor(html=True)):
        one, other = (Cursor(number, html=True).take(told(cut)) for cut in (pieces, otherwise))
        assert (text_of(one), blocks_of(one)) == (text_of(other), blocks_of(other))


def test_a_new_attempt_replaces_the_one_before_for_whoever_comes_late() -> None:
    first = step_by_step(["uno"], Cursor())
    later = Cursor(first[2][0]).take(told(["dos"], attempt=2))
    assert [type(event) for _, event in later[:3]] == [Sources, Status, Token]
    assert text_of(later) == "dos"
    assert later[0][0] > first[-2][0]


def test_after_the_end_nothing_is_left_to_tell() -> None:
    cursor = Cursor(END)
    assert cursor.ended
    assert cursor.take(told(["uno"])) == []


def test_a_reader_who_dawdles_is_told_everything_that_is_new_as_one_token() -> None:
    log, said, cursor = EventLog(), list[str](), Cursor()
    log.begin(sources(1), said)
    cursor.take(log)
    said += ["uno ", "dos ", "tres"]
    assert [event for _, event in cursor.take(log)] == [Token("uno dos tres", 1)]
    assert cursor.take(log) == []


@pytest.mark.parametrize("strange", [-1, 0, 1, 999, 1000, 10**12, 10**15, 10**18])
def test_an_id_that_is_none_of_ours_breaks_nothing(strange: int) -> None:
    place_of(strange)
    events: list[Event] = [event for _, event in Cursor(strange, html=True).take(told(["uno", "\n\ndos"]))]
    assert events == [] if strange >= END else isinstance(events[-1], Done)


async def test_a_reader_who_takes_nothing_is_let_go_also_when_the_answer_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live, "STALLED_SECONDS", 0.05)
    monkeypatch.setattr(live, "SILENCE_SECONDS", 0.02)
    answer = Live(MESSAGE, goes_on=True)
    answer.log.begin(sources(1), ["text"])
    answer.log.end(done())

    async def read_one_batch() -> None:
        async with aclosing(answer.listen().batches(Cursor())) as batches:
            async for _ in batches:
                await asyncio.sleep(60)

    with pytest.raises(asyncio.CancelledError):
        async with asyncio.timeout(2):
            await asyncio.ensure_future(read_one_batch())
    assert not answer.readers


def test_whoever_knows_a_further_attempt_is_not_told_the_one_before_it_by_a_row_that_has_no_other() -> None:
    row, after = EventLog(), text_id(2, 8, 0)
    row.begin(sources(1), ["the first"])
    cursor = Cursor(after)
    assert cursor.take(row) == []
    row.begin(sources(2), ["the second"])
    row.end(done())
    events = cursor.take(row)
    assert "".join(event.token for _, event in events if isinstance(event, Token)) == "nd"
    assert all(number > after for number, _ in events)
