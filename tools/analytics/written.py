"""Metrics and dimensions as YAML: read as texts, lists and names alone, bounded; written as it is read.

Every value is a text until the one reading of definitions has looked at it (`tools.api.metrics`): no tag, no anchor and
no word that YAML takes for something else (`no`, a date) means anything here.
"""

from typing import Any

import yaml
from django.utils.translation import gettext as _

from tools.analytics.definitions import Definitions
from tools.services.plain import YamlRefused, read_plain

MOST_CHARACTERS, DEEPEST, MOST_PIECES = 100_000, 6, 20_000


def read_yaml(text: str) -> dict[str, Any]:
    """Raises YamlRefused."""
    if len(text) > MOST_CHARACTERS:
        raise YamlRefused(_("The text has more than %(most)d characters.") % {"most": MOST_CHARACTERS})
    found = read_plain(text, DEEPEST, MOST_PIECES)
    if not isinstance(found, dict):
        raise YamlRefused(_("Line 1: begin with “metrics:”."))
    return found


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
