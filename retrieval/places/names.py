"""The names of documents as rows: hashes, so that one comparison finds them and nothing is to be read from them."""

from collections.abc import Iterable
from uuid import UUID, uuid5

from django.db import transaction
from django.db.models.functions import Substr

from corpora.models import Document, DocumentName, DocumentText
from retrieval.text.asked_headings import question_names
from retrieval.text.document_names import BEGINNING, names_of

AUTHORS = ("author", "authors", "autor", "autora", "autores")  # names of free metadata


def name_key(organization: UUID, name: str) -> UUID:
    """What a normalized name (`text.document_names`) is kept and looked for as; another in every organization."""
    return uuid5(organization, name)


def keep_names(document: Document) -> None:
    """Write what the document's title, its file, the beginning of its text and its questions call it; what they no
    longer do goes."""
    texts = DocumentText.objects.filter(document=document, version=document.version)
    read = texts.annotate(head=Substr("text", 1, BEGINNING)).values_list("head", "headings").first()
    beginning, headings = read or ("", [])
    names = names_of(document.title, document.filename, beginning, said_of(document))
    write_names(document, names | question_names(title for _level, title, *_span in headings))


def said_of(document: Document) -> str:
    """Its authors, as its free metadata has them, and its year."""
    authors = [str(document.meta[name]) for name in AUTHORS if document.meta.get(name)]
    return " ".join([*authors, *([str(document.source_date.year)] if document.source_date else [])])


def write_names(document: Document, names: Iterable[str]) -> None:
    """Exactly these."""
    organization = document.corpus.organization_id
    wanted = {name_key(organization, name) for name in names}
    with transaction.atomic(savepoint=False):
        rows = DocumentName.objects.filter(document=document)
        there = set(rows.values_list("key", flat=True))
        if stale := there - wanted:
            rows.filter(key__in=stale).delete()
        new = [DocumentName(document=document, key=key) for key in sorted(wanted - there)]
        DocumentName.objects.bulk_create(new, ignore_conflicts=True)
