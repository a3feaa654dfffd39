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
