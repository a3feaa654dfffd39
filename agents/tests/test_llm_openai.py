"""The OpenAI-compatible client against a real server process that misbehaves on demand."""

import asyncio
import time
from contextlib import aclosing
from itertools import count

import pytest

from agents.llm.base import (
    Finished,
    ModelError,
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
from agents.llm.openai import OpenAIClient
from tests.fakes.fixtures import ModelServer

PATIENT = CallLimits(connect=10, first_token=20, idle=20, total=60, backoff=0.01)  # on a busy machine
QUICK = CallLimits(connect=1, first_token=0.5, idle=0.3, total=3, backoff=0.01)  # where a model says nothing
_names = count()


def request_for(**changes):
    values = {"model": "", "system": "Eres útil.", "messages": (ModelMessage("user", "¿Qué es una lista?"),)}
    return ModelRequest(**{**values, **changes})


def client_of(server: ModelServer, limits: CallLimits = PATIENT, key: str = "secret-key", **behaviour):
    """Each test its own model, because what an endpoint refuses is remembered by model."""
    query = "&".join(f"{name}={value}" for name, value in behaviour.items())
    return OpenAIClient(f"fake-{next(_names)}?{query}", server.openai_url, key, limits)


async def heard(client, request=None):
    """The text, the other events, and the error that ended the stream, if any."""
    text, rest, error = "", [], None
    try:
        async for event in client.stream(request or request_for()):
            if isinstance(event, TextDelta):
                assert event.text
                text += event.text
            else:
                rest.append(event)
    except ModelError as caught:
        error = caught
    return text, rest, error


async def test_an_answer_streams_its_text_then_usage_then_its_end(model_server):
    text, rest, error = await heard(client_of(model_server, tokens=5), request_for(max_tokens=50, temperature=0.2))
    assert error is None
    assert text == "palabra0 palabra1 palabra2 palabra3 palabra4"
    assert [type(event) for event in rest] == [Usage, Finished]
    assert rest[0].completion_tokens == 5
    assert rest[0].prompt_tokens > 0
    assert rest[1] == Finished("stop")
    [sent] = model_server.requests()
    assert sent["headers"]["Authorization"] == "Bearer secret-key"
    assert sent["body"]["messages"] == [
        {"role": "system", "content": "Eres útil."},
        {"role": "user", "content": "¿Qué es una lista?"},
    ]
    assert sent["body"]["stream_options"] == {"include_usage": True}
    assert (sent["body"]["max_tokens"], sent["body"]["temperature"]) == (50, 0.2)


async def test_without_a_key_none_is_sent(model_server):
    await heard(client_of(model_server, key=""))
    assert "Authorization" not in model_server.requests()[0]["headers"]


@pytest.mark.parametrize("status", [500, 503, 429, 408])
async def test_a_passing_failure_before_the_first_token_is_retried(model_server, status):
    text, _, error = await heard(client_of(model_server, status=status, times=2, tokens=2))
    assert error is None
    assert text.startswith("palabra0")
    assert model_server.stats()["requests"] == 3


async def test_after_two_retries_the_model_is_unavailable(model_server):
    _, _, error = await heard(client_of(model_server, status=503))
    assert isinstance(error, ModelUnavailable)
    assert error.code == "model_unavailable"
    assert model_server.stats()["requests"] == 3


async def test_a_connection_that_closes_without_a_response_is_retried(model_server):
    _, _, error = await heard(client_of(model_server, hangup=1, times=1))
    assert error is None
    assert model_server.stats()["requests"] == 2


async def test_an_endpoint_where_nobody_listens_is_unavailable():
    _, _, error = await heard(OpenAIClient("m", "http://127.0.0.1:9/v1", "", QUICK))
    assert isinstance(error, ModelUnavailable)


async def test_retry_after_is_waited_for(model_server):
    start = time.monotonic()
    _, _, error = await heard(client_of(model_server, status=429, times=1, retry_after="0.4"))
    assert error is None
    assert 0.4 <= time.monotonic() - start < 1.5


async def test_a_retry_after_beyond_the_bound_fails_at_once(model_server):
    start = time.monotonic()
    _, _, error = await heard(client_of(model_server, status=429, retry_after="3600"))
    assert isinstance(error, ModelUnavailable)
    assert error.retry_after == 3600
    assert time.monotonic() - start < 1
    assert model_server.stats()["requests"] == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
async def test_a_refusal_is_not_retried_and_its_words_are_not_forwarded(model_server, status):
    _, _, error = await heard(client_of(model_server, status=status, complaint="upstream-secret in org-123"))
    assert isinstance(error, ModelRejected)
    assert "upstream-secret" not in f"{error} {error.detail} {error!r}"
    assert model_server.stats()["requests"] == (2 if status == 400 else 1)  # a 400 is asked again, more simply


async def test_a_redirect_is_not_followed(model_server):
    target = f"{model_server.url}/v1/chat/completions?elsewhere"
    model_server.script(redirect=target)
    _, _, error = await heard(client_of(model_server))
    assert isinstance(error, ModelRejected)
    assert model_server.stats()["requests"] == 1


async def test_a_server_that_refuses_stream_options_is_asked_without_and_remembered(model_server):
    client = client_of(model_server, refuse="stream_options", tokens=3)
    for _ in range(2):
        text, rest, error = await heard(client)
        assert error is None
        assert text
        assert rest == [Finished("stop")]
    assert model_server.stats()["requests"] == 3  # the second answer asked right at once
    assert "stream_options" not in model_server.requests()[-1]["body"]


async def test_a_model_that_wants_other_parameters_gets_them(model_server):
    model_server.script(refuse="temperature", complaint="'temperature' does not support 0.2", times=2)
    model_server.script(refuse="max_tokens", complaint="Use 'max_completion_tokens' instead.", times=1)
    _, _, error = await heard(client_of(model_server), request_for(max_tokens=40, temperature=0.2))
    assert error is None
    body = model_server.requests()[-1]["body"]
    assert body["max_completion_tokens"] == 40
    assert not {"max_tokens", "temperature"} & set(body)


async def test_a_stall_before_the_first_token_times_out_without_retry(model_server):
    for stalled in (client_of(model_server, QUICK, stall_before=30), client_of(model_server, QUICK, stall_after=0)):
        start = time.monotonic()
        _, _, error = await heard(stalled)
        assert isinstance(error, ModelTimeout)
        assert time.monotonic() - start < 1
    assert model_server.stats()["requests"] == 2
    await model_server.wait_for("active", 0)


async def test_silence_after_some_tokens_times_out_and_keeps_them(model_server):
    text, _, error = await heard(client_of(model_server, QUICK, stall_after=3))
    assert text == "palabra0 palabra1 palabra2"
    assert isinstance(error, ModelTimeout)
    await model_server.wait_for("active", 0)


async def test_comments_are_no_sign_of_life(model_server):
    _, _, error = await heard(client_of(model_server, QUICK, comments=0.05))
    assert isinstance(error, ModelTimeout)


async def test_a_trickle_ends_at_the_deadline(model_server):
    limits = CallLimits(first_token=1, idle=1, total=0.8)
    text, _, error = await heard(client_of(model_server, limits, tokens=100, pace=0.1))
    assert text
    assert isinstance(error, ModelTimeout)


async def test_a_model_that_never_ends_is_stopped_at_the_token_cap(model_server):
    text, rest, error = await heard(client_of(model_server, endless=1), request_for(max_tokens=40))
    assert error is None
    assert rest[-1] == Finished("length")
    assert 38 <= len(text.split()) <= 40
    await model_server.wait_for("aborted", 1)


async def test_a_model_that_never_ends_without_a_cap_is_stopped_by_size(model_server):
    limits = CallLimits(first_token=1, idle=1, total=10, response_bytes=300_000)
    text, _, error = await heard(client_of(model_server, limits, endless=1))
    assert text
    assert isinstance(error, ModelInterrupted)


@pytest.mark.parametrize("fault", ["reset_after", "end_after", "error_after"])
async def test_a_stream_that_breaks_after_text_is_interrupted_and_not_retried(model_server, fault):
    text, _, error = await heard(client_of(model_server, **{fault: 3}, pace=0.02))
    assert text == "palabra0 palabra1 palabra2"
    assert isinstance(error, ModelInterrupted)
    assert "upstream-secret" not in error.detail
    assert model_server.stats()["requests"] == 1


@pytest.mark.parametrize("fault", ["reset_after", "end_after", "error_after"])
async def test_a_stream_that_breaks_before_text_is_tried_again(model_server, fault):
    text, _, error = await heard(client_of(model_server, **{fault: 0}, times=1, tokens=2))
    assert error is None
    assert text
    assert model_server.stats()["requests"] == 2


async def test_an_answer_is_complete_with_its_finish_reason_though_the_server_says_no_more(model_server, monkeypatch):
    monkeypatch.setattr("agents.llm.openai.AFTER_FINISH", 0.2)
    _, rest, error = await heard(client_of(model_server, no_done=1))
    assert error is None
    assert rest[-1] == Finished("stop")


async def test_a_cancelled_question_closes_the_connection_within_a_second(model_server):
    task = asyncio.create_task(heard(client_of(model_server, tokens=1000, pace=0.05)))
    await model_server.wait_for("active", 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await model_server.wait_for("aborted", 1) < 1
    assert model_server.stats()["active"] == 0


async def test_a_consumer_that_stops_closes_the_connection_within_a_second(model_server):
    async with aclosing(client_of(model_server, tokens=1000, pace=0.02).stream(request_for())) as events:
        async for _ in events:
            break
    assert await model_server.wait_for("aborted", 1) < 1


async def test_two_hundred_disconnects_leave_nothing_open(model_server):
    client = client_of(model_server, endless=1, pace=0.02)

    async def leave_early():
        async with aclosing(client.stream(request_for())) as events:
            await anext(events)

    tasks_before = len(asyncio.all_tasks())
    await asyncio.gather(*(leave_early() for _ in range(200)))
    await model_server.wait_for("active", 0, 10.0)
    assert model_server.stats()["aborted"] == 200
    assert len(asyncio.all_tasks()) <= tasks_before


async def test_questions_in_sequence_share_one_connection(model_server):
    from agents.llm.openai import _SESSIONS

    client = client_of(model_server, tokens=3)
    for _ in range(5):
        await heard(client)
    session = await _SESSIONS.get()
    assert sum(len(connections) for connections in session.connector._conns.values()) == 1


def test_each_event_loop_has_its_own_session_and_closes_it(model_server):
    for _ in range(3):
        text, _, error = asyncio.run(heard(client_of(model_server)))
        assert (bool(text), error) == (True, None)
