"""Data sources are kept by admins: made, changed, checked, given files, their tables chosen. Each act is audited."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from pathlib import PurePath
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.utils import timezone

from accounts import audit
from accounts.limits.uses import lock_organization
from accounts.models import Membership
from accounts.problems import FileTooLarge, NotFound, Problem
from tools import workbooks
from tools.asking import ask_source
from tools.models import DataSource, SourceColumn, SourceFile, SourceTable
from tools.problems import FileUnusable, SourceNameTaken, SourcesFull

MOST_TABLES, MOST_COLUMNS = 100, 200  # chosen, of a source and of a table
LONGEST_SCHEMA, LONGEST_NAME = 100, 200
SCHEMA_SECONDS = 20.0
TABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")
MOST_SOURCES, MOST_FILES, MOST_FILE_BYTES = 50, 20, 100 * 1024 * 1024  # of an organization, a source, an organization
SIGNATURES = {b"SQLite format 3\0": SourceFile.Format.SQLITE, b"PAR1": SourceFile.Format.PARQUET}
OF_FILES = {
    DataSource.Kind.SQLITE: (SourceFile.Format.SQLITE,),
    DataSource.Kind.DUCKDB: (SourceFile.Format.CSV, SourceFile.Format.PARQUET),
}


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
            source.save()
            changed = sorted({*fields, *credentials})
            audit.record(by, "created" if is_new else "changed", source, fields=changed)
    except IntegrityError:
        raise SourceNameTaken from None
    return source


def delete_source(by: Membership, source: DataSource) -> None:
    with transaction.atomic():
        audit.record(by, "deleted", source)
        source.delete()


def check_source(by: Membership, source: DataSource) -> list[dict[str, Any]]:
    """Ask it for its tables, and note how that went. Raises what `ask_source` raises."""
    try:
        found = described_tables(source)
    except Problem as problem:
        _note_check(by, source, str(problem.extra.get("reason") or problem.code)[:40])
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


def table_named(filename: str) -> str:
    """What a table is called that comes as a file: `año 2025.csv` is `ano_2025`."""
    plain = unicodedata.normalize("NFKD", PurePath(filename).stem).encode("ascii", "ignore").decode()
    words = re.sub(r"[^A-Za-z0-9_]+", "_", plain).strip("_")[:55] or "table"
    return words if TABLE_NAME.fullmatch(words) else f"t_{words}"


def add_file(by: Membership, source: DataSource, table: str, upload: UploadedFile[bytes]) -> list[SourceFile]:
    """Keep a file as a table, a workbook as one for each of its sheets; what has the same name is replaced. Raises
    FileUnusable, FileTooLarge, SourcesFull, and Busy for a workbook."""
    if (upload.size or 0) > settings.MAX_UPLOAD_BYTES:
        raise FileTooLarge
    content = upload.read()
    format = next((one for start, one in SIGNATURES.items() if content.startswith(start)), SourceFile.Format.CSV)
    if not content or format not in OF_FILES.get(DataSource.Kind(source.kind), ()):
        raise FileUnusable
    is_workbook = content.startswith(workbooks.SIGNATURE)
    tables = _named_sheets(table, workbooks.sheets_of(by.organization_id, content)) if is_workbook else {table: content}
    with transaction.atomic():
        lock_organization(by.organization_id)
        files = [_keep_file(by, source, name, format, told) for name, told in tables.items()]
        source.save(update_fields=["updated_at"])  # answers that were kept are of the file before
        audit.record(by, "changed", source, fields=["files"])
    return files


def _keep_file(by: Membership, source: DataSource, table: str, format: str, content: bytes) -> SourceFile:
    same = source.files.filter(table__iexact=table)
    table = same.values_list("table", flat=True).first() or table  # agents were given it as it was written first
    replaced = source.files.all() if format == SourceFile.Format.SQLITE else same
    replaced.delete()
    _look_for_room(by, source, len(content))
    return SourceFile.objects.create(source=source, table=table, format=format, content=content, size=len(content))


def _named_sheets(table: str, sheets: Mapping[str, bytes]) -> dict[str, bytes]:
    """A single sheet is called as its workbook; of several, each also by its own name. Raises FileUnusable for none."""
    if not sheets:
        raise FileUnusable
    if len(sheets) == 1:
        return dict(zip([table], sheets.values(), strict=True))
    named: dict[str, bytes] = {}
    for sheet, content in sheets.items():
        name = f"{table[:29]}_{table_named(sheet)[:25]}"
        taken = {one.lower() for one in named}
        numbers = (name if again == 1 else f"{name}_{again}" for again in count(1))
        named[next(one for one in numbers if one.lower() not in taken)] = content
    return named


def _look_for_room(by: Membership, source: DataSource, size: int) -> None:
    held = SourceFile.objects.filter(source__organization_id=by.organization_id).aggregate(bytes=Sum("size"))["bytes"]
    if (held or 0) + size > MOST_FILE_BYTES or source.files.count() >= MOST_FILES:
        raise SourcesFull


def remove_file(by: Membership, source: DataSource, file_id: UUID) -> None:
    with transaction.atomic():
        gone, _counts = source.files.filter(pk=file_id).delete()
        if not gone:
            raise NotFound
        source.save(update_fields=["updated_at"])
        audit.record(by, "changed", source, fields=["files"])


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
            _choose_columns(table, said["columns"])
        source.tables.filter(pk__in=[one.pk for one in known.values()]).delete()
        note_tables(by, source)
    return chosen_tables(source)


def add_tables(by: Membership, source: DataSource, found: Iterable[Mapping[str, Any]]) -> None:
    """Choose these of `described_tables` beside those that are chosen; every column is masked until it is opened."""
    with transaction.atomic():
        DataSource.objects.in_organization_of(by).select_for_update().get(pk=source.pk)
        known = set(source.tables.values_list("schema", "name"))
        for told in found:
            is_keepable = _is_keepable(told["schema"], LONGEST_SCHEMA) and _is_keepable(told["name"])
            if not is_keepable or (told["schema"], told["name"]) in known:
                continue
            if len(known) >= MOST_TABLES:
                raise SourcesFull
            known.add((told["schema"], told["name"]))
            table = SourceTable.objects.create(source=source, schema=told["schema"], name=told["name"])
            columns = [
                {**one, "type": one["type"][:60], "description": "", "is_masked": True}
                for one in told["columns"]
                if _is_keepable(one["name"])
            ]
            _choose_columns(table, columns[:MOST_COLUMNS])
        note_tables(by, source)


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
