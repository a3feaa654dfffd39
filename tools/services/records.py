"""Records of a service that somebody may read: asked for by conditions on open fields, answered from the cache or
by the service.

A request to the child has `entity`, `fields` with `name` and `type`, and `filter` (lists of a field, its type, an
operator and a value) or `id`. It names open fields of chosen tables alone; what is masked is never asked for.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from accounts.models import Membership
from tools.asking import ask_source
from tools.engines.running import MOST_BYTES, MOST_ROWS
from tools.models import DataSource, SourceColumn, SourceTable
from tools.problems import RecordsRefused, told_refusal
from tools.querying import QueryAnswer, answer_key, keep_answer, kept_answer, readable_table
from tools.services.filters import Condition, FilterRefused, read_filter
from tools.sql.readings import MASK

SECONDS = 8.0
USUAL_ROWS = 100
ID_FIELDS = {DataSource.Kind.HUBSPOT: "hs_object_id", DataSource.Kind.SALESFORCE: "Id"}
MOST_NAMED = 60  # in a sentence on what there is


@dataclass(frozen=True, slots=True)
class RecordsQuestion:
    """Without `fields` all open ones are meant."""

    filter: Mapping[str, Any]
    fields: Sequence[str] = ()
    limit: int = USUAL_ROWS


def find_records(by: Membership, table: SourceTable, asked: RecordsQuestion) -> QueryAnswer:
    """`table` with its columns and source at hand. Raises RecordsRefused and what `ask_source` raises."""
    columns = list(table.columns.all())
    wanted = _wanted(table, columns, asked.fields)
    try:
        conditions = [_condition(table, columns, one) for one in read_filter(asked.filter)]
    except FilterRefused as refusal:
        raise RecordsRefused(reason=told_refusal(refusal)) from None
    more = {"filter": conditions, "most": {"rows": min(asked.limit, MOST_ROWS), "bytes": MOST_BYTES}}
    return _answer(
        by, table, wanted, "records", [[name, operator] for name, _type, operator, _value in conditions], more
    )


def find_record(by: Membership, table: SourceTable, record: str) -> QueryAnswer:
    """The one of this id, with all open fields; no row where there is none. Raises the same."""
    columns = list(table.columns.all())
    if not is_asked_by_id(table):
        raise RecordsRefused(
            reason=_("Records of this entity cannot be asked for by an id: its field is none that may be read.")
        )
    more = {"id": record, "most": {"rows": 1, "bytes": MOST_BYTES}}
    return _answer(by, table, _wanted(table, columns, ()), "record", ["id"], more)


def is_asked_by_id(table: SourceTable) -> bool:
    """Only where the id is a field that may be read: otherwise somebody could find out which ids there are."""
    return id_field(table) in {one.name for one in table.columns.all() if not one.is_masked}


def id_field(table: SourceTable) -> str:
    """Of what a record's id is; "" where records cannot be asked for by one."""
    if table.source.kind == DataSource.Kind.REST:
        return str(rest_entity(table).get("id") or "")
    return ID_FIELDS.get(DataSource.Kind(table.source.kind), "")


def rest_entity(table: SourceTable) -> Mapping[str, Any]:
    entities = table.source.service.get("entities", [])
    found: Mapping[str, Any] = next((one for one in entities if one["name"] == table.name), {})
    return found


def _answer(
    by: Membership, table: SourceTable, wanted: Sequence[SourceColumn], asked: str, shape: Any, more: Mapping[str, Any]
) -> QueryAnswer:
    """Masked columns are put between those that the service was asked for."""
    source = table.source
    read = [one for one in wanted if not one.is_masked]
    if not read:
        raise RecordsRefused(reason=_("None of these fields may be read."))
    fields = [{"name": one.name, "type": one.type} for one in read]
    key = answer_key(by, source, [readable_table(table)], [asked, table.name, [one.name for one in wanted], dict(more)])
    found = kept_answer(key)
    if found is None:
        found = ask_source(source, asked, entity=table.name, fields=fields, seconds=SECONDS, **more)
        keep_answer(key, found)
    told = json.dumps([source.kind, table.name, [one.name for one in wanted], asked, shape])
    fingerprint = hashlib.sha256(told.encode()).hexdigest()[:16]
    columns, rows = found["columns"], found["rows"]
    for place, one in enumerate(wanted):
        if one.is_masked:
            columns = [*columns[:place], {"name": one.name, "type": "text"}, *columns[place:]]
            rows = [[*row[:place], MASK, *row[place:]] for row in rows]
    return QueryAnswer(columns, rows, found["truncated"], fingerprint)


def _wanted(table: SourceTable, columns: Sequence[SourceColumn], names: Sequence[str]) -> list[SourceColumn]:
    if not names:
        return [one for one in columns if not one.is_masked]
    return list(dict.fromkeys(_column(table, columns, one) for one in names))


def _column(table: SourceTable, columns: Sequence[SourceColumn], name: str) -> SourceColumn:
    """As it is written, else whatever its capitals."""
    same = [one for one in columns if one.name == name] or [one for one in columns if one.name.lower() == name.lower()]
    if len(same) == 1:
        return same[0]
    there = ", ".join(one.name for one in columns[:MOST_NAMED] if not one.is_masked)
    raise RecordsRefused(
        reason=_("The entity %(entity)s has no field of this name. There are: %(names)s.")
        % {"entity": table.name, "names": there}
    )


def _condition(table: SourceTable, columns: Sequence[SourceColumn], asked: Condition) -> list[Any]:
    name, operator, value = asked
    column = _column(table, columns, name)
    if column.is_masked:
        raise RecordsRefused(
            reason=_("The field %(name)s is masked: nothing can be found out by asking about it.")
            % {"name": column.name}
        )
    if table.source.kind == DataSource.Kind.REST:
        _check_parameter(table, column.name, operator, value)
    return [column.name, column.type, operator, value]


def _check_parameter(table: SourceTable, name: str, operator: str, value: Any) -> None:
    filters = rest_entity(table).get("filters", {})
    if operator in filters.get(name, {}) and value is not None:
        return
    open_names = {one.name for one in table.columns.all() if not one.is_masked}
    ways = "; ".join(f"{one} ({', '.join(sorted(by))})" for one, by in sorted(filters.items()) if one in open_names)
    if not ways:
        raise RecordsRefused(reason=_("This entity of the service can be asked for without a filter alone."))
    raise RecordsRefused(reason=_("The service cannot be asked so. It can be asked by: %(ways)s.") % {"ways": ways})
