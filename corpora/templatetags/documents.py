"""How documents and sources are named and linked on pages."""

import re
from typing import TYPE_CHECKING, Any

from django import template
from django.conf import settings
from django.urls import reverse
from django.utils.http import urlencode

from corpora.advice import failure_advice
from corpora.media_types import SHORT_NAMES

if TYPE_CHECKING:
    from corpora.models import Document

register = template.Library()

_ROW = re.compile(r"^[ \t]{0,3}\|([^\n]{1,2000})\|[ \t]{0,3}$", re.MULTILINE)  # of a table
_MARKS = re.compile(r"^[ \t]{0,3}(?:#{1,6}|>|[-*+])[ \t]+|`{1,3}|\*\*|^[|\s:-]{3,200}$", re.MULTILINE)


@register.filter
def kind(document: "Document") -> str:
    """The short name of a document's type."""
    return SHORT_NAMES.get(document.media_type, document.media_type)


@register.filter
def advice(document: "Document") -> str:
    """What to do about a failed document."""
    return failure_advice(document.error_code)


@register.simple_tag
def has_trash() -> bool:
    """Whether what is deleted can be restored; without a trash it is erased at once."""
    return bool(settings.TRASH_DAYS > 0)


@register.filter
def without_marks(text: str) -> str:
    """A line of Markdown without the signs that set it: what is cited is read, not drawn, beside an answer."""
    return _ROW.sub(_cells, _MARKS.sub("", text)).strip()


def _cells(row: re.Match[str]) -> str:
    return " · ".join(filter(None, (cell.strip() for cell in row[1].split("|"))))


@register.filter
def percent(share: float) -> int:
    """A share from 0 to 1 as whole per cent."""
    return round(share * 100)


@register.filter
def passage_url(source: Any) -> str:
    """Where a source opens in the reader, at the first sentence that is cited of it; empty when its document is
    deleted, and with it what was cited.

    The page is there for a document that was processed again since: its chunks have other ids then.
    """
    document = source.document if source else None
    if document is None or document.deleted_at or document.corpus.deleted_at:
        return ""
    query = {"chunk": source.chunk_id, **({"page": source.page} if source.page else {})}
    if source.cited_span:
        query["mark"] = source.cited_span
    return f"{reverse('document', args=[document.pk])}?{urlencode(query)}#passage"
