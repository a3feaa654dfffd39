"""Deleting: at once for readers, its traces by the workers afterwards (SPEC §3)."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from accounts import audit
from accounts.models import Membership
from corpora.models import Corpus, Document
from corpora.signals import document_removed


def remove_document(document: Document, by: Membership) -> None:
    """Mark a document deleted: no query finds it from now on; erasure follows."""
    with transaction.atomic():
        if mark_removed([document.pk]):
            audit.record(by, "deleted", document, corpus=str(document.corpus_id))


def remove_corpus(corpus: Corpus, by: Membership) -> None:
    """Mark a corpus and all its documents deleted, and take it from every agent."""
    with transaction.atomic():
        if not Corpus.objects.filter(pk=corpus.pk, deleted_at=None).update(deleted_at=timezone.now(), is_active=False):
            return
        mark_removed(list(corpus.documents.alive().values_list("pk", flat=True)))
        audit.record(by, "deleted", corpus)


def mark_removed(document_ids: list[UUID]) -> int:
    """Set `deleted_at` on documents that are not deleted yet and tell the workers after the commit."""
    marked = Document.objects.alive().filter(pk__in=document_ids).update(deleted_at=timezone.now())

    def tell() -> None:
        for document_id in document_ids:
            document_removed.send(Document, document_id=document_id)

    transaction.on_commit(tell)
    return marked
