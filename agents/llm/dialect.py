"""How one OpenAI-compatible endpoint wants its request written, learned from what it refuses; and what a model
understands that others would read as a part of the question."""

from dataclasses import dataclass, replace
from typing import Any

import orjson
from django.conf import settings

from agents.llm.base import ModelRequest, ToolRound
from agents.llm.tooling.wishes import object_in


@dataclass(frozen=True, slots=True)
class Dialect:
    """The optional parts of a request. Servers differ: older ones refuse `stream_options`, OpenAI's reasoning
    models want `max_completion_tokens` and no temperature."""

    stream_options: bool = True
    token_cap: str = "max_tokens"  # noqa: S105 - a parameter's name
    temperature: bool = True
    json_schema: bool = True
    tools: bool = True

    def simpler(self, complaint: bytes, request: ModelRequest, *, streams: bool = True) -> "Dialect | None":
        """The dialect to try after a 400 that says `complaint`; None when nothing is left to leave out."""
        if request.tools and self.tools and not request.rounds and b"tool" in complaint:
            return replace(self, tools=False)
        asks_schema = request.schema is not None and self.json_schema
        if asks_schema and (b"response_format" in complaint or b"json_schema" in complaint):
            return replace(self, json_schema=False)
        if b"max_completion_tokens" in complaint and self.token_cap == "max_tokens":  # noqa: S105
            return replace(self, token_cap="max_completion_tokens")  # noqa: S106
        if b"temperature" in complaint and self.temperature:
            return replace(self, temperature=False)
        if streams and self.stream_options:
            return replace(self, stream_options=False)
        return replace(self, json_schema=False) if asks_schema else None

    def body(self, model: str, request: ModelRequest) -> bytes:
        """The JSON body of a streamed `/chat/completions` call."""
        body = {"model": model, **self.parameters(request), "stream": True}
        if self.stream_options:
            body["stream_options"] = {"include_usage": True}
        return orjson.dumps(body)

    def parameters(self, request: ModelRequest) -> dict[str, Any]:
        """What a call says besides the model's name, whether it streams or not."""
        messages: list[dict[str, Any]] = [
            {"role": message.role, "content": message.content} for message in request.messages
        ]
        if request.system:
            messages.insert(0, {"role": "system", "content": request.system})
        said: dict[str, Any] = {"messages": messages}
        if request.tools and self.tools:
            messages += [message for one in request.rounds for message in _messages_of(one)]
            said |= _offered(request)
        if request.temperature is not None and self.temperature:
            said["temperature"] = request.temperature
        if request.max_tokens is not None:
            said[self.token_cap] = request.max_tokens
        if request.schema is not None and self.json_schema:
            wanted = {"name": "answer", "strict": True, "schema": request.schema}
            said["response_format"] = {"type": "json_schema", "json_schema": wanted}
        return said


def _offered(request: ModelRequest) -> dict[str, Any]:
    """All of them also where none may be called any more: what was called before must be known."""
    tools = [
        {
            "type": "function",
            "function": {"name": one.name, "description": one.description, "parameters": one.input_schema},
        }
        for one in request.tools
    ]
    return {"tools": tools, **({"tool_choice": "none"} if request.must_answer else {})}


def _messages_of(one: ToolRound) -> list[dict[str, Any]]:
    """Arguments that were no JSON object come back as none: vLLM's and Ollama's servers take nothing else."""
    calls = [
        {
            "id": wish.call,
            "type": "function",
            "function": {"name": wish.name, "arguments": wish.arguments if object_in(wish.arguments) else "{}"},
        }
        for wish in one.wishes
    ]
    results = zip(one.wishes, one.results, strict=True)
    return [
        {"role": "assistant", "content": one.text or None, "tool_calls": calls},
        *({"role": "tool", "tool_call_id": wish.call, "content": result} for wish, result in results),
    ]


_LEARNED: dict[tuple[str, str], Dialect] = {}  # by endpoint and model; both come from settings and admins


def dialect_of(url: str, model: str) -> Dialect:
    """What this endpoint was found to understand, for streams and whole answers alike."""
    return _LEARNED.get((url, model), Dialect())


def remember(url: str, model: str, dialect: Dialect, request: ModelRequest) -> None:
    """Every organization's questions are then asked in it: another service's tool, which one of them was lent, says
    nothing about whether tools are understood."""
    if any(one.is_foreign for one in request.tools):
        dialect = replace(dialect, tools=dialect_of(url, model).tools)
    _LEARNED[url, model] = dialect


NO_THINK = "/no_think"
# Of the Qwen 3 family, those that always think or never do: they know no switch.
SWITCHLESS = ("2507", "instruct", "thinking", "coder", "next", "max", "vl", "omni")


def understands_no_think(model: str) -> bool:
    """Whether a model's name is of a family of NO_THINK_MODELS, such as qwen3:4b and Qwen/Qwen3-32B of qwen3."""
    name = model.rsplit("/", 1)[-1].lower()
    families = tuple(family.lower() for family in settings.NO_THINK_MODELS)
    if name in families:
        return True
    is_of_family = name.startswith(tuple(f"{family}{mark}" for family in families for mark in ":-"))
    return is_of_family and not any(variant in name for variant in SWITCHLESS)


def without_thinking(model: str, request: ModelRequest) -> ModelRequest:
    """The request with Qwen 3's own switch behind the last message (book-tutor.es.md): such a model then answers at
    once, instead of thinking for as long as the reader waits and being stripped of it."""
    if not request.messages or not understands_no_think(model):
        return request
    *before, last = request.messages
    return replace(request, messages=(*before, replace(last, content=f"{last.content} {NO_THINK}")))
