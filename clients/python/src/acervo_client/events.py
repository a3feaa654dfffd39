"""Server-sent events, as an answer is streamed in them (WHATWG HTML, "Server-sent events")."""

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple


class Event(NamedTuple):
    """`name` is `sources`, `status`, `token`, `done` or `error`; `data` its JSON; `id` grows within an answer."""

    name: str
    data: dict[str, Any]
    id: int


def events_in(lines: Iterable[str]) -> Iterator[Event]:
    """Comments, which say that the connection lives, are left out."""
    fields: dict[str, str] = {}
    for line in lines:
        if line.startswith(":"):
            continue
        name, _, value = line.partition(":")
        if name:
            value = value.removeprefix(" ")
            fields[name] = f"{fields[name]}\n{value}" if name == "data" and name in fields else value
        elif "data" in fields:
            yield Event(fields.get("event", "message"), json.loads(fields["data"]), int(fields.get("id") or 0))
            fields = {}
