"""Tools as Anthropic's Messages API has them: offered, asked for in blocks, and answered by blocks."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import orjson

from agents.llm.base import LONGEST_ARGUMENTS, MOST_WISHES, ModelRequest, ToolRound, ToolWish
from agents.llm.tooling.wishes import name_told, object_in

if TYPE_CHECKING:
    from anthropic.types import ContentBlock, RawMessageStreamEvent
    from anthropic.types.raw_content_block_start_event import ContentBlock as RawContentBlock


def offered(request: ModelRequest) -> dict[str, Any]:
    """All of them also where none may be called any more: what was called before must be known."""
    if not request.tools:
        return {}
    tools = [
        {"name": one.name, "description": one.description, "input_schema": dict(one.input_schema)}
        for one in request.tools
    ]
    return {"tools": tools, **({"tool_choice": {"type": "none"}} if request.must_answer else {})}


def messages_with_rounds(request: ModelRequest) -> list[dict[str, Any]]:
    said = [{"role": message.role, "content": message.content} for message in request.messages]
    return [*said, *(message for one in request.rounds for message in _messages_of(one))]


def _messages_of(one: ToolRound) -> Iterable[dict[str, Any]]:
    """Arguments that were no JSON object come back as none: the API takes nothing else."""
    text = [{"type": "text", "text": one.text}] if one.text.strip() else []
    uses = [
        {"type": "tool_use", "id": wish.call, "name": wish.name, "input": object_in(wish.arguments)}
        for wish in one.wishes
    ]
    results = [
        {"type": "tool_result", "tool_use_id": wish.call, "content": result}
        for wish, result in zip(one.wishes, one.results, strict=True)
    ]
    yield {"role": "assistant", "content": [*text, *uses]}
    yield {"role": "user", "content": results}


class Blocks:
    """The calls that a stream asks for: a block for each, whose input comes in pieces of JSON."""

    def __init__(self) -> None:
        self._begun: dict[int, tuple[str, str]] = {}
        self._arguments: dict[int, str] = {}

    def feed(self, event: "RawMessageStreamEvent") -> None:
        if event.type == "content_block_start":
            self._begin(event.index, event.content_block)
        elif event.type == "content_block_delta" and event.delta.type == "input_json_delta":
            arguments = self._arguments.get(event.index)
            if arguments is not None and len(arguments) <= LONGEST_ARGUMENTS:  # one too long is no JSON, and refused
                self._arguments[event.index] += event.delta.partial_json[:LONGEST_ARGUMENTS]

    def _begin(self, place: int, block: "RawContentBlock") -> None:
        if block.type == "tool_use" and len(self._begun) < MOST_WISHES:
            self._begun[place] = (block.id, name_told(block.name))
            self._arguments[place] = ""

    @property
    def made(self) -> tuple[ToolWish, ...]:
        """A call without arguments is sent without any JSON."""
        return tuple(ToolWish(*begun, self._arguments[place] or "{}") for place, begun in self._begun.items())


def wishes_in(content: "Iterable[ContentBlock]") -> tuple[ToolWish, ...]:
    """The same of a whole answer."""
    asked = [block for block in content if block.type == "tool_use"][:MOST_WISHES]
    return tuple(ToolWish(one.id, name_told(one.name), orjson.dumps(one.input).decode()) for one in asked)
