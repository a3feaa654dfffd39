"""Schemas of other people: what of them is offered, and what arguments must meet."""

import time
from typing import Any

import pytest

from foreign.arguments import fault_of
from foreign.definitions import bounded_schema, digest_of, offered_names, read_tool
from foreign.models import ForeignTool, ToolServer


def unusable(schema: Any) -> bool:
    read = read_tool({"name": "t", "inputSchema": schema})
    assert read is not None
    return read.unusable == "schema"


def nested(depth: int) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        made = {"type": "object", "properties": {"a": made}}
    return made


@pytest.mark.parametrize(
    "schema",
    [
        None, [], "object", {"type": "string"}, {}, nested(30),
        {"type": "object", "properties": {"a": {"$ref": "https://evil.example/schema.json"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}},
        {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(500)}},
        {"type": "object", "properties": {"bad name\x1b": {"type": "string"}}},
        {"type": "object", "properties": {"a": {"enum": ["x"] * 1_000}}},
        {"type": "object", "properties": {"a": {"enum": [float("nan")]}}},
        {"type": "object", "properties": {"a": {"enum": ["a\u202eb"]}}},
        {"type": "object", "properties": {"a": {"type": "number", "maximum": float("inf")}}},
        {"type": "object", "properties": {"a": {"type": "file"}}},
        {"type": "object", "properties": {"a": {"type": [["string"]]}}},
        {"type": "object", "properties": {"a": {"allOf": [{}]}}},
        {"type": "object", "properties": ["a"]},
        {"type": "object", "properties": {"a": {"description": "x" * 300}} | {
            f"a{n}": {"description": "x" * 300} for n in range(40)
        }},
    ],
)  # fmt: skip
def test_what_cannot_be_checked_is_not_offered(schema: Any) -> None:
    assert unusable(schema)


def test_references_that_double_at_every_step_are_bounded() -> None:
    many = {f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 100} for n in range(6)}
    began = time.monotonic()
    assert unusable({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": many})
    assert time.monotonic() - began < 1


def test_patterns_and_words_that_are_not_known_are_left_out() -> None:
    told = {"type": "object", "properties": {"a": {"type": "string", "pattern": "(a+)+$", "format": "uri", "x": 1}}}
    assert bounded_schema(told)["properties"] == {"a": {"type": "string"}}


def test_a_schema_that_is_too_deep_to_be_written_is_no_tool() -> None:
    deep: dict[str, Any] = {}
    for _ in range(100_000):
        deep = {"a": deep}
    assert read_tool({"name": "t", "inputSchema": deep}) is None
    while deep:
        deep = deep["a"]  # an object so deep is not let go of at once


def test_a_digest_is_of_what_is_not_shown_too_but_of_no_metadata() -> None:
    told = {"name": "t", "inputSchema": {"type": "object"}}
    assert digest_of(told) == digest_of({**told, "_meta": {"at": 1}})
    assert digest_of(told) != digest_of({**told, "outputSchema": {}})
    assert digest_of(told) != digest_of({**told, "description": "x\u200b"})


SCHEMA = bounded_schema({
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 3},
        "n": {"type": "integer", "minimum": 1, "exclusiveMaximum": 5},
        "kind": {"enum": [1, "a"]},
        "list": {"type": "array", "items": {"type": "boolean"}, "maxItems": 2},
        "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "inner": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
        "free": {},
    },
    "required": ["name"],
})  # fmt: skip


@pytest.mark.parametrize(
    "more",
    [{}, {"n": 4}, {"kind": "a"}, {"list": [True]}, {"maybe": None}, {"inner": {"x": 1.5}}, {"free": [{"a": 1}]}],
)
def test_arguments_that_meet_a_schema(more: dict[str, Any]) -> None:
    assert fault_of(SCHEMA, {"name": "abc", **more}) == ""


@pytest.mark.parametrize(
    "more",
    [
        {"name": "abcd"}, {"name": None}, {"n": 5}, {"n": 0}, {"n": True}, {"n": "1"}, {"n": 1.5},
        {"kind": True}, {"kind": "b"},
        {"list": [1]}, {"list": [True] * 3}, {"maybe": 1}, {"inner": {}}, {"inner": {"x": 1, "y": 2}}, {"other": 1},
    ],
)  # fmt: skip
def test_arguments_that_do_not(more: dict[str, Any]) -> None:
    assert fault_of(SCHEMA, {"name": "abc", **more})


def test_offered_names_are_those_that_providers_take() -> None:
    server = ToolServer(name="¡El tiempo de México, y más cosas!")
    tools = [ForeignTool(server=server, name=name) for name in ("a.b", "a/b", "x" * 128, "x" * 127 + "y")]
    names = list(offered_names(tools))
    assert names[0] == "el-tiempo-de-mexico__a_b"
    assert len(set(names)) == 4
    assert all(len(one) <= 64 and set(one) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-") for one in names)
    assert next(iter(offered_names([ForeignTool(server=ToolServer(name="天気"), name="t")]))) == "server__t"
