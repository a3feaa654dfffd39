"""Deletion that leaves nothing behind, with a receipt (SPEC §3, "Deleting")."""

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from chat.models import Citation
from corpora.models import Chunk, Corpus, Document, ErasureReceipt
from retrieval.index.base import VectorIndex
from retrieval.models import CachedEmbedding
from retrieval.spaces.current import every_index


def erase(document_id: UUID) -> bool:
    """Remove every trace of a deleted document; False while a worker still holds it or it is not deleted.

    The order matters: points first (verified by count), then file, then rows, so that a failure in between leaves
    the row that the sweeper finds again. Raises IndexUnavailable or the file store's error; both are retried.
    """
    document = Document.objects.filter(pk=document_id).exclude(deleted_at=None).select_related("corpus").first()
    if document is None or is_held(document):
        return False
    removed = {"points": erase_points(document_id)}
    if document.file:
        document.file.delete(save=False)
        removed["files"] = 1
    with transaction.atomic():
        removed |= erase_rows(document)
        ErasureReceipt.objects.create(
            organization_id=document.corpus.organization_id, document_id=document_id, removed=removed
        )
        erase_empty_corpus(document.corpus)
    return True


def is_held(document: Document) -> bool:
    expires = document.lease_expires_at
    return expires is not None and expires > timezone.now()


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
        "snippets": Citation.objects.filter(document=document).update(snippet="", title="", heading_path=[]),
        "chunks": document.chunks.all().delete()[0],
        "texts": document.texts.all().delete()[0],
    }
    removed["embeddings"] = forget_embeddings(hashes)
    document.delete()
    return removed


def forget_embeddings(hashes: set[str]) -> int:
    """Remove the cached embeddings of texts that no chunk has any more; returns how many."""
    if not hashes:
        return 0
    shared = set(Chunk.objects.filter(text_hash__in=hashes).values_list("text_hash", flat=True))
    return CachedEmbedding.objects.filter(text_hash__in=hashes - shared).delete()[0]


def erase_empty_corpus(corpus: Corpus) -> None:
    """A deleted corpus goes with its last document."""
    if corpus.deleted_at is not None and not corpus.documents.exists():
        corpus.delete()


def erase_deleted_corpora() -> int:
    """Deleted corpora that never had a document, or whose documents are all erased."""
    return Corpus.objects.exclude(deleted_at=None).filter(documents=None).delete()[0]
