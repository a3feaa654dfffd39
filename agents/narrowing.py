"""A project narrows what its owner's search reads (information-layer.es.md, "Aislamiento de datos por proyecto").

Projects are the chat's, a floor above: it says here, once, how one of them narrows a scope. Where nobody has said,
there is no project.
"""

from collections.abc import Callable
from uuid import UUID

from accounts.models import Membership
from accounts.problems import NotFound
from corpora.scope import Scope

Narrowing = Callable[[Membership, UUID, Scope], Scope]

_said: list[Narrowing] = []


def narrow_by(narrowing: Narrowing) -> None:
    """From now on this one: it raises NotFound for what is not the member's own project."""
    _said[:] = [narrowing]


def scope_of_project(membership: Membership, project: UUID | None, scope: Scope) -> Scope:
    """`scope` as the project narrows it; as it is without one. Raises NotFound."""
    if project is None:
        return scope
    if not _said:
        raise NotFound
    return _said[0](membership, project, scope)
