"""Work done by the command itself when no worker process can do it: the embedded index is free, so it is ours."""

import time
from collections.abc import Callable, Iterable
from uuid import UUID

from django.conf import settings
from django.core.management.base import CommandError

from corpora.models import Document
from retrieval.index.base import IndexLocked
from retrieval.spaces import opened
from workers.ingestion import pipeline
from workers.queue import claims

POLL_SECONDS = 0.5
BUSY = (Document.Status.PENDING, Document.Status.PROCESSING)


def owns_index() -> bool:
    """Whether this process may work on the embedded index itself; otherwise workers or a running server do."""
    if not settings.EMBEDDED:
        return False
    try:
        opened.current_index()
    except IndexLocked:
        return False
    return True


def work_off(document_ids: Iterable[UUID], on_done: Callable[[Document], None]) -> None:
    """Ingest the documents one after another in this process; each is tried again while it may be.

    One that still waits after MAX_ATTEMPTS, for a service that is down, is left to a later call: still pending.
    """
    waiting = list(document_ids)
    for rounds_left in reversed(range(claims.MAX_ATTEMPTS)):
        busy = [one for one in waiting if not try_document(one, on_done, last=not rounds_left)]
        if not busy:
            return
        if rounds_left:
            time.sleep(claims.RETRY_AFTER.total_seconds())
        waiting = busy


def try_document(document_id: UUID, on_done: Callable[[Document], None], *, last: bool) -> bool:
    """Try a document once; True when that was the end of it."""
    pipeline.ingest_if_due(document_id)
    document = Document.objects.filter(pk=document_id).first()
    if document and document.status in BUSY and not last:
        return False
    if document:
        on_done(document)
    return True


def wait_for(document_ids: Iterable[UUID], on_done: Callable[[Document], None]) -> None:
    """Watch the documents that others ingest until each has ended."""
    waiting = list(document_ids)
    while waiting:
        found = Document.objects.in_bulk(waiting).values()  # also of more than a database takes as parameters
        for document in found:
            if document.status not in BUSY:
                on_done(document)
        waiting = [document.pk for document in found if document.status in BUSY]
        if waiting:
            time.sleep(POLL_SECONDS)


def finish(document_ids: list[UUID], on_done: Callable[[Document], None]) -> None:
    """Return when every document has ended, whoever does the work."""
    (work_off if owns_index() else wait_for)(document_ids, on_done)


def require_index() -> None:
    """CommandError with advice when a running server owns the embedded index."""
    if settings.EMBEDDED and not owns_index():
        raise CommandError(
            "A running server owns the embedded index and does this by itself. Stop it first, or set QDRANT_URL."
        )
