"""The Anthropic client, through the official SDK, against the fake server's `/v1/messages`."""

import asyncio
import time
from contextlib import aclosing
from itertools import count

import pytest

from agents.llm.anthropic import AnthropicClient
from agents.llm.base import (
    Finished,
    ModelInterrupted,
    ModelMessage,
    ModelRejected,
    ModelRequest,
    ModelTimeout,
    ModelUnavailable,
    TextDelta,
    Usage,
)
from agents.llm.limits import CallLimits
from agents.tests.test_llm_openai import PATIENT, heard

_names = count()


def client_of(server, limits=PATIENT, **behaviour):
    query = "&".join(f"{name}={value}" for name, value in behaviour.items())
    return AnthropicClient(f"fake-{next(_names)}?{query}", "secret-key", server.anthropic_url, limits)


def question(**changes):
    values = {"model": "", "system": "Eres útil.", "messages": (ModelMessage("user", "¿Qué es una lista?"),)}
    return ModelRequest(**{**values, **changes})


async def test_an_answer_streams_with_its_temperature(model_server):
    text, rest, error = await heard(client_of(model_server, tokens=4), question(temperature=0.2, max_tokens=99))
    assert error is None
    assert text == "palabra0 palabra1 palabra2 palabra3"
    assert [type(event) for event in rest] == [Usage, Finished]
    assert rest[0].completion_tokens == 4
    assert rest[0].prompt_tokens > 0
    assert rest[1] == Finished("stop")
    body = model_server.requests()[0]["body"]
    assert (body["system"], body["max_tokens"]) == ("Eres útil.", 99)
    assert body["temperature"] == 0.2
    assert model_server.requests()[0]["headers"]["anthropic-version"] == "2023-06-01"


@pytest.mark.parametrize(("wanted", "sent"), [(1.7, 1.0), (0.0, 0.0), (1, 1)])
async def test_a_temperature_that_is_too_hot_for_the_api_is_its_hottest(model_server, wanted, sent):
    await heard(client_of(model_server), question(temperature=wanted))
    assert model_server.requests()[0]["body"]["temperature"] == sent


async def test_without_a_temperature_the_sdk_s_own_version_is_spoken(model_server):
    _, _, error = await heard(client_of(model_server), question())
    assert error is None
    (asked,) = model_server.requests()
    assert "temperature" not in asked["body"]
    assert asked["headers"]["anthropic-version"] != "2023-06-01"


async def test_a_model_that_takes_no_temperature_is_asked_without_and_remembered(model_server):
    client = client_of(model_server)
    model_server.script(refuse="temperature", complaint="`temperature` is deprecated for this model.", times=4)
    text, _, error = await heard(client, question(temperature=0.2))
    assert error is None
    assert text
    assert (await client.complete(question(temperature=0.2))).text
    sent = ["temperature" in one["body"] for one in model_server.requests()]
    assert sent == [True, False, False]
    assert model_server.requests()[-1]["headers"]["anthropic-version"] != "2023-06-01"


async def test_another_complaint_is_not_asked_again(model_server):
    model_server.script(refuse="messages", complaint="messages: too many", times=2)
    _, _, error = await heard(client_of(model_server), question(temperature=0.2))
    assert error.code == "model_rejected"
    assert len(model_server.requests()) == 1


async def test_the_token_cap_is_the_reason_to_finish(model_server):
    _, rest, _ = await heard(client_of(model_server, tokens=4), question(max_tokens=4))
    assert rest[-1] == Finished("length")


async def test_an_empty_system_prompt_is_left_out(model_server):
    _, _, error = await heard(client_of(model_server), question(system=""))
    assert error is None
    assert "system" not in model_server.requests()[0]["body"]


@pytest.mark.parametrize("status", [500, 529, 429])
async def test_a_passing_failure_is_retried_twice(model_server, status):
    text, _, error = await heard(client_of(model_server, status=status, times=2), question())
    assert error is None
    assert text
    _, _, error = await heard(client_of(model_server, status=status), question())
    assert isinstance(error, ModelUnavailable)
    assert model_server.stats()["requests"] == 6


@pytest.mark.parametrize("status", [400, 401, 404])
async def test_a_refusal_is_final_and_its_words_are_not_forwarded(model_server, status):
    _, _, error = await heard(client_of(model_server, status=status), question())
    assert isinstance(error, ModelRejected)
    assert "upstream-secret" not in f"{error} {error.detail}"
    assert model_server.stats()["requests"] == 1


async def test_a_redirect_is_not_followed(model_server):
    model_server.script(redirect=f"{model_server.url}/v1/messages?elsewhere")
    _, _, error = await heard(client_of(model_server), question())
    assert isinstance(error, ModelRejected)
    assert model_server.stats()["requests"] == 1


@pytest.mark.parametrize("fault", ["reset_after", "end_after", "error_after"])
async def test_a_stream_that_breaks_is_interrupted_after_text_and_tried_again_before(model_server, fault):
    text, _, error = await heard(client_of(model_server, **{fault: 3}, pace=0.02), question())
    assert text == "palabra0 palabra1 palabra2"
    assert isinstance(error, ModelInterrupted)
    text, _, error = await heard(client_of(model_server, **{fault: 0}, times=1), question())
    assert error is None
    assert text
    assert model_server.stats()["requests"] == 3


async def test_silence_times_out(model_server):
    limits = CallLimits(first_token=0.3, idle=0.3, total=5)
    await heard(client_of(model_server), question())  # the SDK's import is no silence
    for stalled in (
        client_of(model_server, limits, stall_before=9),
        client_of(model_server, limits, stall_after=0),
    ):
        start = time.monotonic()
        _, _, error = await heard(stalled, question())
        assert isinstance(error, ModelTimeout)
        assert time.monotonic() - start < 1
    text, _, error = await heard(client_of(model_server, limits, stall_after=3), question())
    assert text == "palabra0 palabra1 palabra2"
    assert isinstance(error, ModelTimeout)


async def test_a_cancelled_or_abandoned_question_closes_the_connection_within_a_second(model_server):
    task = asyncio.create_task(heard(client_of(model_server, tokens=1000, pace=0.05), question()))
    await model_server.wait_for("active", 1, 3.0)
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await model_server.wait_for("aborted", 1) < 1
    async with aclosing(client_of(model_server, tokens=1000, pace=0.02).stream(question())) as events:
        assert isinstance(await anext(events), TextDelta)
    assert await model_server.wait_for("aborted", 2) < 1
