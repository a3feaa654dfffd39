"""Who reads a page as it is printed: the workers' sandbox, which says so when the process starts.

`corpora` knows no worker and parses nothing (DESIGN.md): it knows what it asks for, and what it may be answered.
"""

from typing import Protocol

from django.utils.translation import gettext_lazy as _
from rest_framework import status

from accounts.problems import Problem
from corpora.models import Document
from corpora.reader.printed import PageRequest, PrintedPage


class PageUnreadable(Problem):
    """The page's own fault, or its file's: another try gives the same."""

    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    code = "page_unreadable"
    default_detail = _("This page cannot be shown as it is printed. Its text can be read, and the original downloaded.")


class PageReader(Protocol):
    def __call__(self, document: Document, request: PageRequest) -> PrintedPage:
        """A page of a document's original. Raises PageUnreadable; NotFound where there is no original any more;
        StorageUnavailable and Busy, where another try may help."""


_readers: list[PageReader] = []


def register_page_reader(reader: PageReader) -> None:
    _readers[:] = [reader]


def read_printed(document: Document, request: PageRequest) -> PrintedPage:
    """Raises as `PageReader`."""
    if not _readers:
        raise PageUnreadable
    return _readers[0](document, request)
