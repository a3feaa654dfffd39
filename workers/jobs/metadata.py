"""Edited metadata reaches the index without embedding anything again (SPEC §4, "Filters").

`Document.metadata_changed_at` is set with every edit and stays until the index has exactly that edit: an outage, a lost
message or a second edit in the meantime leave the flag, and whoever finds it copies anew.
"""

import logging

from django.utils import timezone

from config.faults import describe_error
from corpora.models import Document
from retrieval.spaces.opened import every_index
from workers.queue import claims
from workers.queue.claims import Lease
from workers.queue.turns import Kind

logger = logging.getLogger(__name__)


def copy_next() -> bool:
    """Copy the metadata of the document whose turn it is; False when none is due."""
    lease = claims.claim_next(Kind.METADATA)
    if lease is None:
        return False
    try:
        with lease.scope(), lease.kept_alive():
            copy_metadata(lease)
    except Exception as error:  # an index that is down must not end the worker: the flag is still there
        logger.warning("the metadata of document %s waits: %s", lease.document_id, describe_error(error))
        lease.postpone_errand()
    return True


def copy_metadata(lease: Lease) -> None:
    """From the row to its points' payload, in every space; again while edits arrive in between.

    Who was taken over may have written late what the other had overtaken: then the flag is set once more.
    """
    while document := lease.rows().exclude(metadata_changed_at=None).first():
        for index in every_index():
            index.set_metadata(document.pk, document.metadata)
        lease.rows().filter(metadata_changed_at=document.metadata_changed_at).update(metadata_changed_at=None)
    if not lease.end_errand():
        Document.objects.alive().filter(pk=lease.document_id).update(metadata_changed_at=timezone.now())
