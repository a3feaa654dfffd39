"""What a tool is: its definition for whoever calls it, and what a call does."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from accounts.models import Membership
from tools.models import SourceTable

Result = dict[str, Any]
LONGEST_NAME, MOST_FAULTS = 50, 10  # of names that are repeated


@dataclass(frozen=True, slots=True)
class Tool:
    """Both schemas are JSON Schema, `output_schema` of what a call answers.

    `execute` gets arguments that a model wrote: nothing in them is trusted. It raises what the API would: NotFound for
    what the membership cannot see, AdminRequired for what it may only read, a ValidationError that names the field.
    `inventory`: of a tool that the chat's models are offered, what an agent has for it among the tables that it reads,
    in words; one for which an agent has nothing is not offered. Such a tool takes `agent`, which the chat sets, and
    only reads. `elsewhere`: what only callers over the API need to know.

    `server`: of a tool of another service, the name of that server; "" for one of ours. A foreign one is made for an
    agent, takes no `agent`, and is offered in the chat alone. `title`: what its result is called.
    """

    name: str
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    execute: Callable[[Membership, Mapping[str, Any]], Result]
    inventory: Callable[[list[SourceTable]], str] | None = None
    elsewhere: str = ""
    server: str = ""
    title: str = ""

    @property
    def is_offered_in_chat(self) -> bool:
        return self.inventory is not None

    def call(self, by: Membership, arguments: Mapping[str, Any]) -> Result:
        """Raises also ValidationError for a name that the schema does not have: left out in silence, what it was to
        narrow would be answered whole; and for one that is missing."""
        if not self.server:  # whose arguments are looked at by what calls it
            check_names(self.input_schema, arguments)
        return self.execute(by, arguments)

    @property
    def definition(self) -> Result:
        """As it is offered to a model."""
        description = f"{self.description} {self.elsewhere}".strip()
        return {"name": self.name, "description": description, "input_schema": dict(self.input_schema)}


def check_names(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> None:
    """Raises ValidationError, which names the first of them."""
    if faults := dict(islice(_faulty_names(schema, arguments), MOST_FAULTS)):
        raise ValidationError(faults)


def _faulty_names(schema: Mapping[str, Any], arguments: Any, within: str = "") -> Iterator[tuple[str, list[str]]]:
    """What is there and has no place in the schema, and what has one and is not there though it must be."""
    known = schema.get("properties", {})
    if not isinstance(arguments, Mapping) or schema.get("additionalProperties") is not False:
        return
    for name in arguments:
        place = f"{within}{str(name)[:LONGEST_NAME]}"
        if name not in known:
            said = _("There is no such argument. There are: %(names)s.") if known else _("It takes no arguments.")
            yield place, [said % {"names": ", ".join(known)}]
        else:
            yield from _faulty_names(known[name], arguments[name], f"{place}.")
    for name in schema.get("required", ()):
        if name not in arguments:
            yield f"{within}{name}", [_("This field is required.")]
