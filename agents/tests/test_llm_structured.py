"""One JSON object out of what models write around it, and nothing else."""

import asyncio
from typing import Any

import pytest

from agents.llm.base import ModelMessage, ModelRequest, Usage
from agents.llm.openai import OpenAIClient
from agents.llm.structured import AnswerInvalid, structured
from tests.fakes.fixtures import ModelServer

SCHEMA = {"type": "object", "properties": {"a": {"type": "number"}}, "required": ["a"], "additionalProperties": False}


def ask(server: ModelServer, model: str = "fake", seconds: float = 5.0) -> tuple[dict[str, Any], Usage]:
    request = ModelRequest(model, "Judge.", (ModelMessage("user", "{}"),), schema=SCHEMA)
    return asyncio.run(structured(OpenAIClient(model, server.openai_url, "k"), request, seconds))


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
    assert "stream_options" in bodies[-1], "nothing else is given up for it"
