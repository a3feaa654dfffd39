"""One JSON object out of what models write around it, and nothing else."""

from typing import Any

import pytest

from agents.llm.anthropic import AnthropicClient
from agents.llm.base import (
    ModelClient,
    ModelError,
    ModelMessage,
    ModelRejected,
    ModelRequest,
    ModelUnavailable,
    Usage,
)
from agents.llm.openai import OpenAIClient
from agents.llm.structured import AnswerInvalid, ask_structured
from config.concurrency.loops import block_on
from tests.fakes.fixtures import ModelServer

SCHEMA = {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"], "additionalProperties": False}


def ask(server: ModelServer, model: str = "fake", seconds: float = 5.0) -> tuple[dict[str, Any], Usage]:
    request = ModelRequest(model, "Judge.", (ModelMessage("user", "{}"),), schema=SCHEMA)
    return block_on(ask_structured(OpenAIClient(model, server.openai_url, "k"), request, seconds))


@pytest.mark.parametrize(
    "said", ['{"a": 1}', '```json\n{"a": 1}\n```', '<think>{"a": 0}</think>Here it is: {"a": 1}. Done.']
)
def test_the_object_is_found_in_what_models_write(model_server: ModelServer, said: str) -> None:
    model_server.script(text=said)
    fields, usage = ask(model_server)
    assert fields == {"a": 1}
    assert usage.completion_tokens > 0


@pytest.mark.parametrize("said", ["fine", "[1]", '{"a": ', "x" * 30_000])
def test_anything_else_is_invalid(model_server: ModelServer, said: str) -> None:
    model_server.script(text=said)
    with pytest.raises(AnswerInvalid):
        ask(model_server)


def test_a_silent_model_is_left_in_time(model_server: ModelServer) -> None:
    model_server.script(stall_before=30)
    with pytest.raises(TimeoutError):
        ask(model_server, seconds=0.3)


def test_the_schema_is_asked_for_and_left_out_where_it_is_refused(model_server: ModelServer) -> None:
    model_server.script(text='{"a": 1}')
    model_server.script(refuse="response_format", complaint="unknown field: response_format")
    with pytest.raises(AnswerInvalid):  # the script that refuses then says something else
        ask(model_server, "old")
    bodies = [one["body"] for one in model_server.requests()]
    assert bodies[0]["response_format"]["json_schema"]["schema"] == SCHEMA
    assert "response_format" not in bodies[-1]
    assert bodies[-1].keys() == bodies[0].keys() - {"response_format"}, "nothing else is given up for it"


def client_of(server: ModelServer, provider: str) -> ModelClient:
    if provider == "anthropic":
        return AnthropicClient("claude-fake", "k", server.anthropic_url)
    return OpenAIClient("fake", server.openai_url, "k")


REQUEST = ModelRequest("m", "Judge.", (ModelMessage("user", "{}"),), schema=SCHEMA)
PROVIDERS = pytest.mark.parametrize("provider", ["openai", "anthropic"])


@PROVIDERS
def test_a_whole_answer_comes_in_one_piece_with_what_it_cost(model_server: ModelServer, provider: str) -> None:
    model_server.script(text='{"a": 1}')
    said = block_on(ask_structured(client_of(model_server, provider), REQUEST, 20.0))
    assert said.fields == {"a": 1}
    assert min(said.usage.prompt_tokens, said.usage.completion_tokens) > 0
    body = model_server.requests()[-1]["body"]
    assert not body.get("stream")
    asked = body["response_format"]["json_schema"] if provider == "openai" else body["output_config"]["format"]
    assert asked["schema"] == SCHEMA


@PROVIDERS
def test_a_passing_fault_of_a_whole_answer_is_tried_again_when_the_provider_says(
    model_server: ModelServer, provider: str
) -> None:
    model_server.script(text='{"a": 1}')
    model_server.script(status=429, retry_after="0.1", times=1)
    assert block_on(ask_structured(client_of(model_server, provider), REQUEST, 20.0)).fields == {"a": 1}
    assert model_server.stats()["requests"] == 2


@PROVIDERS
@pytest.mark.parametrize(
    ("fault", "error"),
    [({"status": 401}, ModelRejected), ({"status": 503}, ModelUnavailable), ({"hangup": True}, ModelUnavailable)],
)
def test_a_provider_s_words_never_leave(
    model_server: ModelServer, provider: str, fault: dict[str, Any], error: type[ModelError]
) -> None:
    model_server.script(**fault)
    with pytest.raises(error) as caught:
        block_on(client_of(model_server, provider).complete(REQUEST))
    assert "upstream-secret" not in caught.value.detail


@PROVIDERS
def test_redirects_are_not_followed(model_server: ModelServer, provider: str) -> None:
    model_server.script(redirect=model_server.openai_url + "/chat/completions", times=1)
    with pytest.raises(ModelRejected):
        block_on(client_of(model_server, provider).complete(REQUEST))
    assert model_server.stats()["requests"] == 1


def test_a_local_server_is_sent_no_key(model_server: ModelServer) -> None:
    model_server.script(text='{"a": 1}')
    block_on(OpenAIClient("fake", model_server.openai_url).complete(REQUEST))
    assert "Authorization" not in model_server.requests()[-1]["headers"]
