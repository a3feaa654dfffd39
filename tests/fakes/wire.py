"""The two formats that the fake model server speaks: OpenAI's chat completions and Anthropic's messages."""

import json
from typing import Any, Protocol


class Wire(Protocol):
    def system(self, body: dict[str, Any]) -> str: ...
    def refuses(self, body: dict[str, Any], version: str) -> bool: ...
    def whole(self, body: dict[str, Any], answer: str) -> dict[str, Any]: ...
    def error(self, message: str) -> dict[str, Any]: ...
    def opening(self, body: dict[str, Any]) -> bytes: ...
    def token(self, token: str) -> bytes: ...
    def closing(self, body: dict[str, Any], n: int, no_done: bool) -> bytes: ...
    def stream_error(self, message: str) -> bytes: ...


def _prompt_tokens(body: dict[str, Any]) -> int:
    return len(json.dumps(body["messages"])) // 4 + 1


class OpenAIWire:
    def system(self, body: dict[str, Any]) -> str:
        return "\n".join(str(m["content"]) for m in body["messages"] if m["role"] in {"system", "developer"})

    def refuses(self, body: dict[str, Any], version: str) -> bool:
        return False

    def whole(self, body: dict[str, Any], answer: str) -> dict[str, Any]:
        message = {"role": "assistant", "content": answer}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return {
            "object": "chat.completion",
            "choices": [choice],
            "usage": self._usage(body, len(answer.split())),
        }

    def error(self, message: str) -> dict[str, Any]:
        return {"error": {"message": message, "type": "fake_error", "code": None}}

    def opening(self, body: dict[str, Any]) -> bytes:
        return self._chunk({"role": "assistant", "content": ""})

    def token(self, token: str) -> bytes:
        return self._chunk({"content": token})

    def closing(self, body: dict[str, Any], n: int, no_done: bool) -> bytes:
        cap = body.get("max_tokens") or body.get("max_completion_tokens")
        tail = self._chunk({}, "length" if cap and n >= cap else "stop")
        if (body.get("stream_options") or {}).get("include_usage"):
            tail += b"data: %s\n\n" % json.dumps({"choices": [], "usage": self._usage(body, n)}).encode()
        return tail if no_done else tail + b"data: [DONE]\n\n"

    def stream_error(self, message: str) -> bytes:
        return b"data: %s\n\n" % json.dumps(self.error(message)).encode()

    @staticmethod
    def _chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return b"data: %s\n\n" % json.dumps({"object": "chat.completion.chunk", "choices": [choice]}).encode()

    @staticmethod
    def _usage(body: dict[str, Any], n: int) -> dict[str, int]:
        prompt = _prompt_tokens(body)
        return {"prompt_tokens": prompt, "completion_tokens": n, "total_tokens": prompt + n}


class AnthropicWire:
    def system(self, body: dict[str, Any]) -> str:
        system = body.get("system") or ""
        return system if isinstance(system, str) else "\n".join(block["text"] for block in system)

    def refuses(self, body: dict[str, Any], version: str) -> bool:
        """API version 2026-10-21 answers 400 to any sampling parameter; the one before takes them."""
        return version != "2023-06-01" and any(name in body for name in ("temperature", "top_p", "top_k"))

    def whole(self, body: dict[str, Any], answer: str) -> dict[str, Any]:
        message = self._message(body)
        usage = {**message["usage"], "output_tokens": len(answer.split())}
        content = [{"type": "text", "text": answer}]
        return {**message, "content": content, "stop_reason": "end_turn", "usage": usage}

    def error(self, message: str) -> dict[str, Any]:
        return {"type": "error", "error": {"type": "api_error", "message": message}}

    def opening(self, body: dict[str, Any]) -> bytes:
        block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        start = {"type": "message_start", "message": self._message(body)}
        return self._event(start) + self._event(block) + self._event({"type": "ping"})

    def token(self, token: str) -> bytes:
        delta = {"type": "text_delta", "text": token}
        return self._event({"type": "content_block_delta", "index": 0, "delta": delta})

    def closing(self, body: dict[str, Any], n: int, no_done: bool) -> bytes:
        reason = "max_tokens" if n >= body["max_tokens"] else "end_turn"
        delta = {"stop_reason": reason, "stop_sequence": None}
        tail = self._event({"type": "content_block_stop", "index": 0})
        tail += self._event({"type": "message_delta", "delta": delta, "usage": {"output_tokens": n}})
        return tail if no_done else tail + self._event({"type": "message_stop"})

    def stream_error(self, message: str) -> bytes:
        return self._event({"type": "error", "error": {"type": "overloaded_error", "message": message}})

    @staticmethod
    def _message(body: dict[str, Any]) -> dict[str, Any]:
        usage = {"input_tokens": _prompt_tokens(body), "output_tokens": 1}
        empty = {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
        return {"id": "msg_fake", "type": "message", "role": "assistant", "model": body["model"], **empty}

    @staticmethod
    def _event(event: dict[str, Any]) -> bytes:
        return b"event: %s\ndata: %s\n\n" % (event["type"].encode(), json.dumps(event).encode())
