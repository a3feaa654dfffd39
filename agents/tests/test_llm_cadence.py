"""Tokens gather while many streams are open; the first never waits, and nothing is lost."""

import asyncio
import time
from collections.abc import Callable
from contextlib import ExitStack, aclosing

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


@pytest.mark.parametrize(
    ("streams", "seconds"), [(1, 0.0), (40, 0.0), (41, 0.0205), (200, 0.1), (1_000, 0.5), (2_000, 1.0), (9_000, 2.5)]
)
def test_the_rest_grows_with_what_is_open(streams: int, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cadence, "_late", 0.0)
    with ExitStack() as stack:
        for _ in range(streams):
            stack.enter_context(cadence.counted())
        assert cadence.pause() == pytest.approx(seconds)
    assert cadence.pause() == 0.0


@pytest.fixture
def rests(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, float], float]:
    """Let so many rests of 200 streams end so many seconds late; how long the next one is."""
    monkeypatch.setattr(cadence, "_late", 0.0)
    monkeypatch.setattr(cadence, "_open", 200)
    clock = [0.0]

    def rest(count: int, late: float) -> float:
        async def sleep(seconds: float) -> None:
            clock[0] += seconds + late

        async def resting() -> None:
            with monkeypatch.context() as patch:
                patch.setattr(asyncio.get_running_loop(), "time", lambda: clock[0])
                patch.setattr(cadence.asyncio, "sleep", sleep)
                for _ in range(count):
                    await cadence._sleep(0.1)

        asyncio.run(resting())
        return cadence.pause()

    return rest


def test_on_a_late_loop_streams_rest_longer_and_recover(rests: Callable[[int, float], float]) -> None:
    """What has begun to speak makes room for questions that have not been answered yet."""
    assert rests(500, 0.0005) == pytest.approx(0.1)
    assert 0.35 < rests(500, 0.004) <= 0.4
    assert rests(500, 0.03) == cadence.LONGEST
    assert rests(1_000, 0.0005) == pytest.approx(0.1)


def test_a_process_that_was_stopped_for_a_minute_is_soon_itself_again(rests: Callable[[int, float], float]) -> None:
    """Every rest that was taken meanwhile ends a minute late, all at once."""
    rests(200, 60.0)
    assert rests(500, 0.0005) == pytest.approx(0.1)


@pytest.mark.parametrize("streams", [1, 40])
async def test_few_streams_never_rest_whatever_the_loop_went_through(
    streams: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cadence, "_late", 1.0)
    monkeypatch.setattr(cadence, "_open", streams)
    assert cadence.pause() == 0.0


async def test_a_stream_alone_is_told_as_it_comes(client: OpenAIClient, model_server: ModelServer) -> None:
    model_server.script(tokens=TOKENS, pace=0.03)  # slower than a busy machine's hiccups
    heard = await pieces(client)
    assert "".join(text for _, text in heard) == WHOLE
    assert len(heard) > TOKENS / 2


async def test_under_load_tokens_come_together_and_all_of_them(
    client: OpenAIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cadence, "PER_STREAM", 0.1)
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
        patch.setattr(cadence, "PER_STREAM", 60.0)
        patch.setattr(cadence, "LONGEST", 60.0)
        task = asyncio.create_task(listening())
        await model_server.wait_for("active", 1)
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await model_server.wait_for("active", 0)
    assert cadence.pause() == 0.0
