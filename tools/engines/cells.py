"""Values of a source as JSON: typed, no longer than they may be, and without what only pretends to be text.

What stands in a row was written by anybody. Characters that are not seen, that turn the direction of reading or that a
terminal obeys are left out; the words stay, and are nothing but words to whoever reads them.
"""

import json
import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from typing import Any
from uuid import UUID

LONGEST_CELL, LONGEST_NAME = 4_000, 200
KEPT = "\n\t"
UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn")
KINDS = {  # by what an engine's name of a type begins with, in this order
    "bool": "boolean", "interval": "interval", "int": "integer", "bigint": "integer", "smallint": "integer",
    "tinyint": "integer", "hugeint": "integer", "uint": "integer", "ubigint": "integer", "oid": "integer",
    "dec": "decimal", "num": "decimal", "float": "number", "double": "number", "real": "number",
    "timestamp": "datetime", "datetime": "datetime", "date": "date", "time": "time", "uuid": "uuid", "json": "json",
    "text": "text", "varchar": "text", "bpchar": "text", "char": "text", "name": "text",
}  # fmt: skip


@dataclass(slots=True)
class Gathered:
    """A result as it grows; `truncated` once something is left out."""

    columns: list[dict[str, str]]
    rows: list[list[Any]] = field(default_factory=list)
    truncated: bool = False


def gather(names: Sequence[str], types: Sequence[str], rows: Iterable[Sequence[Any]], most: Any) -> Gathered:
    """The first rows, as many as fit: `most` has `rows` and `bytes`."""
    found, size = Gathered([]), 0
    seen = [""] * len(names)
    for row in islice(rows, most["rows"]):
        cells = [_cell(value, found) for value in row]
        size += len(json.dumps(cells))
        if size > most["bytes"]:
            found.truncated = True
            break
        seen = [kind or _kind_of(value) for kind, value in zip(seen, row, strict=True)]
        found.rows.append(cells)
    else:
        found.truncated = found.truncated or next(iter(rows), None) is not None
    found.columns = [
        {"name": visible(name)[:LONGEST_NAME], "type": _named(kind) or guessed or "text"}
        for name, kind, guessed in zip(names, types, seen, strict=True)
    ]
    return found


def _named(type_name: str) -> str:
    lower = type_name.lower()
    return next((kind for start, kind in KINDS.items() if lower.startswith(start)), "")


def _kind_of(value: Any) -> str:
    """Of an engine whose columns have no type."""
    kinds = {bool: "boolean", int: "integer", float: "number", str: "text", bytes: "bytes"}
    return kinds.get(type(value), "")


def _cell(value: Any, found: Gathered) -> Any:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value if -(2**63) <= value < 2**64 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    text = _as_text(value)
    found.truncated = found.truncated or len(text) > LONGEST_CELL
    return visible(text[:LONGEST_CELL])


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, date | datetime | time):
        return value.isoformat()
    if isinstance(value, Decimal | UUID | timedelta):
        return str(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return f"({len(value)} bytes)"
    return json.dumps(value, default=str, ensure_ascii=False)


def visible(text: str) -> str:
    if text.isascii() and text.isprintable():
        return text
    return "".join(one for one in text if one in KEPT or unicodedata.category(one) not in UNSEEN)
