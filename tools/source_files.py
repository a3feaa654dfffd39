"""Files of a data source: each is a table, a workbook one for each of its sheets. Who gives and takes them is audited."""

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
from tools import workbooks
from tools.models import DataSource, SourceFile
from tools.problems import FileUnusable, SourcesFull

TABLE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")
MOST_FILES, MOST_FILE_BYTES = 20, 100 * 1024 * 1024  # of a source, of an organization
SIGNATURES = {b"SQLite format 3\0": SourceFile.Format.SQLITE, b"PAR1": SourceFile.Format.PARQUET}
OF_FILES = {
    DataSource.Kind.SQLITE: (SourceFile.Format.SQLITE,),
    DataSource.Kind.DUCKDB: (SourceFile.Format.CSV, SourceFile.Format.PARQUET),
}


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
