"""Tokens gather while many streams are open; the first never waits, and nothing is lost."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass

import pytest

from agents.llm import cadence
from agents.llm.base import ModelMessage, ModelRequest, TextDelta
from agents.llm.limits import CallLimits
from agents.llm.openai import OpenAIClient
from tests.fakes.fixtures import ModelServer

LIMITS = CallLimits(connect=5, first_token=5, idle=5, total=30)
REQUEST = ModelRequest(model="", system="", messages=(ModelMessage("user", "¿Qué es una lista?"),))
TOKENS = 30
WHOLE = " ".join(f"palabra{n}" for n in range(TOKENS))


@pytest.fixture
def client(model_server: ModelServer) -> OpenAIClient:
    model_server.script(tokens=TOKENS, pace=0.01)
    return OpenAIClient("steady", model_server.openai_url, "key", LIMITS)


async def pieces(client: OpenAIClient) -> list[tuple[float, str]]:
    """When each piece came, in seconds from the first, and its text."""
    heard = [(time.monotonic(), event.text) async for event in client.stream(REQUEST) if isinstance(event, TextDelta)]
    return [(moment - heard[0][0], text) for moment, text in heard]


@pytest.fixture
def calm(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
    """So many open streams, and so many pieces of work that threads have or wait for."""

    def set_to(streams: int, wanted: int) -> None:
        monkeypatch.setattr(cadence, "_open", streams)
        monkeypatch.setattr(cadence, "wanted", lambda: wanted)

    return set_to


@dataclass
class Ticks:
    """Turns whose ticks come when a test says so, after so many seconds."""

    loop: asyncio.AbstractEventLoop
    monkeypatch: pytest.MonkeyPatch
    now: float = 0.0

    def __post_init__(self) -> None:
        self.monkeypatch.setattr(self.loop, "time", lambda: self.now)
        self.monkeypatch.setattr(self.loop, "call_at", lambda due, call: call)
        self.turns = cadence._Turns()

    def come(self, streams: int) -> list["asyncio.Future[None]"]:
        return [self.turns.come() for _ in range(streams)]

    def pass_by(self, seconds: float = cadence.TICK) -> None:
        self.now += seconds
        self.turns._tick()


@pytest.fixture
async def ticks(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Ticks]:
    with monkeypatch.context() as patch:
        yield Ticks(asyncio.get_running_loop(), patch)


def called(resting: list["asyncio.Future[None]"]) -> list[int]:
    return [place for place, turn in enumerate(resting) if turn.done() and not turn.cancelled()]


async def test_turns_come_in_the_order_in_which_streams_read(ticks: Ticks, calm: Callable[[int, int], None]) -> None:
    calm(500, 0)
    resting = ticks.come(100)
    assert called(resting) == []
    ticks.pass_by()
    assert called(resting) == list(range(48))
    ticks.pass_by()
    assert called(resting) == list(range(96))
    ticks.pass_by()
    assert called(resting) == list(range(100))


@pytest.mark.parametrize(("wanted", "turns"), [(0, 48), (1, 24), (11, 4), (100, 0)])
async def test_streams_make_room_for_questions_that_nobody_has_answered(
    wanted: int, turns: int, ticks: Ticks, calm: Callable[[int, int], None]
) -> None:
    calm(0, wanted)
    resting = ticks.come(100)
    ticks.pass_by()
    assert len(called(resting)) == turns


@pytest.mark.parametrize(
    ("computed", "late", "gives_way"),
    [(0.5, 0.0, False), (0.8, 0.0, True), (0.0, 0.6, True), (0.4, 0.4, False)],
    ids=["threads wait", "threads compute", "others have the core", "reads alone"],
)
async def test_room_is_made_only_where_the_core_has_no_time(
    computed: float,
    late: float,
    gives_way: bool,
    ticks: Ticks,
    calm: Callable[[int, int], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What waits for a database that does not answer takes nothing from anybody. Shares of the time that passes."""
    calm(0, 11)
    began = time.process_time()
    monkeypatch.setattr(time, "process_time", lambda: began + computed * ticks.now)
    resting = ticks.come(4_000)
    tick = cadence.TICK / (1 - late)
    while ticks.now < 2 * cadence.LOOKED_AT:
        ticks.turns._began = ticks.now
        ticks.turns._due = ticks.now + cadence.TICK  # or what is late would be waited for
        ticks.pass_by(tick)
    before = len(called(resting))
    ticks.pass_by(tick)
    assert len(called(resting)) - before == (4 if gives_way else 48)


async def test_no_stream_rests_longer_than_the_longest_however_much_is_wanted(
    ticks: Ticks, calm: Callable[[int, int], None]
) -> None:
    calm(500, 1_000_000)
    resting = ticks.come(500)
    for _ in range(round(cadence.LONGEST / cadence.TICK) + 1):
        ticks.pass_by()
    assert called(resting) == list(range(500))


async def test_a_tick_that_was_late_is_not_made_up_for(ticks: Ticks, calm: Callable[[int, int], None]) -> None:
    """A burst of all that were missed would hold up everybody, and keep the streams together from then on."""
    calm(500, 0)
    resting = ticks.come(500)
    ticks.pass_by(0.02)
    assert len(called(resting)) == 48
    assert ticks.turns._due == pytest.approx(ticks.now + cadence.TICK + 0.015), "others wait for the machine too"
    ticks.pass_by(0.02)
    assert ticks.turns._due == pytest.approx(ticks.now + cadence.TICK), "it came when it was due"


async def test_a_process_that_stood_still_for_a_minute_goes_on_as_before(
    ticks: Ticks, calm: Callable[[int, int], None]
) -> None:
    calm(500, 0)
    assert called(ticks.come(500)) == []
    ticks.pass_by(60.0)
    resting = ticks.come(100)
    assert ticks.turns._due == pytest.approx(ticks.now + cadence.TICK)
    ticks.pass_by()
    assert called(resting) == list(range(48))


async def test_who_left_takes_no_turn(ticks: Ticks, calm: Callable[[int, int], None]) -> None:
    calm(500, 0)
    resting = ticks.come(100)
    for left in resting[:30]:
        left.cancel()
    ticks.pass_by()
    assert called(resting) == list(range(30, 78))


async def test_few_streams_never_rest(
    client: OpenAIClient, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, calm: Callable[[int, int], None]
) -> None:
    calm(cadence.FEW - 1, 1_000)
    monkeypatch.setattr(cadence, "TICK", 60.0)
    assert "".join(text for _, text in await pieces(client)) == WHOLE


async def test_a_stream_alone_is_told_as_it_comes(client: OpenAIClient, model_server: ModelServer) -> None:
    model_server.script(tokens=TOKENS, pace=0.03)  # slower than a busy machine's hiccups
    heard = await pieces(client)
    assert "".join(text for _, text in heard) == WHOLE
    assert len(heard) > TOKENS / 2


async def test_under_load_tokens_come_together_and_all_of_them(
    client: OpenAIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cadence, "FEW", 0)
    monkeypatch.setattr(cadence, "TICK", 0.1)
    heard = await pieces(client)
    assert "".join(text for _, text in heard) == WHOLE
    assert len(heard) <= TOKENS / 3
    assert heard[0][1] == "palabra0", "the first token waits for no other"


async def test_a_rest_is_cut_short_with_its_stream(client: OpenAIClient, model_server: ModelServer) -> None:
    model_server.script(endless=True, pace=0.01)

    async def listening() -> None:
        async with aclosing(client.stream(REQUEST)) as stream:
            async for _ in stream:
                pass

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cadence, "FEW", 0)
        patch.setattr(cadence, "TICK", 60.0)
        task = asyncio.create_task(listening())
        await model_server.wait_for("active", 1)
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await model_server.wait_for("active", 0)
    assert cadence._open == 0
