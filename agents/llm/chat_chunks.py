"""Reads the bytes of a streamed `/chat/completions` response as they come; pure, no connection."""

from typing import Any

import orjson

from agents.llm.base import ModelInterrupted, Usage
from agents.llm.tooling.wishes import WishPieces


class ChatChunks:
    """Feed it bytes, cut anywhere; it returns the text that they complete.

    `wishes` are the calls of tools that it asks for. `done` is set by `[DONE]` or by the token cap, `finish_reason`
    and `usage` when the provider says them,
    `failed` by an error object in the stream. `chunks` counts parsed chunks: signs of life, also without text
    (a reasoning model's thoughts). Comments, other fields and lines that are not JSON are ignored.
    """

    def __init__(self, max_tokens: int | None, line_bytes: int, response_bytes: int) -> None:
        self.done = self.failed = False
        self.finish_reason = ""
        self.usage: Usage | None = None
        self.wishes = WishPieces()
        self.chunks = 0
        self._cap = max_tokens
        self._deltas = self._characters = 0
        self._line_bytes, self._bytes_left = line_bytes, response_bytes
        self._buffer = bytearray()

    def feed(self, received: bytes) -> str:
        """The text of all chunks that `received` completes. `ModelInterrupted` beyond the size limits."""
        self._bytes_left -= len(received)
        unread = len(self._buffer)
        self._buffer += received
        end = self._buffer.rfind(b"\n", unread)
        if self._bytes_left < 0 or len(self._buffer) - max(end, 0) > self._line_bytes:
            raise ModelInterrupted
        if end < 0:
            return ""
        lines = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        return self._texts(lines)

    def finish(self) -> str:
        """The text of a last line that no newline ended."""
        last, self._buffer = bytes(self._buffer), bytearray()
        return self._texts(last)

    def _texts(self, lines: bytes) -> str:
        texts = []
        for line in lines.split(b"\n"):
            if line.startswith(b"data:") and not self.done:
                texts.append(self._text(line[5:].strip()))
        return "".join(texts)

    def _text(self, payload: bytes) -> str:
        if payload == b"[DONE]":
            self.done = True
            return ""
        try:
            chunk = orjson.loads(payload)
        except orjson.JSONDecodeError:
            return ""
        return self._read(chunk) if isinstance(chunk, dict) else ""

    def _read(self, chunk: dict[str, Any]) -> str:
        self.chunks += 1
        if chunk.get("error"):
            self.failed = True
        if isinstance(usage := chunk.get("usage"), dict):
            self.usage = _usage(usage)
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return ""
        if isinstance(reason := choice.get("finish_reason"), str):
            self.finish_reason = reason
        delta = choice.get("delta")
        return self._capped(delta) if isinstance(delta, dict) else ""

    def _capped(self, delta: dict[str, Any]) -> str:
        """The delta's text, unless the provider has ignored `max_tokens`: then the answer ends here.

        A delta is at least one token, except from servers that send single characters; and one that sends
        pages per delta must end too. Hence deltas, corrected by the extremes of characters per token.
        """
        content = delta.get("content")
        text = content if isinstance(content, str) else ""
        thought = delta.get("reasoning_content") or delta.get("reasoning")
        length = len(text) + (len(thought) if isinstance(thought, str) else 0)
        if "tool_calls" in delta:
            length += self.wishes.feed(delta["tool_calls"])
        self._deltas += length > 0
        self._characters += length
        at_least = max(min(self._deltas, self._characters // 2), self._characters // 32)
        if self._cap is not None and at_least > self._cap:
            self.done, self.finish_reason = True, "length"
            return ""
        return text


def _usage(counts: dict[str, Any]) -> Usage:
    return Usage(_count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens")))


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
