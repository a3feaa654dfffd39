"""The one receipt of an erasure: which it is, and what it counts.

A document that goes by itself has one of its own. What goes with a corpus, a person or an organization is counted on
theirs, which is open until the last of it is gone. Counts grow in the transaction that removes the rows: whoever goes
on after a kill adds the rest.
"""

from collections import Counter
from collections.abc import Mapping

from django.db import transaction
from django.db.models import Case, Q, QuerySet, Value, When
from django.utils import timezone

from corpora.models import Corpus, Document, ErasureReceipt
from workers.erasure import tombstones

Kind = ErasureReceipt.Kind


def open_receipts() -> QuerySet[ErasureReceipt]:
    return ErasureReceipt.objects.filter(finished_at=None)


def covering_receipt(corpus: Corpus) -> ErasureReceipt | None:
    """The open receipt of the widest thing under which a corpus is erased."""
    party = Q(kind=Kind.ORGANIZATION, subject_id=corpus.organization_id)
    if corpus.owner_id:
        party |= Q(kind=Kind.USER, subject_id=corpus.owner_id)
    widest = Case(When(kind=Kind.ORGANIZATION, then=Value(0)), When(kind=Kind.USER, then=Value(1)), default=Value(2))
    found = open_receipts().filter(party | Q(kind=Kind.CORPUS, subject_id=corpus.pk)).order_by(widest)
    return found.first()


def receipt_of_corpus(corpus: Corpus) -> ErasureReceipt:
    """That on which a corpus that is being erased is counted, opened if there is none."""
    if covering := covering_receipt(corpus):
        return covering
    receipt, _created = ErasureReceipt.objects.get_or_create(
        kind=Kind.CORPUS,
        subject_id=corpus.pk,
        finished_at=None,
        defaults={
            "organization_id": corpus.organization_id,
            "owner_id": corpus.owner_id,
            "requested_by": corpus.deleted_by_id,
            "requested_at": corpus.deleted_at,
        },
    )
    tombstones.keep_tombstone(receipt)
    return receipt


def receipt_of_document(document: Document) -> ErasureReceipt:
    """That of what it goes with, or one of its own, not saved yet."""
    if covering := covering_receipt(document.corpus):
        return covering
    if Corpus.objects.erasable().filter(pk=document.corpus_id).exists():
        return receipt_of_corpus(document.corpus)
    receipt = ErasureReceipt(
        subject_id=document.pk,
        organization_id=document.corpus.organization_id,
        owner_id=document.corpus.owner_id,
        requested_by=document.deleted_by_id,
        requested_at=document.deleted_at,
    )
    tombstones.keep_tombstone(receipt)
    return receipt


def add_counts(receipt: ErasureReceipt, removed: Mapping[str, int]) -> None:
    """To what was counted before. Belongs into the transaction that removes the rows."""
    if receipt._state.adding:
        receipt.removed = dict(removed)
        finish_receipt(receipt)
        return
    with transaction.atomic():
        held = ErasureReceipt.objects.select_for_update().get(pk=receipt.pk)
        held.removed = dict(Counter(held.removed) + Counter(removed))
        held.save(update_fields=["removed"])


def finish_receipt(receipt: ErasureReceipt) -> None:
    """Whoever calls has looked: nothing is left."""
    receipt.finished_at, receipt.verified = timezone.now(), True
    if receipt._state.adding:
        receipt.save(force_insert=True)
    else:
        ErasureReceipt.objects.filter(pk=receipt.pk).update(finished_at=receipt.finished_at, verified=True)
