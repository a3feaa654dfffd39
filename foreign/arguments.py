"""Whether arguments that a model wrote meet a schema of `foreign.definitions`: every one, before anything is sent.

Of JSON Schema it knows what such a schema can say, and no more; time in proportion to what was written.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

LONGEST_FAULT = 200
KINDS: dict[str, Callable[[Any], bool]] = {
    "object": lambda one: isinstance(one, dict),
    "array": lambda one: isinstance(one, list),
    "string": lambda one: isinstance(one, str),
    "number": lambda one: isinstance(one, int | float) and not isinstance(one, bool),
    "integer": lambda one: isinstance(one, int) and not isinstance(one, bool),
    "boolean": lambda one: isinstance(one, bool),
    "null": lambda one: one is None,
}
LEAST_OR_MOST: dict[str, Callable[[Any, Any], bool]] = {
    "minimum": lambda one, bound: one >= bound,
    "maximum": lambda one, bound: one <= bound,
    "exclusiveMinimum": lambda one, bound: one > bound,
    "exclusiveMaximum": lambda one, bound: one < bound,
}
LENGTHS: dict[str, tuple[type, Callable[[int, Any], bool]]] = {
    "minLength": (str, lambda size, bound: size >= bound),
    "maxLength": (str, lambda size, bound: size <= bound),
    "minItems": (list, lambda size, bound: size >= bound),
    "maxItems": (list, lambda size, bound: size <= bound),
}


def fault_of(schema: Mapping[str, Any], arguments: Any) -> str:
    """What is wrong with them, in English for the model that wrote them; "" for nothing."""
    return next(_faults(schema, arguments, "arguments"), "")[:LONGEST_FAULT]


def _faults(schema: Mapping[str, Any], value: Any, place: str) -> Iterator[str]:
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(KINDS[one](value) for one in types):
        yield f"{place} must be {' or '.join(types)}"
        return
    if "enum" in schema and not any(_is_same(one, value) for one in schema["enum"]):
        yield f"{place} must be one of {schema['enum']}"
    if "anyOf" in schema and all(next(_faults(one, value, place), "") for one in schema["anyOf"]):
        yield f"{place} meets none of its alternatives"
    yield from _bounds(schema, value, place)
    if isinstance(value, dict) and "properties" in schema:
        yield from _of_object(schema, value, place)
    if isinstance(value, list) and "items" in schema:
        for number, one in enumerate(value):
            yield from _faults(schema["items"], one, f"{place}[{number}]")


def _is_same(one: Any, value: Any) -> bool:
    """`1` is not `true` here."""
    return bool(one == value) and isinstance(one, bool) == isinstance(value, bool)


def _bounds(schema: Mapping[str, Any], value: Any, place: str) -> Iterator[str]:
    if KINDS["number"](value):
        for name, holds in LEAST_OR_MOST.items():
            if name in schema and not holds(value, schema[name]):
                yield f"{place} does not meet {name} {schema[name]}"
    for name, (kind, fits) in LENGTHS.items():
        if name in schema and isinstance(value, kind) and not fits(len(value), schema[name]):  # type: ignore[arg-type]  # both have a length
            yield f"{place} does not meet {name} {schema[name]}"


def _of_object(schema: Mapping[str, Any], value: Mapping[str, Any], place: str) -> Iterator[str]:
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{place}.{name} is required"
    for name, one in value.items():
        if name in schema["properties"]:
            yield from _faults(schema["properties"][name], one, f"{place}.{name}")
        else:
            yield f"{place} has no {str(name)[:50]!r}"
