"""The index follows the trash: what lies in it has no points, what came back has them again (SPEC §3). And it follows a
move: points name the corpus that their document is in.

`Document.presence_changed_at` is set by whoever deletes, restores or moves, and stays until the index is as it should
be. Nothing is read or cut again for it: its chunks are in the database, its embeddings in the cache.
"""

from django.utils import timezone

from corpora.models import Document
from retrieval.spaces.opened import every_index, write_targets
from workers.jobs.errands import run_next
from workers.queue.claims import Lease
from workers.queue.turns import Kind
from workers.upkeep.space_filling import chunk_batches, served_chunks_of, write_chunks


def follow_next() -> bool:
    """See to the document whose turn it is; False when none is due."""
    return run_next(Kind.PRESENCE, follow)


def follow(lease: Lease) -> None:
    """Again while it is deleted, restored or moved in between.

    Who was taken over may have written late what the other had removed: then the mark is set once more.
    """
    while document := lease.rows().exclude(presence_changed_at=None).first():
        if document.deleted_at:
            for index in every_index():
                index.delete_document(document.pk)
        else:
            write_points_of(document)
        lease.rows().filter(presence_changed_at=document.presence_changed_at).update(presence_changed_at=None)
    if not lease.end_errand():
        Document.objects.filter(pk=lease.document_id).update(presence_changed_at=timezone.now())


def write_points_of(document: Document) -> None:
    """To every space that does not have all of them; in the active one they are found from then on. Of a document that
    was ever moved, over those that it has: they may name the corpus before."""
    for target in write_targets():
        if document.moved_at or target.index.count(document.pk) < document.chunk_count:
            for batch in chunk_batches(served_chunks_of([document.pk])):
                write_chunks(target, batch)
