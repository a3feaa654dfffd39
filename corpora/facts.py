"""Single pieces of knowledge without a file of their own (information-layer.es.md, `upsert_knowledge`)."""

import hashlib

from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils.text import slugify

from accounts.models import Membership
from corpora import uploads
from corpora.models import Corpus, Document


def upsert(corpus: Corpus, by: Membership, text: str, title: str = "", tags: list[str] | None = None) -> Document:
    """Keep a statement as a small document; the same title in the same corpus replaces the one before."""
    title = title or text.strip().splitlines()[0][:80]
    fact = Document.ContentType.FACT
    same_title = Document.objects.alive().filter(corpus=corpus, content_type=fact, title=title)
    known: Document | None = same_title.first()
    upload = SimpleUploadedFile(filename_for(title), text.encode())
    if known is None:
        return uploads.accept(corpus, upload, by, title=title, tags=tags or [], content_type=fact)
    uploads.replace(known, upload, by, tags=tags or [])
    return known


def filename_for(title: str) -> str:
    """A name from the title; the hash keeps titles apart that slugify alike."""
    return f"{slugify(title)[:60] or 'fact'}-{hashlib.sha256(title.encode()).hexdigest()[:8]}.txt"
