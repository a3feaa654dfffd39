"""A workbook (XLSX) as rows of text: each sheet that is seen becomes a table, as a CSV file would be.

The file is anybody's: it is parsed in a child (`tools.engines.child`) that by then can open nothing and has so much
memory and time.
"""

import csv
from collections.abc import Sequence
from datetime import datetime, time, timedelta
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

from tools.engines.failures import EngineFailed, QueryTooLarge, SourceFailed

Row = list[str]


class Workbook:
    def __init__(self, request: dict[str, Any]) -> None:
        (file,) = request["files"]
        self._content = Path(file["path"]).read_bytes()

    def tables(self, request: dict[str, Any]) -> list[dict[str, str]]:
        """`name` and `csv` of each sheet that has a head and is not hidden, in their order."""
        try:
            return _told(CalamineWorkbook.from_filelike(BytesIO(self._content)), request["most"]["characters"])
        except (EngineFailed, MemoryError):
            raise
        except BaseException:  # a panic of calamine's is no Exception
            raise SourceFailed("unreadable_file") from None


def _told(book: CalamineWorkbook, room: int) -> list[dict[str, str]]:
    found = []
    for sheet in book.sheets_metadata:
        if sheet.visible is not SheetVisibleEnum.Visible or sheet.typ is not SheetTypeEnum.WorkSheet:
            continue
        rows = table_in([[_text(cell) for cell in row] for row in book.get_sheet_by_name(sheet.name).iter_rows()])
        if not rows:
            continue
        written = StringIO()
        csv.writer(written, lineterminator="\n").writerows(rows)
        found.append({"name": sheet.name, "csv": written.getvalue()})
        room -= written.tell()
        if room < 0:
            raise QueryTooLarge
    return found


def table_in(cells: Sequence[Row]) -> list[Row]:
    """The rows from the head on, all of one width; what stands above it by itself is a title. Empty rows are none."""
    rows = [row for row in cells if any(row)]
    width = max((place for row in rows for place, cell in enumerate(row, 1) if cell), default=0)
    if width > 1:
        head = next((place for place, row in enumerate(rows) if sum(map(bool, row)) > 1), 0)
        rows = rows[head:]
    squared = [(row + [""] * width)[:width] for row in rows]
    return [_named(squared[0]), *squared[1:]] if squared else []


def _named(head: Row) -> Row:
    """Every column has a name, and no two have the same, whatever their capitals."""
    names: Row = []
    taken: set[str] = set()
    for place, cell in enumerate(head, 1):
        name = said = " ".join(cell.split()) or f"column_{place}"
        again = 1
        while name.lower() in taken:
            again += 1
            name = f"{said}_{again}"
        taken.add(name.lower())
        names.append(name)
    return names


def _text(cell: Any) -> str:
    """As a CSV file has it: numbers without a point where they are whole, days and times as ISO 8601 writes them."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, timedelta):
        minutes, seconds = divmod(int(cell.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    return cell.isoformat() if isinstance(cell, time) else str(cell).replace("\0", "")
