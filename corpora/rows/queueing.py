"""What makes a document's row its place in the queue (ADR 0002): the columns of one that waits, and the indexes."""

from typing import Any

from django.db import models
from django.db.models.functions import Coalesce

from config.concurrency.clock import DatabaseNow

SMALL_BYTES = 32 * 1024  # a document of at most this size is short work (`document_waiting_small`)


def queued_columns() -> dict[str, Any]:
    """The columns of a document that waits and that nobody has tried yet."""
    return {
        "status": "pending",
        "stage": "",
        "progress": 0.0,
        "error_code": "",
        "attempts": 0,
        "not_before": DatabaseNow(),
        "lease_holder": None,
        "lease_expires_at": None,
    }


def queue_indexes() -> list[models.Index]:
    """Who has work waiting, and their oldest, without a walk over all that waits (`workers.queue.turns`).

    What is to be erased is found by when that is due: what stays in the trash for weeks is not walked over.
    """
    sender = Coalesce("uploaded_by", "corpus")
    waits = models.Q(status="pending", deleted_at=None)
    changed = models.Q(metadata_changed_at__isnull=False, deleted_at=None)
    present = models.Q(presence_changed_at__isnull=False)
    return [
        models.Index("corpus", sender, "not_before", condition=waits, name="document_waiting"),
        models.Index(
            "corpus", sender, "not_before", condition=waits & models.Q(size__lte=SMALL_BYTES),
            name="document_waiting_small",
        ),
        models.Index(
            "corpus", sender, Coalesce("kept_until", "deleted_at"),
            condition=models.Q(deleted_at__isnull=False), name="document_erasable",
        ),
        models.Index(
            Coalesce("kept_until", "deleted_at"), condition=models.Q(deleted_at__isnull=False),
            name="document_erasure_due",
        ),
        models.Index("corpus", sender, "metadata_changed_at", condition=changed, name="document_metadata_changed"),
        models.Index("corpus", sender, "presence_changed_at", condition=present, name="document_presence_changed"),
        models.Index(
            fields=("corpus",), condition=models.Q(status="processing", deleted_at=None), name="document_in_work"
        ),
    ]  # fmt: skip
