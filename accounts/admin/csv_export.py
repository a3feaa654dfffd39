"""Tables as CSV that a spreadsheet opens as text, never as formulas (RELIABILITY R19)."""

import csv
import io
from collections.abc import AsyncIterator, Sequence
from typing import Any

from django.http import StreamingHttpResponse

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
BYTE_ORDER_MARK = "\ufeff"

Row = Sequence[Any]


def escape_cell(value: Any) -> str:
    """The value as text; an apostrophe keeps a leading `= + - @`, tab or line break from being a formula."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def csv_response(filename: str, header: Row, batches: AsyncIterator[Sequence[Row]]) -> StreamingHttpResponse:
    """A download in UTF-8 with its byte order mark, which spreadsheets need to read accents. Written as it is read."""
    return StreamingHttpResponse(
        stream_csv(header, batches),
        content_type="text/csv; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{filename}"',
            "X-Content-Type-Options": "nosniff",
        },
    )


async def stream_csv(header: Row, batches: AsyncIterator[Sequence[Row]]) -> AsyncIterator[str]:
    yield BYTE_ORDER_MARK + to_csv([header])
    async for rows in batches:
        yield to_csv(rows)


def to_csv(rows: Sequence[Row]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([escape_cell(cell) for cell in row] for row in rows)
    return text.getvalue()
