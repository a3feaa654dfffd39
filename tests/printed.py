"""A PDF in the store with its text as it would have been read: one page for each list of lines."""

from functools import cache
from typing import Any

from corpora.media_types import PDF
from corpora.models import Corpus, Document
from corpora.tests import documents
from tests.factories import DocumentFactory

Lines = tuple[tuple[str, ...], ...]


@cache
def pdf_of(pages: Lines) -> bytes:
    return documents.pdf(pages)


def pdf_document(corpus: Corpus, *pages: tuple[str, ...], **fields: Any) -> Document:
    texts = ["\n".join(lines) + "\n\n" for lines in pages]
    spans, at = [], 0
    for number, text in enumerate(texts, 1):
        spans.append([number, at, at + len(text)])
        at += len(text)
    return DocumentFactory(
        corpus=corpus,
        media_type=PDF,
        text="".join(texts),
        pages=spans,
        content=fields.pop("content", None) or pdf_of(pages),
        **{"filename": "printed.pdf", **fields},
    )
