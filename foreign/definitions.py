"""What a server says of a tool, as it may be shown to an admin and to a model: clipped_text, bounded, of few words.

A schema keeps what is understood here, and nothing else: no patterns (a regular expression can take for ever), no
references to elsewhere. References within it are put in their place; one without an end is too deep.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from django.utils.text import slugify

from foreign.models import LONGEST_DESCRIPTION, LONGEST_TITLE, LONGEST_TOOL_NAME, ForeignTool
from tools.engines.cells import visible

TOOL_NAME = re.compile(rf"[\x21-\x7e]{{1,{LONGEST_TOOL_NAME}}}")
# Letters and marks that show nothing: variation selectors, fillers, joiners.
BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
ARGUMENT_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
LENGTHS = ("minLength", "maxLength", "minItems", "maxItems")
NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", *LENGTHS)
DEEPEST, MOST_PARTS, MOST_CHOICES, MOST_CHARACTERS = 6, 200, 100, 8_000
LONGEST_HINT, LONGEST_CHOICE, MOST_NUMBER = 300, 200, 1e15
REFERENCES = ("#/$defs/", "#/definitions/")
LONGEST_OFFERED, LONGEST_SLUG = 64, 20  # characters of a name as providers take it, and of the server's part


class _Unusable(Exception):
    """The schema cannot be offered."""


class ReadTool(NamedTuple):
    """The columns of a `ForeignTool` that its server has to say."""

    name: str
    title: str
    description: str
    input_schema: dict[str, Any]
    is_read_only: bool
    unusable: str
    digest: str


def read_tool(told: Mapping[str, Any]) -> ReadTool | None:
    """None for one whose name cannot be written down, or that is too deep to be read."""
    name, digest = told.get("name"), digest_of(told)
    if not isinstance(name, str) or not TOOL_NAME.fullmatch(name) or not digest:
        return None
    annotations = told.get("annotations")
    hints: Mapping[str, Any] = annotations if isinstance(annotations, dict) else {}
    try:
        schema, unusable = bounded_schema(told.get("inputSchema")), ""
    except _Unusable:
        schema, unusable = {}, "schema"
    return ReadTool(
        name=name,
        title=clipped_line(told.get("title") or hints.get("title"), LONGEST_TITLE),
        description=clipped_text(told.get("description"), LONGEST_DESCRIPTION),
        input_schema=schema,
        is_read_only=hints.get("readOnlyHint") is True,
        unusable=unusable,
        digest=digest,
    )


def read_tools_told(told: Iterable[Mapping[str, Any]]) -> dict[str, ReadTool]:
    """By name; of one that is told twice the last counts."""
    return {one.name: one for one in map(read_tool, told) if one is not None}


def digest_of(told: Mapping[str, Any]) -> str:
    """Of all that the server says of a tool, also of what is not shown, but `_meta`. "" for what is too deep."""
    try:
        said = json.dumps({name: one for name, one in told.items() if name != "_meta"}, sort_keys=True)
    except RecursionError:
        return ""
    return hashlib.sha256(said.encode()).hexdigest()


def clipped_text(text: object, longest: int) -> str:
    return seen(text[: 4 * longest])[:longest].strip() if isinstance(text, str) else ""


def seen(text: str) -> str:
    """What an admin sees of it is what a model is told."""
    return BLANK.sub("", visible(text))


def clipped_line(text: object, longest: int) -> str:
    return " ".join(clipped_text(text, 4 * longest).split())[:longest]


def bounded_schema(told: object) -> dict[str, Any]:
    """An object's schema. Raises _Unusable for one that is too large, too deep or not understood."""
    if not isinstance(told, dict):
        raise _Unusable
    made = _Schemas(told).made(told, DEEPEST)
    if made.get("type") != "object" or {"anyOf", "enum"} & made.keys():  # providers take no more than that above
        raise _Unusable
    if len(json.dumps(made)) > MOST_CHARACTERS:
        raise _Unusable
    return {"properties": {}, **made, "additionalProperties": False}


class _Schemas:
    """Makes the parts of one schema, so many at most."""

    def __init__(self, whole: Mapping[str, Any]) -> None:
        named = [whole.get("$defs"), whole.get("definitions")]
        self._named: dict[str, Any] = {}
        for one in named:
            self._named |= one if isinstance(one, dict) else {}
        self._room = MOST_PARTS

    def made(self, told: object, depth: int) -> dict[str, Any]:
        self._room -= 1
        if not isinstance(told, dict) or depth < 0 or self._room < 0:
            raise _Unusable
        if "$ref" in told:
            return self.made(self._referred(told["$ref"]), depth - 1)
        if {"oneOf", "allOf", "not", "if"} & told.keys():
            raise _Unusable
        made = {**_type(told), **_hint(told), **_numbers(told), **_choices(told)}
        if "properties" in told:
            made |= self._properties(told, depth)
        if isinstance(told.get("items"), dict):
            made["items"] = self.made(told["items"], depth - 1)
        if "anyOf" in told:
            made["anyOf"] = [self.made(one, depth - 1) for one in _some(told["anyOf"])]
        return made

    def _referred(self, reference: object) -> Any:
        for start in REFERENCES:
            if isinstance(reference, str) and reference.startswith(start):
                return self._named.get(reference.removeprefix(start))
        raise _Unusable

    def _properties(self, told: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties, required = told["properties"], told.get("required", [])
        if not isinstance(properties, dict) or len(properties) > self._room:
            raise _Unusable
        if not all(ARGUMENT_NAME.fullmatch(name) for name in properties):
            raise _Unusable
        made = {name: self.made(one, depth - 1) for name, one in properties.items()}
        wanted = [name for name in _listed(required) if isinstance(name, str) and name in properties]
        return {"properties": made, "required": wanted, "additionalProperties": False}


def _listed(told: object) -> list[Any]:
    if not isinstance(told, list) or len(told) > MOST_CHOICES:
        raise _Unusable
    return told


def _some(told: object) -> list[Any]:
    """A provider refuses every request with a schema that has none."""
    if not (listed := _listed(told)):
        raise _Unusable
    return listed


def _type(told: Mapping[str, Any]) -> dict[str, Any]:
    if "type" not in told:
        return {}
    named = told["type"]
    types = [named] if isinstance(named, str) else _some(named)
    if not all(isinstance(one, str) and one in TYPES for one in types) or len(set(types)) < len(types):
        raise _Unusable
    return {"type": named}


def _hint(told: Mapping[str, Any]) -> dict[str, Any]:
    said = clipped_line(told.get("description"), LONGEST_HINT)
    return {"description": said} if said else {}


def _numbers(told: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: told[name] for name in NUMBERS if name in told}
    if not all(
        isinstance(one, int | float) and not isinstance(one, bool) and abs(one) < MOST_NUMBER for one in kept.values()
    ):
        raise _Unusable
    if not all(isinstance(kept[name], int) and kept[name] >= 0 for name in kept.keys() & LENGTHS):
        raise _Unusable
    return kept


def _choices(told: Mapping[str, Any]) -> dict[str, Any]:
    if "const" not in told and "enum" not in told:
        return {}
    choices = [told["const"]] if "const" in told else _some(told["enum"])
    if not all(_is_choice(one) for one in choices):
        raise _Unusable
    return {"enum": choices}


def _is_choice(one: object) -> bool:
    """A text that would be written otherwise once it is clipped_text cannot be sent as the server wants it."""
    if isinstance(one, str):
        return len(one) <= LONGEST_CHOICE and seen(one) == one
    return one is None or (isinstance(one, bool | int | float) and abs(one) < MOST_NUMBER)  # nor NaN


def offered_names(tools: list[ForeignTool]) -> dict[str, ForeignTool]:
    """`server__tool` as providers take names; one that is too long or taken ends in its id."""
    named: dict[str, ForeignTool] = {}
    for tool in tools:
        server = slugify(tool.server.name)[:LONGEST_SLUG].strip("-_") or "server"
        name = f"{server}__{re.sub(r'[^A-Za-z0-9_-]', '_', tool.name)}"
        if len(name) > LONGEST_OFFERED or name in named:
            name = f"{name[: LONGEST_OFFERED - 9]}_{tool.pk.hex[:8]}"
        named[name] = tool
    return named
