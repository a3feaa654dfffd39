"""What pypdf reads of a PDF that PDFium does not: an outline that leads nowhere for it, and what a form's fields hold.

Asked only where PDFium's answer is missing, for it is the slower reader by far: a damaged manual of 429 pages takes it
7 s. It gets SECONDS of processor time, and what it has not found by then is not known.
"""

import io
import logging
import signal
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from workers.ingestion.extract.canonical import one_line
from workers.ingestion.extract.outline.levels import MAX_HEADING_LEVEL
from workers.ingestion.extract.outline.lines import Bookmark

MAX_BOOKMARKS = 10_000
MAX_FIELDS = 2_000
SECONDS = 1.0
LARGEST = 30 * 1024 * 1024  # bytes of a file that it is asked about
LONGEST_VALUE = 2_000
_FORM, _OUTLINE = b"/AcroForm", b"/Outlines"


def other_bookmarks(content: bytes) -> list[Bookmark]:
    """The outline in its order, as pypdf resolves its destinations; empty where it has none, or nobody can read it."""
    if _OUTLINE not in content or len(content) > LARGEST:
        return []
    try:
        with _limited():
            return list(_bookmarks(_reader(content)))
    except Exception:  # it raises whatever it likes; a broken outline costs the headings, not the document
        return []


def form_values(content: bytes) -> dict[int, list[str]]:
    """By page (from 0) the lines `name: value` of the fields that are filled in."""
    if _FORM not in content or len(content) > LARGEST:
        return {}
    try:
        with _limited():
            return _form_values(_reader(content))
    except Exception:  # as above: a broken form costs its values
        return {}


class _TakesTooLong(Exception):
    pass


@contextmanager
def _limited() -> Iterator[None]:
    """Raises _TakesTooLong inside after SECONDS, and ValueError outside of a process' first thread."""

    def give_up(*_: object) -> None:
        raise _TakesTooLong

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _reader(content: bytes) -> Any:
    from pypdf import PdfReader

    return PdfReader(io.BytesIO(content))


def _bookmarks(reader: Any) -> Iterator[Bookmark]:
    waiting = [iter(reader.outline)]
    count = 0
    while waiting and count < MAX_BOOKMARKS:
        entry = next(waiting[-1], None)
        if entry is None:
            waiting.pop()
        elif isinstance(entry, list):
            waiting.append(iter(entry))
        else:
            count += 1
            page = reader.get_destination_page_number(entry)
            if (title := one_line(entry.title or "")) and page is not None and page >= 0:
                yield Bookmark(min(len(waiting), MAX_HEADING_LEVEL), title, page)


def _form_values(reader: Any) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    count = 0
    for number, page in enumerate(reader.pages):
        for reference in page.get("/Annots", ()):
            field = reference.get_object()
            value = field.get("/V")
            if (
                field.get("/Subtype") == "/Widget"
                and isinstance(value, str)
                and value.strip("/ ")
                and count < MAX_FIELDS
            ):
                count += 1
                name = one_line(str(field.get("/TU") or field.get("/T") or ""))
                found[number].append(f"{name}: {one_line(value.removeprefix('/'), LONGEST_VALUE)}".removeprefix(": "))
    return dict(found)


def warm_up() -> None:
    """Load pypdf: the child cannot open files later."""
    import pypdf  # noqa: F401

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it tells of each damage
