"""Of the sections that may be meant, those of documents that are named, preferred, or meet what is required."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from corpora.metadata.names import DOCUMENT
from retrieval.places.sections import FoundSection
from retrieval.ranking.preference import preference_shares
from retrieval.results import RetrievalPolicy


def meant_sections(
    rows: Sequence[FoundSection], holders: frozenset[UUID] | None, policy: RetrievalPolicy
) -> Sequence[FoundSection]:
    """Those of the documents that are named with a place; where none is, of those that are preferred and have it."""
    if holders is not None:
        return [row for row in rows if row.document in holders]
    preferred = frozenset(policy.preferences.get(DOCUMENT, ()))
    return [row for row in rows if str(row.document) in preferred] or rows


def sections_meeting(rows: list[FoundSection], policy: RetrievalPolicy) -> list[FoundSection]:
    """Those of documents that meet what is required of metadata."""
    required = policy.requirements
    for key, values in required.items() if isinstance(required, Mapping) else required:
        listed = (values,) if isinstance(values, str) else tuple(values)
        shares = preference_shares({row.document for row in rows}, {key: listed}) if rows and listed else None
        rows = rows if shares is None else [row for row in rows if shares.get(row.document)]
    return rows
