"""Files of a data source: each is a table, a workbook one for each of its sheets."""

import re
import unicodedata
from collections.abc import Mapping
from itertools import count
from pathlib import PurePath
from uuid import UUID

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import Sum

from accounts import audit
from accounts.limits.uses import lock_organization
from accounts.models import Membership
from accounts.problems import FileTooLarge, NotFound
from tools.asking import check_files
from tools.files import workbooks
from tools.models import DataSource, SourceFile
from tools.problems import (
    FilesOfBucket,
    FileUnreadable,
    FileUnusable,
    QueryTooBig,
    QueryTooSlow,
    SourcesFull,
    SourceUnusable,
)

TABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")
LONGEST_WORDS = 55  # of a name, and room to tell it apart
MOST_FILES, MOST_FILE_BYTES = 20, 100 * 1024 * 1024  # of a source, of an organization
SIGNATURES = {b"SQLite format 3\0": SourceFile.Format.SQLITE, b"PAR1": SourceFile.Format.PARQUET}
OF_ENGINE = {
    DataSource.Kind.SQLITE: (SourceFile.Format.SQLITE,),
    DataSource.Kind.DUCKDB: (SourceFile.Format.CSV, SourceFile.Format.PARQUET),
}


def table_named(filename: str) -> str:
    """What a table is called that comes as a file: `año 2025.csv` is `ano_2025`."""
    words = plain_words(PurePath(filename).stem)[:LONGEST_WORDS] or "table"
    return words if TABLE_NAME.fullmatch(words) else f"t_{words}"


def plain_words(text: str) -> str:
    """What a table's name has of it: letters of ASCII, digits and underscores."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_]+", "_", plain).strip("_")


def add_file(by: Membership, source: DataSource, table: str, upload: UploadedFile[bytes]) -> list[SourceFile]:
    """Keep a file as a table, a workbook as one for each of its sheets; what has the same name is replaced. Raises
    FileUnusable, FileTooLarge, FilesOfBucket, SourcesFull, NotFound for a source that is deleted meanwhile, and what
    `check_files` raises."""
    _refuse_bucket(source)
    if (upload.size or 0) > settings.MAX_UPLOAD_BYTES:
        raise FileTooLarge
    files = as_tables(source, table, upload.read())
    with transaction.atomic():
        lock_organization(source.organization_id)
        if not DataSource.objects.in_organization_of(by).filter(pk=source.pk).exists():
            raise NotFound
        for one in files:
            keep_file(one)
        _note_files(by, source)
    return files


def as_tables(source: DataSource, table: str, content: bytes) -> list[SourceFile]:
    """The rows that a file becomes, not saved yet, each of which its engine can read: one that it could not would keep
    it from all others. Raises FileUnusable, FileTooLarge, and what `check_files` raises."""
    format = next((one for start, one in SIGNATURES.items() if content.startswith(start)), SourceFile.Format.CSV)
    if not content or format not in OF_ENGINE.get(source.engine, ()):
        raise FileUnusable
    tables = {table: content}
    if content.startswith(workbooks.SIGNATURE):
        tables = _named_sheets(table, workbooks.sheets_of(source.organization_id, content))
    elif format == SourceFile.Format.CSV:
        tables = {table: _in_utf8(content)}
    files = [
        SourceFile(source=source, table=name, format=format, content=told, size=len(told))
        for name, told in tables.items()
    ]
    try:
        check_files(source, files)
    except SourceUnusable:
        raise FileUnreadable from None
    except (QueryTooBig, QueryTooSlow):
        raise FileTooLarge from None
    return files


def _in_utf8(content: bytes) -> bytes:
    """What is no UTF-8 is read as Windows-1252, as Excel saves CSV in western Europe. Raises FileUnusable for what is
    no text."""
    if b"\0" in content:
        raise FileUnusable
    try:
        content.decode()
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace").encode()
    return content


def keep_file(file: SourceFile) -> None:
    """In the place of what has the same name; agents were given that as it was written first. Under the
    organization's lock. Raises SourcesFull."""
    same = file.source.files.filter(table__iexact=file.table)
    file.table = same.values_list("table", flat=True).first() or file.table
    replaced = file.source.files.all() if file.format == SourceFile.Format.SQLITE else same
    replaced.delete()
    find_room_for(file.source, file.size)
    file.save(force_insert=True)


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


def find_room_for(source: DataSource, size: int, key: str = "") -> None:
    """For a file of so many bytes, which takes the place of what was brought by this key. Raises SourcesFull."""
    others = SourceFile.objects.filter(source__organization_id=source.organization_id)
    if key:
        others = others.exclude(source=source, key=key)
    held = others.aggregate(bytes=Sum("size"))["bytes"] or 0
    if held + size > MOST_FILE_BYTES or others.filter(source=source).count() >= MOST_FILES:
        raise SourcesFull


def remove_file(by: Membership, source: DataSource, file_id: UUID) -> None:
    """Raises NotFound and FilesOfBucket."""
    _refuse_bucket(source)
    with transaction.atomic():
        gone, _counts = source.files.filter(pk=file_id).delete()
        if not gone:
            raise NotFound
        _note_files(by, source)


def _refuse_bucket(source: DataSource) -> None:
    if source.kind == DataSource.Kind.BUCKET:
        raise FilesOfBucket


def _note_files(by: Membership, source: DataSource) -> None:
    """Answers that were kept are of the files before."""
    source.save(update_fields=["updated_at"])
    audit.record(by, "changed", source, fields=["files"])
