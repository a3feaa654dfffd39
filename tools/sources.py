"""Data sources are kept by admins: made, changed, checked, their tables chosen. Each act is audited."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts import audit
from accounts.limits.uses import lock_organization
from accounts.models import Membership
from accounts.problems import NotFound, Problem
from tools.asking import ask_source
from tools.files import buckets
from tools.models import DataSource, SourceColumn, SourceTable
from tools.problems import SourceNameTaken, SourcesFull, outcome_of
from tools.sql.readings import fold_ascii

MOST_TABLES, MOST_COLUMNS = 100, 200  # chosen, of a source and of a table
LONGEST_SCHEMA, LONGEST_NAME = 100, 200
SCHEMA_SECONDS = 20.0
MOST_SOURCES = 50  # of an organization
NOT_NOTED = ("sealed_credentials", "brought_at", "left_out", "updated_at")  # saved beside what was said


def source_for(by: Membership, source_id: UUID) -> DataSource:
    """Raises NotFound for another organization's."""
    source = DataSource.objects.in_organization_of(by).filter(pk=source_id).first()
    if source is None:
        raise NotFound
    return source


def save_source(by: Membership, source: DataSource, **fields: Any) -> DataSource:
    """Make it, or change these fields of it; `username` and `password` come together and are sealed, and only that they
    changed is told. Raises SourceNameTaken and SourcesFull."""
    is_new = source._state.adding
    credentials = {name: fields.pop(name) for name in ("username", "password") if name in fields}
    if credentials:
        source.keep_credentials(**credentials)
    for name, value in fields.items():
        setattr(source, name, value)
    try:
        with transaction.atomic():
            if is_new:
                lock_organization(by.organization_id)
                if DataSource.objects.in_organization_of(by).count() >= MOST_SOURCES:
                    raise SourcesFull
            elif source.kind == DataSource.Kind.BUCKET:
                buckets.note_change(source)
            source.save(update_fields=None if is_new else [*fields, *NOT_NOTED])
            changed = sorted({*fields, *credentials})
            audit.record(by, "created" if is_new else "changed", source, fields=changed)
    except IntegrityError:
        raise SourceNameTaken from None
    return source


def delete_source(by: Membership, source: DataSource) -> None:
    with transaction.atomic():
        audit.record(by, "deleted", source)
        source.delete()


def check_source(by: Membership, source: DataSource) -> int:
    """Ask it for its tables, or for the files of its bucket, and note how that went; how many. Raises what `ask_source`
    raises."""
    try:
        is_bucket = source.kind == DataSource.Kind.BUCKET
        found = len(buckets.files_in_bucket(source).files if is_bucket else described_tables(source))
    except Problem as problem:
        _note_check(by, source, outcome_of(problem))
        raise
    _note_check(by, source, "ok")
    return found


def _note_check(by: Membership, source: DataSource, outcome: str) -> None:
    source.checked_at, source.check_outcome = timezone.now(), outcome
    rows = DataSource.objects.in_organization_of(by).filter(pk=source.pk)
    rows.update(checked_at=source.checked_at, check_outcome=outcome)
    audit.record(by, "checked", source, outcome=outcome)


def described_tables(source: DataSource) -> list[dict[str, Any]]:
    """Every table that the source has, with its columns: what an admin chooses from."""
    patience = {"seconds": SCHEMA_SECONDS} if source.is_service else {}  # which is asked entity by entity
    found: list[dict[str, Any]] = ask_source(source, "tables", **patience)
    return found


def choose_tables(by: Membership, source: DataSource, chosen: Iterable[Mapping[str, Any]]) -> list[SourceTable]:
    """These tables with these columns, and no others. A table that stays keeps its id, and with it its agents."""
    with transaction.atomic():
        DataSource.objects.in_organization_of(by).select_for_update().get(pk=source.pk)
        known = {(one.schema, one.name): one for one in source.tables.all()}
        for said in chosen:
            table = known.pop((said["schema"], said["name"]), None) or SourceTable(
                source=source, schema=said["schema"], name=said["name"]
            )
            table.description = said["description"]
            table.save()
            types = {one.name: one.type for one in table.columns.all()}  # which stay where none is said
            columns = [{**one, "type": one["type"] or types.get(one["name"], "")} for one in said["columns"]]
            _choose_columns(table, columns)
        source.tables.filter(pk__in=[one.pk for one in known.values()]).delete()
        note_tables(by, source)
    return chosen_tables(source)


def add_tables(by: Membership, source: DataSource, found: Iterable[Mapping[str, Any]]) -> None:
    """Choose these of `described_tables` beside those that are chosen; every column is masked until it is opened. One
    that is chosen already gets the columns that there are now; those that stay keep what is said of them."""
    with transaction.atomic():
        DataSource.objects.in_organization_of(by).select_for_update().get(pk=source.pk)
        known = {(one.schema, one.name): one for one in source.tables.all()}
        for told in found:
            place = told["schema"], told["name"]
            if not (_is_keepable(told["schema"], LONGEST_SCHEMA) and _is_keepable(told["name"])):
                continue
            if place not in known:
                if len(known) >= MOST_TABLES:
                    raise SourcesFull
                known[place] = SourceTable.objects.create(source=source, schema=told["schema"], name=told["name"])
            _choose_columns(known[place], _columns_now(known[place], told["columns"]))
        note_tables(by, source)


def _columns_now(table: SourceTable, there: Iterable[Mapping[str, str]]) -> list[dict[str, Any]]:
    said = {one.name: {"description": one.description, "is_masked": one.is_masked} for one in table.columns.all()}
    new = {"description": "", "is_masked": True}
    return [{**one, **said.get(one["name"], new)} for one in keepable_columns(there)]


def keepable_columns(there: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    """Name and type of those of a table that can be chosen: of two whose names differ in their capitals alone the
    first, for they cannot be told apart in every statement."""
    first: dict[str, Mapping[str, str]] = {}
    for one in there:
        if _is_keepable(one["name"]):
            first.setdefault(fold_ascii(one["name"]), one)
    return [{"name": one["name"], "type": one["type"][:60]} for one in first.values()][:MOST_COLUMNS]


def _is_keepable(name: str, longest: int = LONGEST_NAME) -> bool:
    """Whether PostgreSQL can keep a name that a source gave: it takes no NUL, and no more than its column is long."""
    return "\0" not in name and len(name) <= longest


def drop_table(by: Membership, table: SourceTable) -> None:
    """No longer chosen: no agent reads it any more."""
    with transaction.atomic():
        note_table(by, table, "deleted")
        table.delete()


def note_table(by: Membership, table: SourceTable, action: str, *fields: str) -> None:
    """What may be read of one table has changed."""
    table.source.save(update_fields=["updated_at"])
    audit.record(by, action, table, **({"fields": sorted(fields)} if fields else {}))


def note_tables(by: Membership, source: DataSource) -> None:
    """What may be read of the source has changed."""
    source.save(update_fields=["updated_at"])
    audit.record(by, "changed", source, fields=["tables"])


def _choose_columns(table: SourceTable, columns: Sequence[Mapping[str, Any]]) -> None:
    table.columns.all().delete()
    SourceColumn.objects.bulk_create(
        SourceColumn(
            table=table, name=one["name"], type=one["type"], description=one["description"], is_masked=one["is_masked"],
            place=place,
        )
        for place, one in enumerate(columns)
    )  # fmt: skip


def chosen_tables(source: DataSource) -> list[SourceTable]:
    return list(source.tables.prefetch_related("columns"))
