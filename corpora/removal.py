"""Deleting and restoring: at once for readers, what it leaves by the workers afterwards (SPEC §3).

What is deleted lies in the trash for TRASH_DAYS, or is erased at once. The index is told either way: what is in the
trash takes part in no ranking, and what is restored is found again.
"""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts import audit
from accounts.models import Membership
from accounts.problems import NotFound, Problem
from corpora.models import Corpus, Document, DocumentQuerySet
from corpora.rows.deletable import RESTORED, deletion
from corpora.signals import corpus_removed, corpus_restored, document_removed


class CorpusInTrash(Problem):
    status_code = 409
    code = "corpus_in_trash"
    default_detail = _("Its corpus is in the trash. Restore the corpus first.")


class PlaceTaken(Problem):
    """What was uploaded or stated since stands where the document stood."""

    status_code = 409
    code = "place_taken"
    default_detail = _("Its corpus has another document in its place now. Delete that one first, or erase this one.")


def remove_document(document: Document, by: Membership, *, at_once: bool = False) -> None:
    """Delete a document: no query finds it from now on. Into the trash; with `at_once` its erasure follows."""
    remove_documents([document], by, at_once=at_once)


def remove_documents(documents: Iterable[Document], by: Membership, *, at_once: bool = False) -> datetime:
    """As `remove_document`, all in one moment: by that they are restored together."""
    gone = deletion(by.user, at_once=at_once)
    if gone["kept_until"]:
        gone["presence_changed_at"] = gone["deleted_at"]
    asked = {one.pk: one.corpus_id for one in documents}
    with transaction.atomic():
        for document in lock_documents(asked):
            if document.corpus_id == asked[document.pk]:  # not moved meanwhile
                Document.objects.filter(pk=document.pk).update(**gone)
                audit.record(by, "deleted", document, corpus=str(document.corpus_id), at_once=at_once)
                tell_of_removal(document.pk)
    moment: datetime = gone["deleted_at"]
    return moment


def remove_corpus(corpus: Corpus, by: Membership, *, at_once: bool = False) -> None:
    """Delete a corpus with all its documents, as one. The workers hear of it once.

    Its points stay in the index as long as they are let: no scope names the corpus, so no search looks at them.
    """
    with transaction.atomic():
        gone = deletion(by.user, at_once=at_once)
        if not Corpus.objects.filter(pk=corpus.pk, deleted_at=None).update(**gone):
            return
        corpus.documents.alive().update(**gone)
        if gone["kept_until"] is None:  # what was deleted before it lies in the trash no longer than it does
            corpus.documents.update(kept_until=None)
        audit.record(by, "deleted", corpus, at_once=at_once)
        tell_of_corpus(corpus.pk)


def restore_document(document: Document, by: Membership) -> None:
    """Out of the trash, as it was. Raises NotFound when it is not in it any more, CorpusInTrash and PlaceTaken."""
    try:
        with transaction.atomic():
            lock_corpus(document.corpus_id)
            refuse_taken_place(document)
            back = {**RESTORED, "presence_changed_at": timezone.now()}
            if not Document.objects.in_trash_of(by).filter(pk=document.pk).update(**back):
                raise NotFound
            requeue_unfinished(Document.objects.alive().filter(pk=document.pk))
            audit.record(by, "restored", document, corpus=str(document.corpus_id))
            tell_of_restoration(document.corpus_id)
    except IntegrityError:
        raise PlaceTaken from None


def restore_corpus(corpus: Corpus, by: Membership) -> None:
    """Out of the trash, with the documents that were deleted with it; what had been deleted before stays deleted."""
    with transaction.atomic():
        deleted_at = corpus.deleted_at
        if not Corpus.objects.in_trash_of(by).filter(pk=corpus.pk).update(**RESTORED):
            raise NotFound
        corpus.documents.filter(deleted_at=deleted_at).update(**RESTORED, presence_changed_at=timezone.now())
        requeue_unfinished(corpus.documents.alive())
        audit.record(by, "restored", corpus)
        tell_of_restoration(corpus.pk)


def erase_document(document: Document, by: Membership) -> None:
    """Out of the trash and out of the world. Raises NotFound when it is not in the trash any more."""
    with transaction.atomic():
        if not Document.objects.in_trash_of(by).filter(pk=document.pk).update(kept_until=None):
            raise NotFound
        audit.record(by, "erased", document, corpus=str(document.corpus_id))
        tell_of_removal(document.pk)


def erase_corpus(corpus: Corpus, by: Membership) -> None:
    """As `erase_document`, with all that it holds."""
    with transaction.atomic():
        if not Corpus.objects.in_trash_of(by).filter(pk=corpus.pk).update(kept_until=None):
            raise NotFound
        corpus.documents.update(kept_until=None)
        audit.record(by, "erased", corpus)
        tell_of_corpus(corpus.pk)


def lock_corpus(corpus_id: UUID) -> None:
    """Until the transaction ends the corpus is neither deleted nor restored, and takes in no document."""
    if Corpus.objects.select_for_update(no_key=True).filter(pk=corpus_id, deleted_at=None).first() is None:
        raise CorpusInTrash


def lock_documents(ids: Iterable[UUID]) -> DocumentQuerySet:
    """Those that are alive, as they are now; before any of them is changed and all in one order, so that two who change
    the same ones do not wait for each other for ever."""
    wanted = list(ids)
    return Document.objects.alive().select_for_update(of=("self",), no_key=True).filter(pk__in=wanted).order_by("pk")


def refuse_taken_place(document: Document) -> None:
    """One document for each fact and for each file of a watched folder."""
    for name in ("fact_key", "source_path"):
        value = getattr(document, name)
        here = Document.objects.alive().filter(corpus_id=document.corpus_id)
        if value and here.filter(**{name: value}).exists():
            raise PlaceTaken


def requeue_unfinished(documents: DocumentQuerySet) -> None:
    """Who worked on them when they were deleted has stopped."""
    documents.filter(status__in=(Document.Status.PENDING, Document.Status.PROCESSING)).requeue()


def tell_of_removal(document_id: UUID) -> None:
    transaction.on_commit(lambda: document_removed.send(Document, document_id=document_id))


def tell_of_corpus(corpus_id: UUID) -> None:
    transaction.on_commit(lambda: corpus_removed.send(Corpus, corpus_id=corpus_id))


def tell_of_restoration(corpus_id: UUID) -> None:
    transaction.on_commit(lambda: corpus_restored.send(Corpus, corpus_id=corpus_id))
