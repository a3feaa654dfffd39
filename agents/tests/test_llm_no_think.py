"""`/no_think`: said to the models that understand it, and to no other."""

from typing import Any

import pytest

from agents.llm.base import ModelMessage, ModelRequest
from agents.llm.dialect import NO_THINK, understands_no_think, without_thinking
from agents.llm.openai import OpenAIClient
from config.concurrency.loops import block_on
from tests.fakes.fixtures import ModelServer

REQUEST = ModelRequest("", "Be useful.", (ModelMessage("assistant", "Hello."), ModelMessage("user", "What is NAT?")))


@pytest.mark.parametrize(
    "model", ["qwen3:4b", "qwen3", "Qwen/Qwen3-32B", "qwen3-8b", "qwen3:30b-a3b", "hf.co/x/Qwen3-4B-GGUF:Q4"]
)
def test_the_qwen_3_family_understands_it(model: str) -> None:
    assert understands_no_think(model)


@pytest.mark.parametrize(
    "model",
    ["qwen2.5:7b", "qwen3.5:4b", "gpt-4o-mini", "", "qwen3-coder:30b", "Qwen/Qwen3-4B-Instruct-2507", "my-qwen3",
     "Qwen3-30B-A3B-Thinking-2507", "qwen30"],
)  # fmt: skip
def test_others_would_take_it_for_a_part_of_the_question(model: str) -> None:
    assert not understands_no_think(model)
    assert without_thinking(model, REQUEST) is REQUEST


def test_families_are_a_setting(settings: Any) -> None:
    settings.NO_THINK_MODELS = ["smol-thinker"]
    assert understands_no_think("smol-thinker:3b")
    assert not understands_no_think("qwen3:4b")
    settings.NO_THINK_MODELS = []
    assert not understands_no_think("qwen3:4b")


def test_it_stands_behind_the_last_message_of_streams_and_whole_answers(model_server: ModelServer) -> None:
    client = OpenAIClient("qwen3:4b", model_server.openai_url)

    async def ask() -> None:
        async for _event in client.stream(REQUEST):
            pass
        await client.complete(REQUEST)

    block_on(ask())
    said = [[one["content"] for one in sent["body"]["messages"]] for sent in model_server.requests()]
    assert said == [["Be useful.", "Hello.", f"What is NAT? {NO_THINK}"]] * 2
