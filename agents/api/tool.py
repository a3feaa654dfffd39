"""What a tool is: its definition for whoever calls it, and what a call does."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from accounts.models import Membership
from agents.models import Agent

Result = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """Both schemas are JSON Schema, `output_schema` of what a call answers.

    `execute` gets arguments that a model wrote: nothing in them is trusted. It raises what the API would: NotFound for
    what the membership cannot see, AdminRequired for what it may only read, a ValidationError that names the field.
    `inventory`: of a tool that the chat's models are offered, what an agent has for it, in words; one for which an
    agent has nothing is not offered. Such a tool takes `agent`, which the chat sets, and only reads. `elsewhere`: what
    only callers over the API need to know.

    `server`: of a tool of another service, the name of that server; "" for one of ours. A foreign one is made for an
    agent, takes no `agent`, and is offered in the chat alone. `title`: what its result is called.
    """

    name: str
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any]
    execute: Callable[[Membership, Mapping[str, Any]], Result]
    inventory: Callable[[Agent], str] | None = None
    elsewhere: str = ""
    server: str = ""
    title: str = ""

    @property
    def is_offered_in_chat(self) -> bool:
        return self.inventory is not None

    @property
    def definition(self) -> Result:
        """As it is offered to a model."""
        description = f"{self.description} {self.elsewhere}".strip()
        return {"name": self.name, "description": description, "input_schema": dict(self.input_schema)}
