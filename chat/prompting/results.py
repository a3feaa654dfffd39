"""What a tool answered, as the model that asked for it reads it: numbered, delimited as untrusted, bounded; pure."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import orjson

from chat.prompting.build import TITLE_CHARACTERS, neutralise

MOST_CHARACTERS = 8_000  # of the rows of one result: some 3,000 tokens
SCALARS = (str, int, float, bool, type(None))


def table_of(result: Mapping[str, Any]) -> tuple[list[dict[str, str]], list[list[Any]]]:
    """Columns and rows of what a tool answers. One that answers no table is one of names and values."""
    columns, rows = result.get("columns"), result.get("rows")
    if isinstance(columns, list) and isinstance(rows, list):
        return columns, rows
    named = [{"name": "name", "type": "text"}, {"name": "value", "type": "text"}]
    return named, [[name, value if isinstance(value, SCALARS) else _json(value)] for name, value in result.items()]


def result_text(
    n: int,
    title: str,
    columns: Sequence[Mapping[str, str]],
    rows: Sequence[Sequence[Any]],
    *,
    truncated: bool,
    numbers: Mapping[str, Any] | None = None,
) -> str:
    """A row is a line of JSON. Says how many there are where not all are told. `numbers`: what was computed of all
    rows, which stands before them."""
    head = [_json(numbers)[:MOST_CHARACTERS]] if numbers else []
    lines, room = [_json([one["name"] for one in columns])], MOST_CHARACTERS
    for row in rows:
        line = _json(row)
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    told = len(lines) - 1
    lines = [*head, *lines]
    more = " and more" if truncated else ""
    count = f"{len(rows)}{more}" if told == len(rows) else f"{len(rows)}{more}, of which the first {told} are here"
    named = neutralise(escape(" ".join(title.split())[:TITLE_CHARACTERS]))
    return delimited("\n".join(lines), f' id="{n}" title="{named}" rows="{count}"')


def delimited(text: str, attributes: str = "") -> str:
    """As what others say, which orders nothing; without a number it is no source that could be cited."""
    return f"<source{attributes}>\n{neutralise(text)}\n</source>"


def _json(value: Any) -> str:
    return orjson.dumps(value, default=str).decode()
