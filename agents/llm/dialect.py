"""How one OpenAI-compatible endpoint wants its request written, learned from what it refuses."""

from dataclasses import dataclass, replace
from typing import Any

import orjson

from agents.llm.base import ModelRequest


@dataclass(frozen=True, slots=True)
class Dialect:
    """The optional parts of a request. Servers differ: older ones refuse `stream_options`, OpenAI's reasoning
    models want `max_completion_tokens` and no temperature."""

    stream_options: bool = True
    token_cap: str = "max_tokens"  # noqa: S105 - a parameter's name
    temperature: bool = True
    json_schema: bool = True

    def simpler(self, complaint: bytes, request: ModelRequest) -> "Dialect | None":
        """The dialect to try after a 400 that says `complaint`; None when nothing is left to leave out."""
        asks_schema = request.schema is not None and self.json_schema
        if asks_schema and (b"response_format" in complaint or b"json_schema" in complaint):
            return replace(self, json_schema=False)
        if b"max_completion_tokens" in complaint and self.token_cap == "max_tokens":  # noqa: S105
            return replace(self, token_cap="max_completion_tokens")  # noqa: S106
        if b"temperature" in complaint and self.temperature:
            return replace(self, temperature=False)
        if self.stream_options:
            return replace(self, stream_options=False)
        return replace(self, json_schema=False) if asks_schema else None

    def body(self, model: str, request: ModelRequest) -> bytes:
        """The JSON body of a streamed `/chat/completions` call."""
        messages = [{"role": message.role, "content": message.content} for message in request.messages]
        if request.system:
            messages.insert(0, {"role": "system", "content": request.system})
        body: dict[str, Any] = {"model": model, "messages": messages, "stream": True}
        if request.temperature is not None and self.temperature:
            body["temperature"] = request.temperature
        if request.max_tokens is not None:
            body[self.token_cap] = request.max_tokens
        if request.schema is not None and self.json_schema:
            wanted = {"name": "answer", "strict": True, "schema": request.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
        if self.stream_options:
            body["stream_options"] = {"include_usage": True}
        return orjson.dumps(body)
