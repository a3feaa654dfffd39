"""Work done by the command itself when no worker process can do it: the embedded index is free, so it is ours."""

import time
from collections.abc import Callable, Iterable
from uuid import UUID

from django.conf import settings
from django.core.management.base import CommandError

from corpora.models import Document
from retrieval import current
from retrieval.index.base import IndexLocked
from workers.ingestion import pipeline

POLL_SECONDS = 0.5
BUSY = (Document.Status.PENDING, Document.Status.PROCESSING)


def owns_index() -> bool:
    """Whether this process may work on the embedded index itself; otherwise workers or a running server do."""
    if not settings.EMBEDDED:
        return False
    try:
        current.current_index()
    except IndexLocked:
        return False
    return True


def work_off(document_ids: Iterable[UUID], on_done: Callable[[Document], None]) -> None:
    """Ingest the documents one after another in this process."""
    for document_id in document_ids:
        pipeline.run(document_id)
        if document := Document.objects.filter(pk=document_id).first():
            on_done(document)


def wait_for(document_ids: Iterable[UUID], on_done: Callable[[Document], None]) -> None:
    """Watch the documents that others ingest until each has ended."""
    waiting = set(document_ids)
    while waiting:
        for document in Document.objects.filter(pk__in=waiting).exclude(status__in=BUSY):
            waiting.discard(document.pk)
            on_done(document)
        waiting &= set(Document.objects.filter(pk__in=waiting).values_list("pk", flat=True))
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
