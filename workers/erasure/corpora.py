"""A deleted corpus goes after its last document: its name, its assignments, the question sets about it."""

from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from corpora.models import Corpus, Document, ErasureReceipt
from corpora.uploads.originals import refuse_leftover_files
from workers.erasure import receipts
from workers.erasure.leftovers import refuse_leftovers
from workers.erasure.mentions import forget_corpus


def emptied_corpora() -> QuerySet[Corpus]:
    """To be erased, and without a document."""
    return Corpus.objects.erasable().filter(~Exists(Document.objects.filter(corpus=OuterRef("pk"))))


def erase_corpus_of(document: Document) -> bool:
    """When it was the last document of a corpus that is being erased."""
    return erase_emptied(document.corpus_id)


def erase_deleted_corpora() -> int:
    """Deleted corpora that never had a document, or whose documents are all erased; how many."""
    ids = list(emptied_corpora().values_list("pk", flat=True))
    return sum(erase_emptied(corpus_id) for corpus_id in ids)


def erase_emptied(corpus_id: UUID) -> bool:
    """In one transaction, with its receipt: of two at once one finds nothing."""
    with transaction.atomic():
        corpus = emptied_corpora().select_for_update(of=("self",)).filter(pk=corpus_id).first()
        if corpus is None:
            return False
        receipt = receipts.receipt_of_corpus(corpus)
        removed = {"corpora": 1, **forget_corpus(corpus), "assignments": corpus.assignments.count()}
        corpus.delete()
        refuse_leftovers(Corpus, corpus_id)
        refuse_leftover_files(corpus_id)
        receipts.add_counts(receipt, removed)
        if receipt.kind == ErasureReceipt.Kind.CORPUS:
            receipts.finish_receipt(receipt)
    return True
