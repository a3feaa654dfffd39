"""Metadata as preference: how well a document matches what the asker would rather read (SPEC §4, filters)."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from uuid import UUID

from corpora.metadata.conditions import CONDITION_FIELDS
from corpora.metadata.date_ranges import parse_range
from corpora.models import Document


def preference_shares(documents: Collection[UUID], preferences: Mapping[str, Sequence[str]]) -> dict[UUID, float]:
    """Share (0..1) of the preferred keys that each document matches; empty without preferences.

    The documents were confirmed in scope before. Raises ValueError for a key that is not metadata.
    """
    wanted = {key: set(values) for key, values in preferences.items() if values}
    if not wanted:
        return {}
    if unknown := wanted.keys() - set(CONDITION_FIELDS):
        raise ValueError(f"not metadata: {', '.join(sorted(unknown))}")
    rows = Document.objects.filter(id__in=documents).order_by().values_list("id", *wanted)
    return {
        id: sum(_matches(value, accepted) for value, accepted in zip(values, wanted.values(), strict=True))
        / len(wanted)
        for id, *values in rows
    }


def _matches(value: str | list[str] | date | None, accepted: set[str]) -> bool:
    if value is None or isinstance(value, date):
        return any(parse_range(span).has(value) for span in accepted)
    return not accepted.isdisjoint(value if isinstance(value, list) else [value])
