"""The two formats that the fake model server speaks: OpenAI's chat completions and Anthropic's messages."""

import json
from typing import Any, Protocol

Call = dict[str, Any]  # {"name", "arguments"}
PIECE = 7  # characters of arguments in one delta


def _arguments(call: Call) -> str:
    said = call["arguments"]
    return said if isinstance(said, str) else json.dumps(said)


class Wire(Protocol):
    def system(self, body: dict[str, Any]) -> str: ...
    def refuses(self, body: dict[str, Any], version: str) -> bool: ...
    def whole(self, body: dict[str, Any], answer: str, calls: list[Call]) -> dict[str, Any]: ...
    def error(self, message: str) -> dict[str, Any]: ...
    def opening(self, body: dict[str, Any]) -> bytes: ...
    def token(self, token: str) -> bytes: ...
    def calls(self, calls: list[Call]) -> bytes: ...
    def closing(self, body: dict[str, Any], n: int, no_done: bool) -> bytes: ...
    def stream_error(self, message: str) -> bytes: ...


def _prompt_tokens(body: dict[str, Any]) -> int:
    return len(json.dumps(body["messages"])) // 4 + 1


class OpenAIWire:
    def system(self, body: dict[str, Any]) -> str:
        return "\n".join(str(m["content"]) for m in body["messages"] if m["role"] in {"system", "developer"})

    def refuses(self, body: dict[str, Any], version: str) -> bool:
        return False

    def whole(self, body: dict[str, Any], answer: str, calls: list[Call]) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": answer}
        if calls:
            functions = [{"name": one["name"], "arguments": _arguments(one)} for one in calls]
            message["tool_calls"] = [
                {"id": f"call_{n}", "type": "function", "function": function} for n, function in enumerate(functions)
            ]
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
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

    def calls(self, calls: list[Call]) -> bytes:
        """Each begun, then all of their arguments in pieces, mixed: a server may send them so."""
        said = [
            (0, {"index": n, "id": f"call_{n}", "type": "function", "function": {"name": one["name"], "arguments": ""}})
            for n, one in enumerate(calls)
        ]
        for n, one in enumerate(calls):
            whole = _arguments(one)
            pieces = [whole[place : place + PIECE] for place in range(0, len(whole), PIECE)]
            said += [(1 + k, {"index": n, "function": {"arguments": piece}}) for k, piece in enumerate(pieces)]
        ordered = sorted(said, key=lambda one: one[0])
        return b"".join(self._chunk({"tool_calls": [delta]}) for _, delta in ordered)

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

    def whole(self, body: dict[str, Any], answer: str, calls: list[Call]) -> dict[str, Any]:
        message = self._message(body)
        usage = {**message["usage"], "output_tokens": len(answer.split())}
        content: list[dict[str, Any]] = [{"type": "text", "text": answer}]
        content += [
            {"type": "tool_use", "id": f"toolu_{n}", "name": one["name"], "input": one["arguments"]}
            for n, one in enumerate(calls)
        ]
        return {**message, "content": content, "stop_reason": "tool_use" if calls else "end_turn", "usage": usage}

    def error(self, message: str) -> dict[str, Any]:
        return {"type": "error", "error": {"type": "api_error", "message": message}}

    def opening(self, body: dict[str, Any]) -> bytes:
        block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        start = {"type": "message_start", "message": self._message(body)}
        return self._event(start) + self._event(block) + self._event({"type": "ping"})

    def token(self, token: str) -> bytes:
        delta = {"type": "text_delta", "text": token}
        return self._event({"type": "content_block_delta", "index": 0, "delta": delta})

    def calls(self, calls: list[Call]) -> bytes:
        told = b""
        for n, one in enumerate(calls, 1):
            block = {"type": "tool_use", "id": f"toolu_{n}", "name": one["name"], "input": {}}
            told += self._event({"type": "content_block_start", "index": n, "content_block": block})
            whole = _arguments(one)
            for place in range(0, len(whole), PIECE):
                delta = {"type": "input_json_delta", "partial_json": whole[place : place + PIECE]}
                told += self._event({"type": "content_block_delta", "index": n, "delta": delta})
            told += self._event({"type": "content_block_stop", "index": n})
        return told

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
