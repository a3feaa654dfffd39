"""What was asked for by name and is not there caps the confidence, whatever the score (SPEC §4). Pure.

A score says how much a passage is like the question, and the passage on article 14 of another law is very much like it.
"""

from collections.abc import Sequence
from typing import Protocol

NEVER_SUFFICIENT = 0.39  # NONE: of no use, however low an agent's minimum
NEVER_MEDIUM = 0.59
NEVER_HIGH = 0.79
FEW_OTHERS = 2  # content words beside a term: then it is what was asked for


class Naming(Protocol):
    """What a question names (`retrieval.places.named.Named`)."""

    @property
    def missing_documents(self) -> Sequence[str]: ...
    @property
    def missing_places(self) -> Sequence[str]: ...
    @property
    def is_sure(self) -> bool: ...


def cap_of_names(named: Naming, mentioned: Sequence[str] = ()) -> float:
    """The most that a score may be where a place or a document that was named is missing; 1 where none is.

    `mentioned`: of the missing documents those of which a passage speaks: it may say something of what was asked.
    """
    if named.missing_places:
        return NEVER_SUFFICIENT
    if named.missing_documents:
        return NEVER_MEDIUM if set(named.missing_documents) <= set(mentioned) else NEVER_SUFFICIENT
    return 1.0 if named.is_sure else NEVER_HIGH


def cap_of_terms(lacking: int, others: int) -> float:
    """Where `lacking` of a question's codes, numbers and designations are in no passage, beside `others` words."""
    if not lacking:
        return 1.0
    return NEVER_MEDIUM if others <= FEW_OTHERS else NEVER_HIGH
