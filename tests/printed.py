"""Documents in the store with their text as it would have been read: a PDF, one page for each list of lines; and a
Markdown that carries a picture."""

import base64
import io
from functools import cache
from typing import Any

from PIL import Image

from corpora.media_types import MARKDOWN, PDF
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


def png(colour: Any = (200, 30, 30), mode: str = "RGB", size: tuple[int, int] = (40, 20)) -> bytes:
    buffer = io.BytesIO()
    Image.new(mode, size, colour).save(buffer, "PNG")
    return buffer.getvalue()


def carried(content: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"


def drawn_document(corpus: Corpus, said: str, **fields: Any) -> Document:
    text = f"Before.\n\n![{said}](#picture-1)\n\nAfter."
    return DocumentFactory(
        corpus=corpus,
        media_type=MARKDOWN,
        text=text,
        pictures=[[text.index("!["), 1, 40, 20, ""]],
        content=text.replace("#picture-1", carried(png())).encode(),
        **{"filename": "drawn.md", **fields},
    )
