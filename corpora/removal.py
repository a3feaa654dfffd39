"""Deleting: at once for readers, its traces by the workers afterwards (SPEC §3)."""

from django.db import transaction
from django.utils import timezone

from accounts import audit
from accounts.models import Membership
from corpora.models import Corpus, Document
from corpora.signals import corpus_removed, document_removed


def remove_document(document: Document, by: Membership) -> None:
    """Mark a document deleted: no query finds it from now on; erasure follows."""
    with transaction.atomic():
        if Document.objects.alive().filter(pk=document.pk).update(deleted_at=timezone.now()):
            audit.record(by, "deleted", document, corpus=str(document.corpus_id))
            transaction.on_commit(lambda: document_removed.send(Document, document_id=document.pk))


def remove_corpus(corpus: Corpus, by: Membership) -> None:
    """Mark a corpus and all its documents deleted, and take it from every agent. The workers hear of it once."""
    with transaction.atomic():
        if not Corpus.objects.filter(pk=corpus.pk, deleted_at=None).update(deleted_at=timezone.now(), is_active=False):
            return
        corpus.documents.alive().update(deleted_at=timezone.now())
        audit.record(by, "deleted", corpus)
        transaction.on_commit(lambda: corpus_removed.send(Corpus, corpus_id=corpus.pk))
