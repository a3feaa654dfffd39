"""Puts together what a model asks for, of the pieces in which an OpenAI-compatible server sends it; pure."""

import re
from typing import Any

import orjson

from agents.llm.base import LONGEST_ARGUMENTS, MOST_WISHES, ToolWish

LONGEST_NAME = 64
_NO_NAME = re.compile(r"[^a-zA-Z0-9_-]")


def name_told(name: str) -> str:
    """As every server takes it back: models invent tools, and a name like `functions.query` would end the answer."""
    return _NO_NAME.sub("_", name[:LONGEST_NAME])


def object_in(arguments: str) -> dict[str, Any]:
    """Empty for arguments that are no JSON object, which many servers do not take back."""
    try:
        read = orjson.loads(arguments)
    except orjson.JSONDecodeError:
        return {}
    return read if isinstance(read, dict) else {}


class WishPieces:
    """Servers differ: most number the calls and send the arguments in pieces, some send each whole and without a
    number, or all under the number 0."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._names: list[str] = []
        self._arguments: list[str] = []
        self._places: dict[object, int] = {}  # by the server's number, and by id

    def feed(self, deltas: object) -> int:
        """Take the `tool_calls` of one message or delta in; how many characters of arguments that were."""
        if not isinstance(deltas, list):
            return 0
        return sum(self._take(one) for one in deltas if isinstance(one, dict))

    @property
    def made(self) -> tuple[ToolWish, ...]:
        """Each that has a name, under its server's id or one of ours."""
        wishes = zip(self._ids, self._names, self._arguments, strict=True)
        return tuple(
            ToolWish(call or f"call_{place}", name_told(name), arguments)
            for place, (call, name, arguments) in enumerate(wishes)
            if name
        )

    def _take(self, delta: dict[str, Any]) -> int:
        function = delta.get("function")
        function = function if isinstance(function, dict) else {}
        place = self._place_of(delta, _text(function.get("name")))
        if place is None:
            return 0
        piece = _text(function.get("arguments"))
        room = LONGEST_ARGUMENTS + 1 - len(self._arguments[place])  # one too long is no JSON, and refused
        self._arguments[place] += piece[: max(0, room)]
        return len(piece)

    def _place_of(self, delta: dict[str, Any], name: str) -> int | None:
        """Where a piece belongs: a name with an id of its own begins a call, whatever its number."""
        call, number = _text(delta.get("id")), delta.get("index")
        place = self._places.get(number if isinstance(number, int) else call or None)
        is_whole = name and not call and not isinstance(number, int)
        is_new = place is None or is_whole or (name and call and self._ids[place] not in ("", call))
        if not is_new:
            return place
        if not name and self._names and not isinstance(number, int):
            return len(self._names) - 1
        if len(self._names) == MOST_WISHES:
            return None
        self._ids.append(call)
        self._names.append(name)
        self._arguments.append("")
        self._places[number if isinstance(number, int) else call or None] = len(self._names) - 1
        return len(self._names) - 1


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
