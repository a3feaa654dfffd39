"""YAML as texts, lists and names alone, of bounded depth and size: no tag, no anchor, and no word that YAML takes for
something else (`no`, a date) means anything."""

from typing import Any

import yaml

from config.faults import Refusal

OPENING = (yaml.SequenceStartEvent, yaml.MappingStartEvent)
CLOSING = (yaml.SequenceEndEvent, yaml.MappingEndEvent)


class YamlRefused(Refusal):
    """Its text says why, and in which line where one is to blame."""


class PlainLoader(yaml.BaseLoader):
    """Without types; a name that stands twice in one mapping is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _value in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.value in seen:
                raise _at(key.start_mark, Refusal("this name stands here twice"))
            seen.add(key.value)
        return dict(super().construct_mapping(node, deep))


def read_plain(text: str, deepest: int, most_pieces: int) -> Any:
    """Raises YamlRefused."""
    try:
        _check_pieces(text, deepest, most_pieces)
        return yaml.load(text, PlainLoader)  # noqa: S506 - of a BaseLoader, which makes nothing but texts
    except yaml.MarkedYAMLError as error:
        raise _at(error.problem_mark, Refusal(error.problem or "this is no YAML")) from None
    except (yaml.YAMLError, ValueError, OverflowError):  # also of a character that there is not, or a long version
        raise YamlRefused("The text has characters that YAML does not take.") from None


def _check_pieces(text: str, deepest: int, most: int) -> None:
    """Before anything is built of them. The parser of events keeps its own stack: depth costs it nothing."""
    depth = 0
    for count, event in enumerate(yaml.parse(text, yaml.BaseLoader)):
        depth += isinstance(event, OPENING)
        depth -= isinstance(event, CLOSING)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _at(event.start_mark, Refusal("a reference to another part is not allowed"))
        if depth > deepest:
            raise _at(event.start_mark, Refusal("more than %(most)d levels", most=deepest))
        if count > most:
            raise _at(event.start_mark, Refusal("more than %(most)d pieces", most=most))


def _at(mark: Any, why: Refusal) -> YamlRefused:
    if not isinstance(mark, yaml.error.Mark):
        return YamlRefused(why.said, **why.values)
    return YamlRefused("Line %(line)d: %(why)s", line=mark.line + 1, why=why)
