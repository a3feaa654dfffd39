"""Metadata as preference: how well a document matches what the asker would rather read (SPEC §4, filters)."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from corpora.metadata.conditions import CONDITION_FIELDS
from corpora.metadata.date_ranges import parse_range
from corpora.metadata.free import free_name, spell
from corpora.metadata.names import CORPUS, DOCUMENT, FREE_FIELD
from corpora.models import Document

IDS = {DOCUMENT: "id", CORPUS: "corpus_id"}


def preference_shares(documents: Collection[UUID], preferences: Mapping[str, Sequence[str]]) -> dict[UUID, float]:
    """Share (0..1) of the preferred keys that each document matches; empty without preferences.

    The documents were confirmed in scope before. Raises ValueError for a key that is not metadata.
    """
    wanted = {key: set(values) for key, values in preferences.items() if values}
    if not wanted:
        return {}
    if unknown := [key for key in wanted if key not in (*CONDITION_FIELDS, *IDS) and not free_name(key)]:
        raise ValueError(f"not metadata: {', '.join(sorted(unknown))}")
    of_metadata = [key for key in wanted if key not in IDS]
    columns = ["id", "corpus_id", *dict.fromkeys(FREE_FIELD if free_name(key) else key for key in of_metadata)]
    rows = [dict(zip(columns, row, strict=True)) for row in _columns_of(documents, columns)]
    return {row["id"]: sum(_matches(_said(row, key), wanted[key]) for key in wanted) / len(wanted) for row in rows}


def _columns_of(documents: Collection[UUID], columns: Sequence[str]) -> QuerySet[Document, Any]:
    return Document.objects.filter(id__in=documents).order_by().values_list(*columns)


def _said(row: Mapping[str, Any], key: str) -> str | list[str] | date | None:
    if key in IDS:
        return str(row[IDS[key]])
    if free := free_name(key):
        said = row[FREE_FIELD].get(free)
        return [] if said is None else [spell(said)]
    return row[key]  # type: ignore[no-any-return]  # a document's column


def _matches(value: str | list[str] | date | None, accepted: set[str]) -> bool:
    if value is None or isinstance(value, date):
        return any(parse_range(span).has(value) for span in accepted)
    return not accepted.isdisjoint(value if isinstance(value, list) else [value])
