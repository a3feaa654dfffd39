"""A `SearchFilter` as SQL, every value of it a parameter.

Who may read what, the tiers among it, is asked of the slices: a few rows, found by their organization first. What
narrows it further (a document, metadata, a date) is asked of the chunks in those slices.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg import sql

from retrieval.filters import DATE_KEY, PAYLOAD_METADATA, Between, Condition, SearchFilter
from retrieval.index.base import TENANT_KEY

SLICE_KEYS = (TENANT_KEY, "corpus_id", "corpus_type", "user_id", "granularity")
LABEL_KEYS = tuple(key for key in PAYLOAD_METADATA if key != DATE_KEY)


@dataclass(frozen=True, slots=True)
class FilterClauses:
    """`slices`: a condition on the table of slices; `chunks`: one on `c`, the chunks, or None where nothing narrows;
    `values`: the parameters of both, by name."""

    organization: str
    slices: sql.Composed
    chunks: sql.Composed | None
    values: Mapping[str, Any]


def clauses_of(where: SearchFilter) -> FilterClauses:
    """ValueError for a key that points are not filtered by."""
    values: dict[str, Any] = {}
    of_slices = [one for one in where.must if one.key in SLICE_KEYS]
    narrowing = [_of_chunk(one, values) for one in where.must if one.key not in SLICE_KEYS]
    tiers = [_all(_of_slice(one, values) for one in branch) for branch in where.should]
    allowed = _all([*(_of_slice(one, values) for one in of_slices), _any(tiers)])
    organization = next(one for one in of_slices if one.key == TENANT_KEY)
    assert isinstance(organization, Condition)
    return FilterClauses(organization.any_of[0], allowed, _all(narrowing) if narrowing else None, values)


def _of_slice(condition: Condition | Between, values: dict[str, Any]) -> sql.Composed:
    if condition.key not in SLICE_KEYS or isinstance(condition, Between):
        raise ValueError(f"{condition.key!r} says not who may read a point")
    return sql.SQL("s.{} = ANY({})").format(sql.Identifier(condition.key), _value(list(condition.any_of), values))


def _of_chunk(condition: Condition | Between, values: dict[str, Any]) -> sql.Composed:
    if isinstance(condition, Between):
        return _any(_within(first, last, values) for first, last in condition.any_of)
    if condition.key == "document_id":
        return sql.SQL("c.document_id = ANY({}::uuid[])").format(_value(list(condition.any_of), values))
    if condition.key in LABEL_KEYS:
        wanted = [label(condition.key, value) for value in condition.any_of]
        return sql.SQL("c.labels && {}::text[]").format(_value(wanted, values))
    raise ValueError(f"{condition.key!r} is nothing that points are filtered by")


def _within(first: int | None, last: int | None, values: dict[str, Any]) -> sql.Composed:
    ends = [("c.source_date >= {}", first), ("c.source_date <= {}", last)]
    return _all(sql.SQL(text).format(_value(end, values)) for text, end in ends if end is not None)


def _value(value: Any, values: dict[str, Any]) -> sql.Placeholder:
    name = f"value_{len(values)}"
    values[name] = value
    return sql.Placeholder(name)


def _all(conditions: Iterable[sql.Composed]) -> sql.Composed:
    return sql.SQL("({})").format(sql.SQL(" AND ").join(conditions))


def _any(conditions: Iterable[sql.Composed]) -> sql.Composed:
    return sql.SQL("({})").format(sql.SQL(" OR ").join(conditions))


def label(key: str, value: Any) -> str:
    """A metadata value as it is stored and asked for; what PostgreSQL's text cannot hold is replaced in both."""
    return f"{key}={value}".replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def labels_of(payload: Mapping[str, Any]) -> list[str]:
    """Of a payload, or of metadata alone: one for each item of a list."""
    found = ((key, payload.get(key)) for key in LABEL_KEYS)
    return [
        label(key, item)
        for key, value in found
        if value not in (None, "", [], ())
        for item in (value if isinstance(value, list | tuple) else [value])
    ]


def document_of(payload: Mapping[str, Any]) -> UUID:
    """The nil UUID for a point without a document."""
    named = payload.get("document_id")
    return UUID(str(named)) if named else UUID(int=0)
