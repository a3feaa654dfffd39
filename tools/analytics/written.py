"""Metrics and dimensions as YAML: read as texts, lists and names alone, bounded; written as it is read.

Every value is a text until the one reading of definitions has looked at it (`tools.api.metrics`): no tag, no anchor and
no word that YAML takes for something else (`no`, a date) means anything here.
"""

from typing import Any

import yaml

from tools.analytics.definitions import Definitions

MOST_CHARACTERS, DEEPEST, MOST_PIECES = 100_000, 6, 20_000
OPENING = (yaml.SequenceStartEvent, yaml.MappingStartEvent)
CLOSING = (yaml.SequenceEndEvent, yaml.MappingEndEvent)


class YamlRefused(Exception):
    """Its text says why, and in which line where one is to blame."""


class PlainLoader(yaml.BaseLoader):
    """Without types; a name that stands twice in one mapping is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.value in seen:
                raise yaml.MarkedYAMLError(problem="this name stands here twice", problem_mark=key.start_mark)
            seen.add(key.value)
        return dict(super().construct_mapping(node, deep))


def read_yaml(text: str) -> dict[str, Any]:
    """Raises YamlRefused."""
    if len(text) > MOST_CHARACTERS:
        raise YamlRefused(f"The text has more than {MOST_CHARACTERS} characters.")
    try:
        _check_pieces(text)
        found = yaml.load(text, PlainLoader)  # noqa: S506 - of a BaseLoader, which makes nothing but texts
    except yaml.MarkedYAMLError as error:
        line = f"Line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise YamlRefused(f"{line}{error.problem or 'this is no YAML'}") from None
    except (yaml.YAMLError, ValueError, OverflowError):  # also of a character that there is not, or a long version
        raise YamlRefused("The text has characters that YAML does not take.") from None
    if not isinstance(found, dict):
        raise YamlRefused("Line 1: begin with “metrics:”.")
    return found


def _check_pieces(text: str) -> None:
    """Before anything is built of them. The parser of events keeps its own stack: depth costs it nothing."""
    depth = 0
    for count, event in enumerate(yaml.parse(text, yaml.BaseLoader)):
        depth += isinstance(event, OPENING)
        depth -= isinstance(event, CLOSING)
        fault = (
            "a reference to another part is not allowed"
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None)
            else f"more than {DEEPEST} levels"
            if depth > DEEPEST
            else f"more than {MOST_PIECES} pieces"
            if count > MOST_PIECES
            else ""
        )
        if fault:
            raise yaml.MarkedYAMLError(problem=fault, problem_mark=_mark(event))


def _mark(event: yaml.Event) -> yaml.error.Mark | None:
    return event.start_mark if isinstance(event.start_mark, yaml.error.Mark) else None


def write_yaml(definitions: Definitions) -> str:
    """What is empty, and the schema where there is only one, is left out."""
    plain = {
        kind: [
            {name: value for name, value in one.items() if value and (name, value) != ("schema", "main")}
            for one in some
        ]
        for kind, some in definitions.items()
    }
    return yaml.safe_dump(plain, allow_unicode=True, sort_keys=False, width=120)
