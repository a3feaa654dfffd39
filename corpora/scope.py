"""The scope: exactly the corpora that one user may read through one agent at this moment (SPEC §1, §2)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from uuid import UUID


@dataclass(frozen=True, slots=True)
class Scope:
    """Ids only, computed from the database for every query; `agents` makes it, nothing else does."""

    organization_id: UUID
    user_id: UUID
    global_ids: frozenset[UUID] = frozenset()
    personal_ids: frozenset[UUID] = frozenset()

    @property
    def is_empty(self) -> bool:
        return not (self.global_ids or self.personal_ids)

    @property
    def corpus_ids(self) -> frozenset[UUID]:
        return self.global_ids | self.personal_ids

    def narrowed_to(self, personal_ids: Iterable[UUID]) -> "Scope":
        """The same scope with its personal tier cut down to the given corpora (a project's selection)."""
        return replace(self, personal_ids=self.personal_ids & frozenset(personal_ids))


def is_personal(scope: Scope, *, history: bool = False) -> bool:
    """Whether the words of a search are its user's alone (docs/privacy.md): a personal corpus was in reach, or what
    was said before (`history`) may have come from one.

    Asked of the scope and not of what was found, which is always within it: a filter, an outage or an empty result
    does not make a question about somebody's own documents anybody else's. Every record of a search stores the answer
    when it is written, because the scope of tomorrow says nothing about the words of today.
    """
    return history or bool(scope.personal_ids)
