"""Tools by each provider's own way: offered, asked for in pieces, answered, and left away where there are none."""

import re
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from agents.llm.anthropic import AnthropicClient
from agents.llm.base import Finished, ModelMessage, ModelRequest, ToolOffer, ToolRound, ToolWish, Usage
from agents.llm.metering import usage_by_text
from agents.llm.openai import OpenAIClient
from agents.llm.tooling.wishes import WishPieces
from agents.tests.test_llm_openai import heard
from tests.fakes.fixtures import ModelServer

SCHEMA = {"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"]}
OFFER = ToolOffer("query", "Reads rows.", SCHEMA)
ASKED = {"sql": 'SELECT "región" FROM t'}
TWO = [[{"name": "query", "arguments": ASKED}, {"name": "other", "arguments": {"n": 1}}]]
_names = count()


def client_of(provider: str, server: ModelServer) -> Any:
    name = f"fake-tools-{next(_names)}"
    if provider == "openai":
        return OpenAIClient(name, server.openai_url, "secret-key")
    return AnthropicClient(name, "secret-key", server.anthropic_url)


def request_for(**changes: Any) -> ModelRequest:
    asked = ModelRequest(model="", system="Eres útil.", messages=(ModelMessage("user", "¿Cuántos hay?"),))
    return replace(asked, max_tokens=500, **changes)


providers = pytest.mark.parametrize("provider", ["openai", "anthropic"])


@providers
async def test_a_request_without_tools_says_nothing_of_them(provider: str, model_server: ModelServer) -> None:
    await heard(client_of(provider, model_server), request_for())
    (sent,) = model_server.requests()
    known = {"openai": {"stream_options"}, "anthropic": {"system"}}[provider]
    assert set(sent["body"]) == {"model", "messages", "max_tokens", "stream"} | known
    assert all(set(one) == {"role", "content"} for one in sent["body"]["messages"])


@providers
async def test_calls_are_put_together_of_their_pieces(provider: str, model_server: ModelServer) -> None:
    model_server.script(calls=TWO, saying="Voy a mirar.")
    text, rest, error = await heard(client_of(provider, model_server), request_for(tools=(OFFER,)))
    assert error is None
    assert text == "Voy a mirar."
    assert [type(one) for one in rest] == [ToolWish, ToolWish, Usage, Finished]
    assert [one.name for one in rest[:2]] == ["query", "other"]
    assert rest[0].call != rest[1].call
    assert "región" in rest[0].arguments.encode().decode("unicode_escape") or "región" in rest[0].arguments
    assert rest[1].arguments == '{"n": 1}'


@providers
async def test_a_whole_answer_has_its_calls_too(provider: str, model_server: ModelServer) -> None:
    model_server.script(calls=TWO)
    said = await client_of(provider, model_server).complete(request_for(tools=(OFFER,)))
    assert [one.name for one in said.wishes] == ["query", "other"]
    assert said.wishes[1].arguments.replace(" ", "") == '{"n":1}'


@providers
async def test_a_wish_for_a_tool_where_none_was_offered_is_not_heard(provider: str, model_server: ModelServer) -> None:
    model_server.script(calls=TWO, stubborn=True)
    _, rest, error = await heard(client_of(provider, model_server), request_for())
    assert error is None
    assert [type(one) for one in rest] == [Usage, Finished]


def round_of(text: str = "", arguments: str = '{"sql": "SELECT 1"}') -> ToolRound:
    return ToolRound(text, (ToolWish("call_7", "query", arguments),), ("filas",))


async def test_openai_is_told_what_came_of_its_calls(model_server: ModelServer) -> None:
    asked = request_for(tools=(OFFER,), rounds=(round_of(),), must_answer=True)
    await heard(client_of("openai", model_server), asked)
    body = model_server.requests()[0]["body"]
    function = {"name": "query", "description": "Reads rows.", "parameters": SCHEMA}
    assert body["tools"] == [{"type": "function", "function": function}]
    assert body["tool_choice"] == "none"
    called = {"id": "call_7", "type": "function", "function": {"name": "query", "arguments": '{"sql": "SELECT 1"}'}}
    assert body["messages"][2:] == [
        {"role": "assistant", "content": None, "tool_calls": [called]},
        {"role": "tool", "tool_call_id": "call_7", "content": "filas"},
    ]


async def test_arguments_that_are_no_object_are_not_told_back(model_server: ModelServer) -> None:
    """vLLM's and Ollama's servers answer 400 to them, which would be the end of the answer."""
    told = {"": "{}", "no JSON": "{}", "[1]": "{}", '{"a": NaN}': "{}", '{"a": "' + "x" * 50_000: "{}", "{ }": "{}"}
    rounds = tuple(round_of(arguments=one) for one in told)
    await heard(client_of("openai", model_server), request_for(tools=(OFFER,), rounds=rounds))
    calls = [one["tool_calls"][0] for one in model_server.requests()[0]["body"]["messages"] if "tool_calls" in one]
    assert [one["function"]["arguments"] for one in calls] == list(told.values())


@providers
@pytest.mark.parametrize("name", ["functions.query", "multi_tool_use.parallel", "¿qué?", "x" * 1_000])
async def test_a_name_that_a_model_made_up_can_be_told_back(
    name: str, provider: str, model_server: ModelServer
) -> None:
    """OpenAI and Anthropic answer 400 to a history with other characters."""
    model_server.script(calls=[[{"name": name, "arguments": {}}]])
    client, asked = client_of(provider, model_server), request_for(tools=(OFFER,))
    _, rest, _ = await heard(client, asked)
    (whole,) = (await client.complete(asked)).wishes
    assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", rest[0].name)
    assert whole.name == rest[0].name


async def test_anthropic_is_told_what_came_of_its_calls(model_server: ModelServer) -> None:
    rounds = (round_of("Miro."), round_of(arguments="no JSON"))
    await heard(client_of("anthropic", model_server), request_for(tools=(OFFER,), rounds=rounds, must_answer=True))
    body = model_server.requests()[0]["body"]
    assert body["tools"] == [{"name": "query", "description": "Reads rows.", "input_schema": SCHEMA}]
    assert body["tool_choice"] == {"type": "none"}
    used = {"type": "tool_use", "id": "call_7", "name": "query", "input": {"sql": "SELECT 1"}}
    result = {"type": "tool_result", "tool_use_id": "call_7", "content": "filas"}
    assert body["messages"][1:] == [
        {"role": "assistant", "content": [{"type": "text", "text": "Miro."}, used]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": [used | {"input": {}}]},
        {"role": "user", "content": [result]},
    ]


async def test_an_endpoint_that_knows_no_tools_is_asked_without_and_remembered(model_server: ModelServer) -> None:
    client = client_of("openai", model_server)
    model_server.script(refuse="tools", complaint="this model does not support tools")
    for _ in range(2):
        text, _rest, error = await heard(client, request_for(tools=(OFFER,)))
        assert error is None
        assert text.startswith("palabra0")
    assert ["tools" in one["body"] for one in model_server.requests()] == [True, False, False]


@pytest.mark.parametrize(
    "deltas",
    [
        [{"id": "a", "function": {"name": "x", "arguments": "{}"}}, {"id": "b", "function": {"name": "y"}}],
        [
            {"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}},
            {"index": 0, "id": "b", "function": {"name": "y", "arguments": ""}},
        ],
        [{"index": 5, "id": "a", "function": {"name": "x"}}, {"index": 9, "id": "b", "function": {"name": "y"}}],
    ],
    ids=["without numbers", "all under one number", "odd numbers"],
)
def test_servers_number_their_calls_as_they_like(deltas: list[dict[str, Any]]) -> None:
    wishes = WishPieces()
    for one in deltas:
        wishes.feed([one])
    assert [(one.call, one.name) for one in wishes.made] == [("a", "x"), ("b", "y")]


def test_whole_calls_without_a_number_and_an_id_are_calls_of_their_own() -> None:
    wishes = WishPieces()
    wishes.feed([{"function": {"name": "x", "arguments": "{}"}}, {"function": {"name": "y", "arguments": "{}"}}])
    wishes.feed([{"function": {"name": "x", "arguments": '{"a": 1}'}}])
    assert [(one.name, one.arguments) for one in wishes.made] == [("x", "{}"), ("y", "{}"), ("x", '{"a": 1}')]
    assert len({one.call for one in wishes.made}) == 3


def test_pieces_without_a_number_belong_to_the_last_call() -> None:
    wishes = WishPieces()
    for function in ({"name": "x", "arguments": '{"a"'}, {"arguments": ": 1}"}):
        wishes.feed([{"function": function}])
    assert [(one.name, one.arguments) for one in wishes.made] == [("x", '{"a": 1}')]


@pytest.mark.parametrize("hostile", [None, "x", [None], [{"function": 3}], [{"index": [], "function": {"name": 4}}]])
def test_what_is_no_call_is_none(hostile: Any) -> None:
    wishes = WishPieces()
    assert wishes.feed(hostile) == 0
    assert wishes.made == ()


def test_what_a_model_asks_for_is_bounded() -> None:
    wishes = WishPieces()
    for n in range(100):
        wishes.feed([{"index": n, "id": str(n), "function": {"name": "x", "arguments": "1" * 60_000}}])
    assert len(wishes.made) == 20
    assert {len(one.arguments) for one in wishes.made} == {50_001}


def test_tools_and_rounds_are_counted_where_a_provider_does_not_count() -> None:
    plain, with_tools = request_for(), request_for(tools=(OFFER,), rounds=(round_of(),))
    assert usage_by_text(with_tools, "").prompt_tokens > usage_by_text(plain, "").prompt_tokens + 20
