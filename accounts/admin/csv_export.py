"""Tables as CSV that a spreadsheet opens as text, never as formulas (RELIABILITY R19)."""

import csv
from collections.abc import Iterable, Sequence
from typing import Any

from django.http import HttpResponse

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def escape_cell(value: Any) -> str:
    """The value as text; an apostrophe keeps a leading `= + - @`, tab or line break from being a formula."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def csv_response(filename: str, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> HttpResponse:
    """A download in UTF-8 with its byte order mark, which spreadsheets need to read accents."""
    response = HttpResponse(
        content_type="text/csv; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{filename}"',
            "X-Content-Type-Options": "nosniff",
        },
    )
    response.write("\ufeff")
    table = csv.writer(response)
    for row in (header, *rows):
        table.writerow([escape_cell(cell) for cell in row])
    return response
