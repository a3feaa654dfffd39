"""Deletion that leaves nothing behind, with a receipt (SPEC §3, "Deleting")."""

from collections.abc import Iterable, Iterator
from itertools import islice
from uuid import UUID

from django.db import transaction

from accounts.tenancy.scope import system_scope
from corpora.models import Chunk, Document
from corpora.reader.kept_pages import forget_pages
from corpora.uploads import originals
from retrieval.index.base import VectorIndex
from retrieval.models import CachedEmbedding
from retrieval.spaces.opened import every_index
from workers.erasure import receipts
from workers.erasure.corpora import erase_corpus_of
from workers.erasure.mentions import forget_mentions
from workers.jobs.errands import run_next
from workers.queue import claims
from workers.queue.claims import Lease
from workers.queue.turns import Kind

HASHES_AT_ONCE = 500  # parameters of one statement: some builds of SQLite take 999


def erase_next() -> bool:
    """Erase the document whose turn it is; False when none is due."""
    return run_next(Kind.ERASE, erase_held)


def erase(document_id: UUID) -> bool:
    """Remove every trace of a deleted document; False while somebody holds it, the trash keeps it, or it lives.

    Raises IndexUnavailable or the file store's error; the row stays, and both are retried.
    """
    lease = claims.claim_erasure(document_id)
    if lease is None:
        return False
    try:
        erase_held(lease)
    except Exception:
        lease.end_errand()
        raise
    return True


def erase_held(lease: Lease) -> None:
    """The order matters: points first (verified by count), then file, then rows, so that a failure in between leaves
    the row that is found again."""
    document = lease.rows().select_related("corpus").get()
    receipt = receipts.receipt_of_document(document)
    removed = {
        "points": erase_points(document.pk),
        "files": originals.delete_originals(document),
        "page images": forget_pages(document),
    }
    with transaction.atomic():
        receipts.add_counts(receipt, removed | erase_rows(document))
    erase_corpus_of(document)


def erase_points(document_id: UUID) -> int:
    """From every embedding space that there is; how many there were in all."""
    return sum(erase_points_in(index, document_id) for index in every_index())


def erase_points_in(index: VectorIndex, document_id: UUID) -> int:
    count = index.count(document_id)
    index.delete_document(document_id)
    if left := index.count(document_id):
        raise RuntimeError(f"{left} points of document {document_id} survived their deletion")
    return count


def erase_rows(document: Document) -> dict[str, int]:
    hashes = set(document.chunks.values_list("text_hash", flat=True))
    removed = {
        "documents": 1,
        **forget_mentions(document),
        "chunks": document.chunks.all().delete()[0],
        "texts": document.texts.all().delete()[0],
    }
    removed["embeddings"] = forget_embeddings(hashes)
    document.delete()
    return removed


@system_scope()
def forget_embeddings(hashes: set[str]) -> int:
    """Remove the cached embeddings of texts that no chunk has any more, whoever's; returns how many."""
    removed = 0
    for some in hash_batches(hashes):
        shared = set(Chunk.objects.filter(text_hash__in=some).values_list("text_hash", flat=True))
        removed += CachedEmbedding.objects.filter(text_hash__in=some - shared).delete()[0]
    return removed


def hash_batches(hashes: Iterable[str]) -> Iterator[set[str]]:
    rest = iter(hashes)
    while some := set(islice(rest, HASHES_AT_ONCE)):
        yield some
