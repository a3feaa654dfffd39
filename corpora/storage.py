"""Where an original is kept: a key made of ids alone (RELIABILITY R12)."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from corpora.models import Document

EXTENSIONS = {
    "application/pdf": ".pdf",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ".docx",
    "text/markdown": ".md",
    "text/plain": ".txt",
}


def original_key(document: "Document", _filename: str) -> str:
    """`{corpus_id}/{document_id}/original.pdf`: nothing of the client's name reaches a path."""
    return f"{document.corpus_id}/{document.pk}/original{EXTENSIONS[document.media_type]}"
