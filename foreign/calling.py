"""One call of a foreign tool: arguments that meet its schema go there, and lines of untrusted text come back."""

import json
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any
from uuid import UUID

from accounts.tenancy.scope import system_scope
from foreign.arguments import fault_of
from foreign.conversing import RpcRefused, Session, use_server
from foreign.definitions import ReadTool, read_tools_told
from foreign.models import ForeignTool
from foreign.problems import ArgumentsRefused, ToolChanged, ToolFailed
from tools.engines.cells import visible

MOST_CHARACTERS, LONGEST_LINE, MOST_LINES = 8_000, 2_000, 200  # of a result; all of it is told to the model
LONGEST_REASON, LONGEST_ARGUMENTS = 500, 10_000
LOOKED_AT_SECONDS = 300.0  # so long a tool counts as what its server said of it last
MOST_LOOKED_AT = 1_000
OTHER_CONTENT = {"image": "an image", "audio": "a sound", "resource": "a resource", "resource_link": "a link"}
_looked_at: OrderedDict[tuple[UUID, str], float] = OrderedDict()
_lock = Lock()


@dataclass(frozen=True, slots=True)
class ForeignAnswer:
    """`truncated`: there was more than is kept."""

    lines: list[str]
    truncated: bool


def call_foreign_tool(tool: ForeignTool, arguments: Mapping[str, Any]) -> ForeignAnswer:
    """Sends the arguments and nothing else of whoever asks. Raises ArgumentsRefused, ToolFailed, ToolChanged,
    ServerUnavailable, ServerUnusable, Busy."""
    if fault := fault_of(tool.input_schema, arguments) or _length_fault(arguments):
        raise ArgumentsRefused(reason=fault)

    async def call(session: Session) -> dict[str, Any] | _Changed:
        changed = await _change_of(session, tool)
        asked = {"name": tool.name, "arguments": dict(arguments)}
        return changed or await session.request("tools/call", asked)

    try:
        result = use_server(tool.server, call)
    except RpcRefused as error:
        raise ToolFailed(reason=words_of_failure(error.said)) from None
    if isinstance(result, _Changed):
        _note_change(tool, result.now)
        raise ToolChanged
    answer = lines_said(result)
    if result.get("isError") is True:
        raise ToolFailed(reason=words_of_failure(" ".join(answer.lines)))
    return answer


def _length_fault(arguments: Mapping[str, Any]) -> str:
    try:
        length = len(json.dumps(arguments, allow_nan=False))
        json.dumps(arguments, ensure_ascii=False).encode()  # halves of characters are in no text
    except (ValueError, RecursionError):
        return "The arguments are no JSON that can be sent."
    return f"The arguments are longer than {LONGEST_ARGUMENTS} characters." if length > LONGEST_ARGUMENTS else ""


@dataclass(frozen=True, slots=True)
class _Changed:
    """`now`: what the server says of the tool; None where it is gone."""

    now: ReadTool | None


async def _change_of(session: Session, tool: ForeignTool) -> _Changed | None:
    """Whether the server no longer says of the tool what an admin has chosen."""
    known = (tool.pk, tool.digest)
    now = time.monotonic()
    with _lock:
        if now - _looked_at.get(known, -LOOKED_AT_SECONDS) < LOOKED_AT_SECONDS:
            return None
    now_told = read_tools_told((await session.list_tools()).tools).get(tool.name)
    if now_told is None or now_told.digest != tool.digest:
        return _Changed(now_told)
    with _lock:
        _looked_at[known] = now
        _looked_at.move_to_end(known)
        if len(_looked_at) > MOST_LOOKED_AT:
            _looked_at.popitem(last=False)
    return None


def _note_change(tool: ForeignTool, now: ReadTool | None) -> None:
    """In the system's name: whoever asks may use what admins chose, and not change it. All that is said, for an admin
    chooses what the page shows."""
    said = {} if now is None else now._asdict()
    with system_scope():
        ForeignTool.objects.filter(pk=tool.pk, digest=tool.digest).update(**said, is_there=now is not None)


def lines_said(result: Mapping[str, Any]) -> ForeignAnswer:
    """Texts in lines; what is neither text nor data is named and not shown."""
    lines: list[str] = []
    room, truncated = MOST_CHARACTERS, False
    for line in _lines_of(result):
        kept = line[: min(LONGEST_LINE, room)]
        truncated = truncated or kept != line
        if kept:
            lines.append(kept)
        room -= len(kept)
        if room <= 0 or len(lines) >= MOST_LINES:
            return ForeignAnswer(lines, True)
    return ForeignAnswer(lines, truncated)


def _lines_of(result: Mapping[str, Any]) -> Iterator[str]:
    content = result.get("content")
    blocks = [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []
    texts = [str(one["text"]) for one in blocks if one.get("type") == "text" and isinstance(one.get("text"), str)]
    if not any(texts) and isinstance(result.get("structuredContent"), dict):
        texts = [json.dumps(result["structuredContent"], ensure_ascii=False)]
    for text in texts:
        for line in text[: 2 * MOST_CHARACTERS].splitlines():
            yield visible(line).strip()
        if len(text) > 2 * MOST_CHARACTERS:
            yield "…"
    for kind, named in OTHER_CONTENT.items():
        if any(one.get("type") == kind for one in blocks):
            yield f"({named} came too, and is not shown)"


def words_of_failure(said: str) -> str:
    return " ".join(visible(said[: 4 * LONGEST_REASON]).split())[:LONGEST_REASON]
