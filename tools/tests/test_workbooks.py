"""A workbook becomes tables, a sheet each, in a child; whatever is in it, nothing but that upload comes to harm."""

import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import Any
from uuid import uuid4

import openpyxl
import pytest

from tests.people import People, signed_in
from tools.engines.workbook import table_in
from tools.files import keeping, workbooks
from tools.models import DataSource, SourceFile
from tools.problems import FileUnusable, WorkbookTooLarge
from tools.tests.test_sources_api import send_file

SOMEBODY = uuid4()
SALES = (
    ["Sales of the year"],
    [],
    ["day", "region", "total", "is open", "at", "lasted", None, "Total"],
    [date(2025, 1, 3), "north, or so", 10, True, time(10, 30), timedelta(hours=30), None, 3.5],
    [datetime(2025, 1, 4, 10, 5), 'the "south"\nof it', 10.25, False, None, None, None, -1e300],
)


def book(**sheets: Sequence[Sequence[Any]]) -> bytes:
    made = openpyxl.Workbook()
    made.remove(made.worksheets[0])
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        sheet.sheet_state = "hidden" if name.startswith("hidden") else "visible"
        for row in rows:
            sheet.append(list(row))
    written = BytesIO()
    made.save(written)
    return written.getvalue()


def with_part(content: bytes, name: str, changed: Callable[[bytes], bytes]) -> bytes:
    """The same workbook with one of its parts changed."""
    written = BytesIO()
    with zipfile.ZipFile(BytesIO(content)) as old, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            new.writestr(part, changed(old.read(part)) if part == name else old.read(part))
    return written.getvalue()


def test_sheets_are_told_as_csv_without_those_that_are_hidden_or_empty() -> None:
    found = workbooks.sheets_of(SOMEBODY, book(Sales=SALES, hidden=[["a"], [1]], empty=[]))
    assert list(found) == ["Sales"]
    assert found["Sales"].decode() == (
        "day,region,total,is open,at,lasted,column_7,Total_2\n"
        '2025-01-03,"north, or so",10,true,10:30:00,30:00:00,,3.5\n'
        '2025-01-04 10:05:00,"the ""south""\nof it",10.25,false,,,,-1e+300\n'
    )


@pytest.mark.parametrize(
    ("cells", "table"),
    [
        ([], []),
        ([["", ""]], []),
        ([["a"], [""], ["1"]], [["a"], ["1"]]),
        ([["A title"], ["a", "b"], ["1", ""]], [["a", "b"], ["1", ""]]),
        ([["a", "a", "A"], ["1"]], [["a", "a_2", "A_3"], ["1", "", ""]]),
        ([["a", ""], ["1", "2", "", ""]], [["1", "2"]]),
    ],
)
def test_the_head_is_the_first_row_that_names_more_than_one_column(cells: Any, table: Any) -> None:
    assert table_in(cells) == table


BILLION_LAUGHS = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "hahahahaha">%s]>' % b"".join(
    b'<!ENTITY %c "%s">' % (b"bcdefghi"[n], b"&%c;" % b"abcdefgh"[n] * 10) for n in range(8)
)
FAR_AWAY = (
    b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1"><c r="A1">'
    b'<v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData></worksheet>'
)
SMALL, BOOK, SHEET = book(a=[["a"]]), "xl/workbook.xml", "xl/worksheets/sheet1.xml"


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04",
        b"PK\x03\x04" + b"\0" * 1_000,
        with_part(SMALL, BOOK, lambda _: b""),
        with_part(SMALL, SHEET, lambda part: part[:-40]),
        with_part(SMALL, SHEET, lambda _: FAR_AWAY),
        with_part(SMALL, SHEET, lambda part: part.replace(b'r="A1"', b'r="ZZZZZZZZ99999999999"')),
    ],
    ids=["nothing", "zeros", "no workbook", "cut off", "far away", "nowhere"],
)
def test_what_cannot_be_read_is_refused(content: bytes) -> None:
    with pytest.raises((FileUnusable, WorkbookTooLarge)):
        workbooks.sheets_of(SOMEBODY, content)


@pytest.mark.parametrize(
    "content",
    [
        with_part(SMALL, SHEET, lambda part: BILLION_LAUGHS + part.replace(b"a", b"&i;")),
        with_part(SMALL, SHEET, lambda _: b"<a>" * 20_000_000),
        with_part(SMALL, "xl/sharedStrings.xml", lambda _: b"<a>" * 20_000_000),
    ],
    ids=["entities", "nested", "nested strings"],
)
def test_a_bomb_is_not_unfolded(content: bytes) -> None:
    """Whether it is refused or comes to nothing."""
    with suppress(FileUnusable, WorkbookTooLarge):
        assert sum(map(len, workbooks.sheets_of(SOMEBODY, content).values())) < 1_000


def test_more_than_is_told_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbooks, "MOST_CHARACTERS", 1_000)
    with pytest.raises(WorkbookTooLarge):
        workbooks.sheets_of(SOMEBODY, book(a=[["a" * 600]], b=[["b" * 600]]))


@pytest.mark.django_db
def test_from_a_workbook_to_its_tables(people: People) -> None:
    source = DataSource.objects.create(organization=people.ada.organization, name="Files", kind="duckdb")
    sent = send_file(people.ada, source.pk, "año 2025.xlsx", book(Ventas=SALES))
    assert (sent.status_code, sent.json()["table"], sent.json()["format"]) == (201, "ano_2025", "csv")
    (told,) = signed_in(people.ada).get(f"/api/data-sources/{source.pk}/schema/").json()["tables"]
    assert [one["name"] for one in told["columns"]][:3] == ["day", "region", "total"]
    assert [one["type"] for one in told["columns"]][1:4] == ["varchar", "double", "boolean"]

    two = book(Ventas=SALES, ventas_=SALES[2:], **{"Más…": SALES[2:]})
    assert send_file(people.ada, source.pk, "ano_2025.xlsx", two).json()["table"] == "ano_2025_Ventas"
    names = {"ano_2025", "ano_2025_Ventas", "ano_2025_ventas_2", "ano_2025_Mas"}
    assert set(SourceFile.objects.values_list("table", flat=True)) == names

    refused = send_file(people.ada, source.pk, "x.xlsx", book(a=[]))
    assert (refused.status_code, refused.json()["code"]) == (422, "source_file_unusable")


@pytest.mark.django_db
def test_a_workbook_with_more_sheets_than_there_is_room_for_leaves_none(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "MOST_FILES", 1)
    source = DataSource.objects.create(organization=people.ada.organization, name="Files", kind="duckdb")
    assert send_file(people.ada, source.pk, "x.xlsx", book(a=SALES, b=SALES)).json()["code"] == "sources_full"
    assert not SourceFile.objects.exists()


@pytest.mark.django_db
def test_a_database_takes_no_workbook(people: People) -> None:
    source = DataSource.objects.create(organization=people.ada.organization, name="Files", kind="sqlite")
    assert send_file(people.ada, source.pk, "x.xlsx", book(a=SALES)).json()["code"] == "source_file_unusable"
