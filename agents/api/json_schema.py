"""Pieces of JSON Schema that the definitions of tools are put together of."""

from typing import Any


def text(longest: int, description: str) -> dict[str, Any]:
    return {"type": "string", "maxLength": longest, "description": description}


def answered(**properties: Any) -> dict[str, Any]:
    """The schema of an object that has all of its properties."""
    return {"type": "object", "properties": properties, "required": list(properties)}


TABLE: dict[str, Any] = {
    "columns": {"type": "array", "items": answered(name={"type": "string"}, type={"type": "string"})},
    "rows": {"type": "array", "items": {"type": "array", "items": {"type": ["string", "number", "boolean", "null"]}}},
    "row_count": {"type": "integer"},
    "truncated": {"type": "boolean", "description": "Whether there are more rows, or longer cells, than these."},
}
