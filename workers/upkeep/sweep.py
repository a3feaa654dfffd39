"""The guarantee behind the hints: finds what nobody works on (SPEC §3, RELIABILITY fact 8)."""

from datetime import timedelta

from django.utils import timezone

from corpora.models import Document
from workers import claims, tasks
from workers.jobs import erase

AT_ONCE = 200
GRACE = timedelta(seconds=5)  # a fresh upload's own message gets there first


def sweep() -> int:
    """Hint again at due documents and unfinished erasures; returns how many hints were sent."""
    claims.give_up_exhausted()
    overdue = claims.due().filter(not_before__lte=timezone.now() - GRACE)
    waiting = list(overdue.values_list("pk", flat=True)[:AT_ONCE])
    deleted = list(Document.objects.exclude(deleted_at=None).values_list("pk", flat=True)[:AT_ONCE])
    for document_id in waiting:
        tasks.hint(tasks.ingest, document_id)
    for document_id in deleted:
        tasks.hint(tasks.erase, document_id)
    erase.erase_deleted_corpora()
    return len(waiting) + len(deleted)
