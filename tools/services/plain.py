"""YAML as texts, lists and names alone, of bounded depth and size: no tag, no anchor, and no word that YAML takes for
something else (`no`, a date) means anything."""

from typing import Any

import yaml
from django.utils.translation import gettext as _

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
                raise yaml.MarkedYAMLError(problem=_("this name stands here twice"), problem_mark=key.start_mark)
            seen.add(key.value)
        return dict(super().construct_mapping(node, deep))


def read_plain(text: str, deepest: int, most_pieces: int) -> Any:
    """Raises YamlRefused."""
    try:
        _check_pieces(text, deepest, most_pieces)
        return yaml.load(text, PlainLoader)  # noqa: S506 - of a BaseLoader, which makes nothing but texts
    except yaml.MarkedYAMLError as error:
        why = error.problem or _("this is no YAML")
        if error.problem_mark:
            why = _("Line %(line)d: %(why)s") % {"line": error.problem_mark.line + 1, "why": why}
        raise YamlRefused(why) from None
    except (yaml.YAMLError, ValueError, OverflowError):  # also of a character that there is not, or a long version
        raise YamlRefused(_("The text has characters that YAML does not take.")) from None


def _check_pieces(text: str, deepest: int, most: int) -> None:
    """Before anything is built of them. The parser of events keeps its own stack: depth costs it nothing."""
    depth = 0
    for count, event in enumerate(yaml.parse(text, yaml.BaseLoader)):
        depth += isinstance(event, OPENING)
        depth -= isinstance(event, CLOSING)
        fault = (
            _("a reference to another part is not allowed")
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None)
            else _("more than %(most)d levels") % {"most": deepest}
            if depth > deepest
            else _("more than %(most)d pieces") % {"most": most}
            if count > most
            else ""
        )
        if fault:
            raise yaml.MarkedYAMLError(problem=fault, problem_mark=_mark(event))


def _mark(event: yaml.Event) -> yaml.error.Mark | None:
    return event.start_mark if isinstance(event.start_mark, yaml.error.Mark) else None
