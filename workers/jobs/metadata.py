"""Edited metadata reaches the index, and an edited title the names, without embedding anything again (SPEC §4).

`Document.metadata_changed_at` is set with every edit and stays until the index has exactly that edit: an outage, a lost
message or a second edit in the meantime leave the flag, and whoever finds it copies anew.
"""

from django.utils import timezone

from corpora.models import Document
from retrieval.places.names import keep_names
from retrieval.spaces.opened import every_index
from workers.jobs.errands import run_next
from workers.queue.claims import Lease
from workers.queue.turns import Kind


def copy_next() -> bool:
    """Copy the metadata of the document whose turn it is; False when none is due."""
    return run_next(Kind.METADATA, copy_metadata)


def copy_metadata(lease: Lease) -> None:
    """From the row to its points' payload, in every space, and to its names; again while edits arrive in between.

    Who was taken over may have written late what the other had overtaken: then the flag is set once more.
    """
    with lease.scope():
        while document := lease.rows().exclude(metadata_changed_at=None).first():
            for index in every_index():
                index.set_metadata(document.pk, document.metadata)
            keep_names(document)
            lease.rows().filter(metadata_changed_at=document.metadata_changed_at).update(metadata_changed_at=None)
        if not lease.end_errand():
            Document.objects.alive().filter(pk=lease.document_id).update(metadata_changed_at=timezone.now())
